"""What an agent is told at the start of a session and after a compaction, in Engram's words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils import timezone

from memory.engram import queries
from memory.engram.text import preview
from memory.journal import harness
from memory.models import Observation, Project, Prompt, Session
from memory.search import cleaning

SESSIONS, PROMPTS, OBSERVATIONS = 5, 10, 20
"""How many of each, unless asked otherwise."""

MOST_ROWS = 500
MOST_BYTES = 65_536

_SUMMARY = 200
_CONTENT = 300
_CUT = "\n[truncated]\n"
_HARNESS = re.compile(rf"</?(?:{harness.TAGS})[\s>]")


def context(
    *,
    project: Project | None,
    scope: str = "",
    observations: int = 0,
    prompts: int = 0,
    sessions: int = 0,
    pinned: int = 0,
    compact: bool = False,
    max_bytes: int = 0,
) -> str:
    """Return what is remembered of a project (of all for None), or "" when that is nothing.

    Each number is the most rows of its section: 0 is the usual (for pinned ones: all), below 0 leaves it out. `scope`
    chooses among pinned and recent memories only. `compact` leaves their texts out. `max_bytes` above 0 limits the
    whole, to 65,536 at most. Four queries.
    """
    rows = queries.observations(project=project, scope=scope)
    text = _titled(
        "## Memory from Previous Sessions",
        _section("Recent Sessions", map(_session, _sessions(project, _limit(sessions, SESSIONS)))),
        _section(
            "Recent User Prompts", map(_prompt, _newest(queries.prompts(project=project), _limit(prompts, PROMPTS)))
        ),
        *_memories(rows, _limit(pinned, None), _limit(observations, OBSERVATIONS), is_compact=compact),
    )
    return _within(text, min(max_bytes, MOST_BYTES)) if max_bytes > 0 else text


def compaction(session: Session) -> str:
    """Return what was remembered in one session, for an agent whose conversation was just shortened. Four queries."""
    # Said this way, SQLite reads no other row of the project, of which there may be very many more.
    own = queries.observations(session=session).order_by().values("pk")
    rows = queries.observations(project=session.project).filter(pk__in=own)
    prompts = queries.prompts(project=session.project, session=session)
    return _titled(
        "## Memory from This Session",
        _section("Session", [f"- **{session.external_id}** {_facts(session, rows.count())}"]),
        _section("Recent User Prompts", map(_prompt, _newest(prompts, PROMPTS))),
        *_memories(rows, None, OBSERVATIONS, is_compact=False),
    )


def _limit(asked: int, usual: int | None) -> int | None:
    """Return how many rows a number means; None for all."""
    if asked == 0:
        return usual
    return min(max(asked, 0), MOST_ROWS)


def _sessions(project: Project | None, limit: int | None) -> list[Session]:
    return queries.recent_sessions(project, limit) if limit else []


def _newest[Row: (Prompt, Observation)](rows: QuerySet[Row], limit: int | None) -> list[Row]:
    return list(rows.select_related(None).order_by("-created_at", "-pk")[:limit]) if limit != 0 else []


def _memories(
    rows: QuerySet[Observation], pinned: int | None, recent: int | None, *, is_compact: bool
) -> Iterator[str]:
    """Yield the sections of pinned and of other memories."""
    yield _section(
        "Pinned", (_memory(row, is_compact=is_compact) for row in _newest(rows.filter(is_pinned=True), pinned))
    )
    others = _newest(rows.filter(is_pinned=False), recent)
    yield _section("Recent Observations", (_memory(row, is_compact=is_compact) for row in others))


def _titled(heading: str, *sections: str) -> str:
    told = "".join(sections)
    return f"{heading}\n\n{told}" if told else ""


def _section(heading: str, lines: Iterable[str]) -> str:
    told = "".join(f"{line}\n" for line in lines)
    return f"### {heading}\n{told}\n" if told else ""


def _session(row: Session) -> str:
    return f"- **{row.project.name}** {_facts(row, getattr(row, 'observation_count', 0))}"


def _facts(row: Session, count: int) -> str:
    summary = f": {_shown(row.summary, _SUMMARY)}" if row.summary else ""
    return f"({_local(row.started_at)}){summary} [{count} observations]"


def _prompt(row: Prompt) -> str:
    return f"- {_local(row.created_at)}: {_shown(row.content, _SUMMARY)}"


def _memory(row: Observation, *, is_compact: bool) -> str:
    line = f"- [{row.type}] **{_plain(row.title)}**"
    return line if is_compact else f"{line}: {_shown(row.content, _CONTENT)}"


def _shown(text: str, length: int) -> str:
    return preview(_plain(text), length)


def _plain(text: str) -> str:
    """Take out what a harness once said to a model: said again, it would be obeyed as if it were new."""
    return cleaning.clean(text).strip() if _HARNESS.search(text) else text


def _local(moment: datetime) -> str:
    """Return a moment in `ENGRAM_TIMEZONE`, or in the zone of this MemDock."""
    return timezone.localtime(moment, _zone()).strftime("%Y-%m-%d %H:%M:%S")


def _zone() -> ZoneInfo | None:
    try:
        return ZoneInfo(os.environ["ENGRAM_TIMEZONE"])
    except (KeyError, ValueError, OSError):  # not set, or no zone of this machine
        return None


def _within(text: str, limit: int) -> str:
    """Cut on a character so that the text with its note has at most `limit` bytes."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    kept = raw[: max(limit - len(_CUT), 0)].decode(errors="ignore")
    return (kept + _CUT)[:limit] if limit < len(_CUT) else kept + _CUT
