"""Imports conversations as the command does, and says what the truth of a home lets expect."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from memory.capture.accept import SHORTEST
from memory.capture.backfill.filters import EVERYTHING, Filters
from memory.capture.backfill.report import BackfillReport
from memory.engram.exchange import importing, sources
from memory.models import Capture
from tests.memory.transcripts.homes import Home, Truth


def take(
    path: Path | str,
    *,
    project: str = "harbor-api",
    filters: Filters = EVERYTHING,
    dry_run: bool = False,
    at: datetime | None = None,
) -> BackfillReport:
    with sources.opened(str(path)) as source:
        found = importing.run(source, project=project, filters=filters, dry_run=dry_run, at=at or timezone.now())
    assert isinstance(found, BackfillReport)
    return found


def told(report: BackfillReport, project: str = "harbor-api") -> dict[str, Any]:
    """Return what a report says of one project."""
    return next(row for row in report.as_json()["projects"] if row["project"] == project)


def expected(home: Home, *platforms: str) -> Iterator[tuple[Truth, Truth]]:
    """Yield the finished turns of a home that are worth an entry, with their sessions."""
    for session in home.truth["sessions"]:
        if session["kind"] == "subagent" or "uncompressed" in session["quirks"]:
            continue
        if not platforms or session["platform"] in platforms:
            yield from ((session, turn) for turn in session["turns"] if _is_worth_an_entry(turn))


def names(pairs: Iterator[tuple[Truth, Truth]]) -> list[tuple[str, str, str]]:
    """Name turns as captures do: by session, and by what was asked."""
    return sorted((one["platform"], one["session"], _asked(turn)) for one, turn in pairs)


def captured() -> list[tuple[str, str, str]]:
    rows = Capture.objects.values_list("platform", "session__external_id", "question")
    return sorted((platform, session, question) for platform, session, question in rows)


def _is_worth_an_entry(turn: Truth) -> bool:
    is_own = turn["active"] and not turn.get("replayed") and not turn.get("hidden")
    return is_own and turn["status"] != "running" and len(_asked(turn)) > SHORTEST


def _asked(turn: Truth) -> str:
    return "\n\n".join(filter(None, [turn["user"], *turn["user_more"]])).strip()
