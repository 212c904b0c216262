"""What the page of one run prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from dock.contexts import links, revisions, upkeep_words
from dock.contexts.revisions import Diff
from dock.contexts.upkeep_proposals import Proposal, proposal
from dock.contexts.upkeep_words import State
from memory.models import DocumentProposal, UpkeepRun
from memory.models.maintenance import UpkeepState

_OUTCOMES = {
    "created": "new",
    "updated": "updated",
    "same": "unchanged",
    "rejected": "rejected before",
    "failed": "failed",
    "proposed": "not written",
}
_TONES = {"created": "ok", "updated": "ok", "failed": "bad", "rejected": "warn"}


@dataclass(frozen=True, slots=True)
class SkillRow:
    """One skill that the model proposed; `diff` where nothing was written."""

    id: str
    name: str
    url: str
    outcome: str
    tone: str
    description: str
    reason: str
    problem: str
    diff: Diff | None


@dataclass(frozen=True, slots=True)
class RunPage:
    """One run; `digest` is that of the journals that it looked at."""

    task: str
    number: int
    url: str
    project: str
    project_url: str
    state: State
    is_under_way: bool
    is_dry_run: bool
    reason: str
    error: str
    by: str
    platform: str
    asked: str
    tokens: str
    cost: str
    took: str
    digest: str
    short_digest: str
    output: str
    document_url: str
    at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    diff: Diff | None
    skills: list[SkillRow]
    proposal: Proposal | None
    crumbs: list[tuple[str, str]]


def page(run: UpkeepRun, person: User) -> RunPage:
    """Build the page. One query more where the run replaced a document that MemDock follows."""
    waits = getattr(run, "proposal", None)
    return RunPage(
        task=upkeep_words.task(run.task),
        number=run.pk,
        url=links.to("upkeep-run", run.pk),
        project=run.project.name,
        project_url=links.to("live", project=run.project.name),
        state=upkeep_words.state(run),
        is_under_way=run.state in {UpkeepState.QUEUED, UpkeepState.RUNNING},
        is_dry_run=run.is_dry_run,
        reason=run.reason,
        error=run.error,
        by=upkeep_words.started_by(run),
        platform=run.platform,
        asked=upkeep_words.asked(run),
        tokens=upkeep_words.tokens(run),
        cost=upkeep_words.dollars(run.cost_usd),
        took=upkeep_words.took(run),
        digest=run.input_digest,
        short_digest=revisions.short(run.input_digest),
        output=run.output_path,
        document_url=_document_url(run),
        at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        diff=_diff(run, waits),
        skills=list(_skills(run)),
        proposal=proposal(waits, run.before, person) if waits else None,
        crumbs=[("Upkeep", links.to("upkeep-list", project=run.project.name))],
    )


def _diff(run: UpkeepRun, waits: DocumentProposal | None) -> Diff | None:
    """Return what was to become of the document; a proposal has its own."""
    return revisions.diff(run.before, run.after, number=1) if run.after and not waits else None


def _document_url(run: UpkeepRun) -> str:
    """Return the page of the document where it lies in the project's memory folder."""
    folder, _, name = run.output_path.rpartition("/")
    is_followed = folder == run.project.memory_dir and run.project.documents.filter(name=name).exists()
    return links.to("document-detail", run.project.name, name) if is_followed else ""


def _skills(run: UpkeepRun) -> Iterator[SkillRow]:
    items: list[dict[str, Any]] = run.skills
    for number, one in enumerate(items, start=1):
        outcome, slug = one.get("outcome", ""), one.get("slug", "")
        is_unwritten = outcome in {"proposed", "failed"}
        yield SkillRow(
            id=f"skill-{number}",
            name=slug or one.get("name", ""),
            url=links.to("skill-detail", run.project.name, slug) if slug else "",
            outcome=_dry(one) if run.is_dry_run else _OUTCOMES.get(outcome, outcome),
            tone=_TONES.get(outcome, ""),
            description=one.get("description", ""),
            reason=one.get("reason", ""),
            problem=one.get("problem", ""),
            diff=revisions.diff(one.get("before", ""), one.get("body", ""), number=1) if is_unwritten else None,
        )


def _dry(item: dict[str, Any]) -> str:
    return "would be new" if item.get("is_new") else "would be updated"
