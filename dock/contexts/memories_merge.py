"""What the pages print on which memories become one, or are removed for good."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils.safestring import SafeString

from dock.contexts import links, memories_chosen, versions
from dock.contexts.memories import rendered, start
from dock.contexts.versions import DiffRow
from dock.forms.memories import Criteria, Selection
from dock.forms.memories_edit import LONGEST_REASON, PurgeForm
from memory.engram import curation
from memory.models import Observation, Project

LISTED = 20
"""Memories that the confirmation names."""

MERGED = 50
"""Memories that become one at once."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the memories to merge; `keep_url` shows what keeping this one would make."""

    pk: int
    url: str
    title: str
    start: str
    type: str
    at: datetime
    is_kept: bool
    keep_url: str


@dataclass(frozen=True, slots=True)
class MergePage:
    """What a merge would make: the text as a whole, and what it adds to the one that is kept."""

    into: int
    title: str
    others: int
    candidates: list[Candidate]
    html: SafeString
    rows: list[DiffRow] | None
    adds: bool
    full_size: int | None
    longest_reason: int
    crumbs: list[tuple[str, str]]
    url: str
    back_url: str


@dataclass(frozen=True, slots=True)
class Doomed:
    """A memory that is about to be removed."""

    pk: int
    url: str
    title: str
    type: str
    project: str
    versions: int
    deleted_at: datetime


@dataclass(frozen=True, slots=True)
class PurgePage:
    """The confirmation: how many memories, the first of them, and the form."""

    total: int
    rows: list[Doomed]
    more: int
    not_deleted: int
    form: PurgeForm
    longest_reason: int
    crumbs: list[tuple[str, str]]
    url: str
    back_url: str


def merging(selection: Selection, into: int | None) -> MergePage:
    """Build the preview of a merge. Two queries. Raises Invalid, NotFound as `curation.merge_preview`."""
    pks = list(selection.pks[:MERGED])
    kept = into if into in pks else next(iter(pks), None)
    preview = curation.merge_preview(sorted(pks, key=lambda pk: pk != kept))
    row = preview.into
    chosen = sorted([row, *preview.others], key=lambda one: pks.index(one.pk))
    return MergePage(
        into=row.pk,
        title=row.title or f"Memory {row.pk}",
        others=len(preview.others),
        candidates=[_candidate(one, selection, row.pk) for one in chosen],
        html=rendered(preview.content),
        rows=versions.compare(row.content, preview.content),
        adds=row.content.strip() != preview.content.strip(),
        full_size=preview.full_size,
        longest_reason=LONGEST_REASON,
        crumbs=[("Memories", links.to("memory-list", project=row.project.name))],
        url=merge_url(row.project, selection),
        back_url=links.to("memory-list", project=row.project.name),
    )


def merge_url(project: Project | None, selection: Selection, into: int | None = None) -> str:
    """Return the address of the preview."""
    return memories_chosen.url("memory-merge", project, None, selection, into=into)


def purging(
    project: Project | None, criteria: Criteria, selection: Selection, pks: list[int], form: PurgeForm
) -> PurgePage:
    """Build the confirmation for those memories that are deleted. Two queries."""
    rows = Observation.objects.filter(pk__in=pks).deleted()
    total = len(removable(pks))
    shown = rows.select_related("project").defer("content").annotate(number=Count("versions"))
    return PurgePage(
        total=total,
        rows=[_doomed(row) for row in shown.order_by("-deleted_at", "-pk")[:LISTED]],
        more=max(0, total - LISTED),
        not_deleted=len(pks) - total,
        form=form,
        longest_reason=LONGEST_REASON,
        crumbs=[
            ("Memories", memories_chosen.url("memory-list", project)),
            ("Trash", trash_url(project)),
        ],
        url=memories_chosen.url("memory-purge", project, criteria, selection),
        back_url=trash_url(project),
    )


def removable(pks: list[int]) -> list[int]:
    """Return which of these memories are deleted: only those are removed for good. One query."""
    return list(Observation.objects.deleted().filter(pk__in=pks).order_by("pk").values_list("pk", flat=True))


def trash_url(project: Project | None) -> str:
    return memories_chosen.url("memory-list", project, state="deleted")


def _candidate(row: Observation, selection: Selection, into: int) -> Candidate:
    return Candidate(
        pk=row.pk,
        url=links.to("memory-detail", row.pk),
        title=row.title or f"Memory {row.pk}",
        start=start(row.content[:400]),
        type=row.type,
        at=row.created_at,
        is_kept=row.pk == into,
        keep_url=merge_url(None, selection, into=row.pk),
    )


def _doomed(row: Observation) -> Doomed:
    assert row.deleted_at  # noqa: S101 - only deleted ones were asked for
    return Doomed(
        pk=row.pk,
        url=links.to("memory-detail", row.pk),
        title=row.title or f"Memory {row.pk}",
        type=row.type,
        project=row.project.name,
        versions=row.number,  # type: ignore[attr-defined]
        deleted_at=row.deleted_at,
    )
