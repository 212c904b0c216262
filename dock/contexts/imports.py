"""What the pages of imports print: the runs so far, and one run with what it does or would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from dock.contexts import imports_turns, links, paged
from dock.contexts.imports_turns import Part, Turns
from dock.forms.imports import ImportForm, PartForm
from memory.capture.backfill.sources import AGENTS
from memory.engram.exchange import runs
from memory.models import ImportRun
from memory.models.exchange import ImportState

ADD = "memory.add_importrun"
ORDER = ("-pk",)

NOTES = 100
"""Notes of one kind that a page lists."""

_NOUNS = (
    ("captures", "turn", "turns"),
    ("sessions", "session", "sessions"),
    ("observations", "memory", "memories"),
    ("prompts", "prompt", "prompts"),
    ("relations", "relation", "relations"),
)
_OUTCOMES = ("new", "updated", "same")
_KINDS = {
    "engram-directory": "an .engram folder",
    "engram-chunk": "a chunk of an .engram folder",
    "engram-export": "an Engram export",
    "engram-database": "an Engram database",
    "memdock-export": "a MemDock export",
    "memsearch": "a folder with .memsearch journals",
    "directory": "a folder with .engram and .memsearch",
    "claude-code-sessions": "conversations of Claude Code",
    "codex-sessions": "conversations of Codex",
    "openclaw-sessions": "conversations of OpenClaw",
    "opencode-sessions": "conversations of OpenCode",
    "dsh-sessions": "conversations of DSH",
    "agent-sessions": "conversations of several agents",
}
_AGENTS = "Agents of this machine"
_COUNTED = {
    ImportState.PREVIEW: "What would be imported",
    ImportState.QUEUED: "What is going to be imported",
    ImportState.RUNNING: "What is being imported",
    ImportState.DONE: "What was imported",
    ImportState.FAILED: "What was to be imported",
}
_UNDER_WAY = {ImportState.QUEUED, ImportState.RUNNING}


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of the list."""

    id: str
    url: str
    source: str
    state: str
    words: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Imports:
    """The page of the list; without a form this person may not import."""

    form: ImportForm | None
    rows: list[RunRow]
    crumbs: list[tuple[str, str]]
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class CountRow:
    """What becomes of the records of one kind."""

    label: str
    new: int
    updated: int
    same: int


@dataclass(frozen=True, slots=True)
class NoteRow:
    """Something that was not taken, or not as it is, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes of one kind; `more` are not listed."""

    title: str
    rows: list[NoteRow]
    count: int
    more: int


@dataclass(frozen=True, slots=True)
class Journals:
    """What the journals of a source hold."""

    project: str
    days: int
    entries: int
    skills: int


@dataclass(frozen=True, slots=True)
class Run:
    """The page of one run; `start_url` and `discard_url` where it was only looked at and this person may go on.

    `turns` are those of conversations, in the place of `counts`; `part` is the form that chooses among them.
    """

    source: str
    kind: str
    project: str
    state: str
    is_preview: bool
    is_under_way: bool
    is_looking: bool
    error: str
    by: str
    at: datetime
    finished_at: datetime | None
    done: int
    total: int
    records: str
    counted: str
    counts: list[CountRow]
    turns: Turns | None
    part: Part | None
    waiting: int
    journals: Journals | None
    notes: list[Notes]
    url: str
    start_url: str
    discard_url: str
    crumbs: list[tuple[str, str]]


def listing(cursor: str, form: ImportForm | None, person: User) -> Imports:
    """Build the page of the list. One query."""
    found = paged.page(ImportRun.objects.all(), order=ORDER, cursor=cursor)
    return Imports(
        form=(form or ImportForm()) if person.has_perm(ADD) else None,
        rows=[_row(run) for run in found.items],
        crumbs=[("Memories", links.to("memory-list"))],
        previous_url=found.previous and links.to("import", cursor=found.previous),
        next_url=found.next and links.to("import", cursor=found.next),
    )


def run(row: ImportRun, person: User, form: PartForm | None = None) -> Run:
    """Build the page of one run. Two queries where it is of conversations, else none."""
    report: dict[str, Any] = row.report
    is_preview = row.state == ImportState.PREVIEW
    may = is_preview and person.has_perm(ADD)
    done, total = report.get("progress", (0, 0))
    turns = imports_turns.turns(report)
    return Run(
        source=_source(row),
        kind=_KINDS.get(row.kind, row.kind),
        project=row.project_name,
        state=_state(row),
        is_preview=is_preview,
        is_under_way=row.state in _UNDER_WAY,
        is_looking=runs.is_looking(row),
        error=row.error,
        by=row.actor_label,
        at=row.created_at,
        finished_at=row.finished_at,
        done=done,
        total=total,
        records="conversations" if row.kind.endswith("-sessions") else "records",
        counted=_COUNTED[ImportState(row.state)],
        counts=[] if turns else _counts(report),
        turns=turns,
        part=imports_turns.part(row, form) if may and turns else None,
        waiting=report.get("relations", {}).get("unresolved", 0),
        journals=_journals(report),
        notes=[
            _notes(title, report.get(name, [])) for name, title in (("skipped", "Skipped"), ("problems", "Problems"))
        ],
        url=links.to("import-run", row.pk),
        start_url=links.to("import-start", row.pk) if may else "",
        discard_url=links.to("import-discard", row.pk) if may else "",
        crumbs=[("Memories", links.to("memory-list")), ("Import", links.to("import"))],
    )


def _row(row: ImportRun) -> RunRow:
    return RunRow(
        id=f"run-{row.pk}",
        url=links.to("import-run", row.pk),
        source=_source(row),
        state=_state(row),
        words=row.error or _words(row),
        by=row.actor_label,
        at=row.finished_at or row.created_at,
    )


def _source(row: ImportRun) -> str:
    return _AGENTS if row.source == AGENTS and not row.file else row.source


def _state(row: ImportRun) -> str:
    if row.state == ImportState.PREVIEW:
        return "not imported yet"
    return "being looked at" if runs.is_looking(row) and row.state in _UNDER_WAY else row.state


def _words(row: ImportRun) -> str:
    """Say what is new or other than before, as "12 memories new, 3 sessions updated"."""
    if runs.is_looking(row):
        return ""
    told = [
        f"{count:,} {one if count == 1 else many} {outcome}"
        for name, one, many in _NOUNS
        for outcome in ("new", "updated")
        if (count := row.report.get(name, {}).get(outcome, 0))
    ]
    return ", ".join(told) or "nothing new"


def _counts(report: Mapping[str, Any]) -> list[CountRow]:
    return [
        CountRow(many.capitalize(), *(report[name].get(outcome, 0) for outcome in _OUTCOMES))
        for name, _, many in _NOUNS
        if name in report
    ]


def _journals(report: Mapping[str, Any]) -> Journals | None:
    read = report.get("journals")
    if not read:
        return None
    return Journals(str(read["project"]), read["journals"], read["entries"], read["skills"])


def _notes(title: str, told: Sequence[Mapping[str, str]]) -> Notes:
    rows = [NoteRow(one["what"], one["why"]) for one in told[:NOTES]]
    return Notes(title, rows, len(told), max(0, len(told) - NOTES))
