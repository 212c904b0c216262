"""What the page of an import prints of conversations: the turns of each project, and how to choose a part of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from dock.contexts import links
from dock.contexts.choices import Option
from dock.forms.imports import PartForm
from memory.capture import usage
from memory.configuration import memsearch
from memory.models import ImportRun, Project
from memory.models.capture import CaptureState

_LEFT_OUT = (
    ("no_user_text", "without words of a person"),
    ("too_short", "too short"),
    ("subagents", "of sub-agents"),
    ("unknown_directory", "from directories without a project"),
    ("switched_off", "where capture is switched off"),
    ("unfinished", "not finished"),
)


@dataclass(frozen=True, slots=True)
class TurnRow:
    """The turns of a project, or of a directory that belongs to none, of which nothing is taken."""

    name: str
    is_project: bool
    sessions: int
    new: int
    taken_in: int
    known: int
    left_out: int
    first: str
    last: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Turns:
    """All rows and their sums; `days` is how long the summaries take at `per_day`, 0 where no limit is set."""

    rows: list[TurnRow]
    more: int
    new: int
    known: int
    left_out: list[str]
    tokens: int
    per_day: int
    days: int
    captures_url: str


@dataclass(frozen=True, slots=True)
class Part:
    """The form that chooses a part; `is_part` when one is chosen now."""

    form: PartForm
    url: str
    projects: list[Option]
    since: str
    until: str
    is_part: bool


ROWS = 100
"""Projects and directories that a page lists."""


def turns(report: Mapping[str, Any]) -> Turns | None:
    """Describe the turns of a report, None for one of other records. One query."""
    if "captures" not in report:
        return None
    told: Sequence[Mapping[str, Any]] = report["projects"]
    counts, tokens = report["captures"], sum(row["tokens"] for row in told)
    configuration = memsearch.effective()
    is_free = configuration.text("capture.summarizer") in usage.FREE
    per_day = 0 if is_free else usage.for_the_past(configuration.number(usage.CAP))
    return Turns(
        rows=[_row(row) for row in told[:ROWS]],
        more=max(0, len(told) - ROWS),
        new=counts["new"],
        known=counts["same"],
        left_out=_left_out(told),
        tokens=tokens,
        per_day=per_day,
        days=ceil(counts["new"] / per_day) if per_day else 0,
        captures_url=links.to("capture-list", state=str(CaptureState.QUEUED)),
    )


def part(run: ImportRun, form: PartForm | None) -> Part:
    """Describe the form of a run that was looked at: any project here may take turns in. One query."""
    filters: Mapping[str, str] = run.report.get("filters", {})
    chosen = run.project_name
    here = Project.objects.exclude(memory_dir="").values_list("name", flat=True)
    found = {chosen, *here, *(row["project"] for row in run.report.get("projects", ()))}
    return Part(
        form=form or PartForm(),
        url=links.to("import-look", run.pk),
        projects=[Option(name, name, name == chosen) for name in sorted(found - {""})],
        since=filters.get("since", ""),
        until=filters.get("until", ""),
        is_part=bool(chosen or filters),
    )


def _row(told: Mapping[str, Any]) -> TurnRow:
    known = told["in_journals"] + told["captured"]
    return TurnRow(
        name=told["project"] or told["directory"] or "no directory",
        is_project=bool(told["project"]),
        sessions=told["sessions"],
        new=told["new"],
        taken_in=told["taken_in"],
        known=known,
        left_out=sum(told[name] for name, _ in _LEFT_OUT),
        first=told["first"] or "",
        last=told["last"] or "",
        tokens=told["tokens"],
    )


def _left_out(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say how many turns are left out for each reason, as "4 too short"."""
    sums = ((sum(row[name] for row in rows), words) for name, words in _LEFT_OUT)
    return [f"{count:,} {words}" for count, words in sums if count]
