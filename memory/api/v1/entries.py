"""`/entries`: single entries of journals."""

from __future__ import annotations

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from ninja import Router

from memory import models
from memory.api.errors import documented, not_found
from memory.api.v1.schemas.journals import Entry
from memory.journal import queries

router = Router(tags=["journals"])


@router.get(
    "/entries/{entry_id}",
    operation_id="get_entry",
    summary="Read one entry",
    response=documented({200: Entry}, 404, 422),
)
def detail(request: HttpRequest, entry_id: int) -> Entry:
    row = rows().filter(pk=entry_id).first()
    if row is None:
        raise not_found("entry")
    return Entry.of(row)


def rows(project: models.Project | None = None) -> QuerySet[models.Entry]:
    """Return entries with `superseded_by_id`: the first later entry of the same turn with another body."""
    return queries.entries(project).annotate(superseded_by_id=Subquery(_replacements().values("pk")[:1]))


def _replacements() -> QuerySet[models.Entry]:
    later = (
        Q(date__gt=OuterRef("date"))
        | Q(date=OuterRef("date"), ordinal__gt=OuterRef("ordinal"))
        | Q(date=OuterRef("date"), ordinal=OuterRef("ordinal"), pk__gt=OuterRef("pk"))
    )
    same_turn = models.Entry.objects.filter(session=OuterRef("session"), turn=OuterRef("turn"), turn__gt="")
    return same_turn.filter(later).exclude(body_hash=OuterRef("body_hash")).order_by("date", "ordinal", "pk")
