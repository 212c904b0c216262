"""What is asked about runs of upkeep and proposed documents."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from memory.models import DocumentProposal, Project, UpkeepRun
from memory.models.maintenance import ProposalState, UpkeepState

ORDER = ("-pk",)
"""Newest first, for `memory.paging`."""

RESULTS: dict[str, Q] = {
    "open": Q(state__in=[UpkeepState.QUEUED, UpkeepState.RUNNING]),
    "changed": Q(state=UpkeepState.DONE, action__in=["replace", "distilled", "waiting"]),
    "none": Q(state=UpkeepState.DONE, action__in=["none", "skip", "locked"]),
    "failed": Q(state=UpkeepState.FAILED),
}
"""What a run may have come to."""


def runs(project: Project | None = None, *, task: str = "", result: str = "", trigger: str = "") -> QuerySet[UpkeepRun]:
    """Return runs with their project, without their texts; empty values ask for all."""
    rows = UpkeepRun.objects.select_related("project").defer("project__problems", "before", "after")
    wanted = {"project": project, "task": task, "trigger": trigger}
    rows = rows.filter(**{name: value for name, value in wanted.items() if value})
    return rows.filter(RESULTS[result]) if result else rows


def find(pk: int) -> UpkeepRun | None:
    """Return one run with its project and its proposal. One query."""
    rows = UpkeepRun.objects.select_related("project", "proposal", "proposal__decided_by")
    return rows.defer("project__problems").filter(pk=pk).first()


def triggers() -> list[str]:
    """Return what started runs so far. One query."""
    return list(UpkeepRun.objects.order_by("trigger").values_list("trigger", flat=True).distinct())


def proposals(project: Project | None = None, name: str = "") -> QuerySet[DocumentProposal]:
    """Return proposals that wait, with their project, the newest first."""
    rows = DocumentProposal.objects.select_related("project", "run").defer("project__problems")
    rows = rows.filter(state=ProposalState.WAITING).order_by("-pk")
    rows = rows.filter(project=project) if project else rows
    return rows.filter(name=name) if name else rows


def find_proposal(pk: int) -> DocumentProposal | None:
    """Return one proposal, whatever its state. One query."""
    return DocumentProposal.objects.select_related("project").filter(pk=pk).first()
