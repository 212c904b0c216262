"""Journals and their entries as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Self

from ninja import Schema
from pydantic import Field

from memory import models, refs
from memory.models.journal import EntryState


class Anchor(Schema):
    """Where an entry's conversation is kept: text that anybody may have written, never a path to trust."""

    kind: str
    path: str


class Entry(Schema):
    """One `### HH:MM` section of a journal."""

    ref: str = Field(examples=["entry:12"])
    project: str
    date: date
    time: str = Field(description="Local time as written, HH:MM.")
    ordinal: int = Field(description="Position in the file, from 1.")
    session: str | None = Field(description="Key of the session; null where no anchor names one.")
    turn: str = Field(description="The agent's own id of the turn; empty where no anchor names one.")
    platform: str = Field(description="The agent; empty where it is not known.")
    state: EntryState
    body: str
    anchor: Anchor | None
    start_line: int
    end_line: int
    supersedes: str | None = Field(description="Ref of the last earlier entry of the same turn with another body.")
    superseded_by: str | None = Field(description="Ref of the first later entry of the same turn with another body.")

    @classmethod
    def of(cls, row: Any) -> Self:
        """Describe a row of `v1.entries.rows`, which carries `superseded_by_id` as an annotation."""
        return cls(
            ref=refs.entry(row),
            project=row.project.name,
            date=row.date,
            time=row.time,
            ordinal=row.ordinal,
            session=row.session.key if row.session else None,
            turn=row.turn,
            platform=row.platform,
            state=row.state,
            body=row.body,
            anchor=Anchor(kind=row.anchor_kind, path=row.anchor_path) if row.anchor_kind else None,
            start_line=row.start_line,
            end_line=row.end_line,
            supersedes=_ref(row.supersedes_id),
            superseded_by=_ref(row.superseded_by_id),
        )


class Day(Schema):
    """One day file in a list: its entries as a number."""

    date: date
    path: str = Field(description="Below .memsearch.", examples=["memory/2026-01-15.md"])
    entries: int
    empty_sessions: int = Field(description="Session headings without an entry.")
    problems: list[str]

    @classmethod
    def of(cls, row: models.Journal) -> Self:
        return cls(
            date=row.date,
            path=row.path,
            entries=row.entry_count,
            empty_sessions=row.empty_sessions,
            problems=row.problems,
        )


class Journal(Schema):
    """One day file with all its entries, in the order of the file."""

    date: date
    path: str = Field(description="Below .memsearch.", examples=["memory/2026-01-15.md"])
    entries: list[Entry]
    empty_sessions: int = Field(description="Session headings without an entry.")
    problems: list[str]

    @classmethod
    def of(cls, row: models.Journal, entries: Iterable[models.Entry]) -> Self:
        return cls(
            date=row.date,
            path=row.path,
            entries=[Entry.of(entry) for entry in entries],
            empty_sessions=row.empty_sessions,
            problems=row.problems,
        )


def _ref(pk: int | None) -> str | None:
    return f"entry:{pk}" if pk else None
