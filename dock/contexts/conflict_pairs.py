"""Which pairs of memories there are to judge, and which were."""

from __future__ import annotations

from django.db.models import Count, F, Q, QuerySet

from dock.forms.conflicts import Criteria
from memory.models import Project, Relation
from memory.models.observation import Judgment

ORDER = {"judged": ("-updated_at", "-pk")}
NEWEST_FIRST = ("-pk",)

_IS_PENDING = Q(judgment_status=Judgment.PENDING)
_BOTH_ARE_HERE = Q(
    source__isnull=False,
    target__isnull=False,
    source__deleted_at=None,
    target__deleted_at=None,
    source__project=F("target__project"),
)
# Not the negation of the above: SQL knows neither true nor false about a memory that is missing.
_ONE_IS_NOT = (
    Q(source=None)
    | Q(target=None)
    | Q(source__deleted_at__isnull=False)
    | Q(target__deleted_at__isnull=False)
    | ~Q(source__project=F("target__project"))
)
_STATES = {
    "pending": _IS_PENDING & _BOTH_ARE_HERE,
    "judged": Q(judgment_status=Judgment.JUDGED),
    "apart": _IS_PENDING & _ONE_IS_NOT,
    "orphaned": Q(judgment_status=Judgment.ORPHANED),
    "ignored": Q(judgment_status=Judgment.IGNORED),
}


def matching(project: Project | None, criteria: Criteria) -> QuerySet[Relation]:
    """Return the pairs that a list shows on all of its pages, with both of their memories."""
    rows = _of(project).filter(_STATES[criteria.status])
    if criteria.verdict:
        rows = rows.filter(relation=criteria.verdict)
    return rows.select_related("source", "target", "project").defer("project__problems")


def after(project: Project | None, criteria: Criteria, pk: int) -> int | None:
    """Return the pair to judge after this one: the next of the list, or its first. At most two queries."""
    rows = matching(project, criteria).exclude(pk=pk).order_by(*NEWEST_FIRST).values_list("pk", flat=True)
    return rows.filter(pk__lt=pk).first() or rows.first()


def waiting(project: Project | None) -> int:
    """Count the pairs that can be judged and are not. One query."""
    return _of(project).filter(_STATES["pending"]).count()


def counts(project: Project | None) -> dict[str, int]:
    """Count pairs by state. One query."""
    counted: dict[str, int] = _of(project).aggregate(
        **{name: Count("pk", filter=wanted) for name, wanted in _STATES.items()}
    )
    return counted


def _of(project: Project | None) -> QuerySet[Relation]:
    return Relation.objects.filter(project=project) if project else Relation.objects.all()
