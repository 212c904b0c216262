"""What a backfill did, or would do (the JSON of `memdock import` for agents' stores)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from memory.capture.backfill.filters import Filters
from memory.capture.backfill.judging import SAME, Verdict
from memory.engram.exchange.report import Report

PROMPT = 400
"""Tokens that a summary takes besides its turn: what the model is told to do, and what it answers."""
_BYTES = 4
"""Bytes of a token, roughly, in any language."""


def tokens(rendered: str) -> int:
    """Estimate the tokens that a summary of a turn takes, in and out."""
    return PROMPT + len(rendered.encode("utf-8", "replace")) // _BYTES


@dataclass(slots=True)
class Row:
    """What a project, or a `directory` that belongs to none, comes to; days are those of its turns, as ISO 8601.

    `taken_in` are new turns from directories that belong to no project.
    """

    project: str
    directory: str
    sessions: int = 0
    turns: Counter[Verdict] = field(default_factory=Counter)
    first: str = ""
    last: str = ""
    taken_in: int = 0
    tokens: int = 0

    def count(self, verdict: Verdict, when: datetime) -> None:
        day = timezone.localtime(when).date().isoformat()
        self.turns[verdict] += 1
        self.first = min(self.first or day, day)
        self.last = max(self.last, day)

    def as_json(self) -> dict[str, Any]:
        counts = {verdict.value: self.turns[verdict] for verdict in Verdict}
        told = {"project": self.project, "directory": self.directory, "sessions": self.sessions}
        days = {"first": self.first or None, "last": self.last or None}
        return {**told, **counts, **days, "taken_in": self.taken_in, "tokens": self.tokens}


@dataclass(slots=True)
class BackfillReport(Report):
    """An import of conversations: `rows` by project and, without one, by directory."""

    filters: Filters = field(default_factory=Filters)
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)

    def row(self, project: str, directory: str) -> Row:
        key = (project, "" if project else directory)
        return self.rows.setdefault(key, Row(project, directory))

    def captures(self) -> dict[str, int]:
        """Count turns as new, same and skipped."""
        turns: Counter[Verdict] = sum((row.turns for row in self.rows.values()), Counter())
        new, same = turns[Verdict.NEW], sum(turns[verdict] for verdict in SAME)
        return {"new": new, "same": same, "skipped": turns.total() - new - same}

    def as_json(self) -> dict[str, Any]:
        projects = [row.as_json() for row in self._sorted()]
        told = {"captures": self.captures(), "projects": projects, "filters": self.filters.as_json()}
        return Report.as_json(self) | told  # a class with slots cannot say super() here

    def lines(self) -> Iterable[str]:
        """Yield what a person reads; sessions are not listed one by one."""
        head, *rest = (line for line in Report.lines(self) if not line.startswith(_LEFT_OUT))
        counts = self.captures()
        yield head
        yield f"  turns: {counts['new']:,} new, {counts['same']:,} known, {counts['skipped']:,} left out"
        yield from (_told(row) for row in self._sorted())
        yield from rest

    def _sorted(self) -> list[Row]:
        return sorted(self.rows.values(), key=lambda row: (not row.project, row.project, row.directory))


_LEFT_OUT = ("  observations: ", "  prompts: ", "  relations: ", "  skipped: ")


def _told(row: Row) -> str:
    named = row.project or f"no project ({row.directory or 'no directory'})"
    counts = ", ".join(
        f"{row.turns[verdict]:,} {verdict.value.replace('_', ' ')}" for verdict in Verdict if row.turns[verdict]
    )
    days = row.first if row.first == row.last else f"{row.first} to {row.last}"
    taken_in = f" ({row.taken_in:,} of them from directories without a project)" if row.taken_in else ""
    cost = f"; about {row.tokens:,} tokens to summarise" if row.tokens else ""
    sessions = "1 session" if row.sessions == 1 else f"{row.sessions:,} sessions"
    return f"  {named}: {sessions}, {days}: {counts}{taken_in}{cost}"
