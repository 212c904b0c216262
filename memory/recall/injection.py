"""Pre-step recall: what an agent is told before its next turn, from memories that answer its question."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from memory.configuration import memsearch
from memory.engram import context, holding, registration
from memory.engram.errors import EngramError
from memory.engram.registration import Wanted
from memory.models import Injection, Project
from memory.projects import detection
from memory.recall import recovery, relevance, snippets
from memory.search.query import search
from memory.search.types import Filters, Hit

HEADER = "[memsearch] Memory available."
"""What MemSearch's skill looks for, so that it keeps working beside us."""
_TITLE = "Relevant memories from past sessions (they may be outdated):"

LIMIT = 5
BUDGET = 3000
LONGEST_QUERY = 2000
SHORTEST_QUERY = 3
_SNIPPET = 400
_LEAST_ROOM = 80
_SOUGHT = 40
_REMEMBERED = timedelta(hours=24)
_KINDS = frozenset({"entry", "observation", "document"})
"""What is told: sessions and prompts repeat what these say, skills are not memories."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """`text` is what the agent is told, empty when nothing is relevant; then `reason` says why."""

    text: str
    hits: tuple[Hit, ...] = ()
    reason: str = ""


def recall(
    *, session: str, cwd: str, query: str, limit: int = LIMIT, budget: int = BUDGET, again: bool = False, at: datetime
) -> Recalled:
    """Return what is worth telling about a question, and keep what was told for the session's page.

    Only hits over the threshold of relevance, from the directory's own project, each once a session unless `again`.
    After a compaction it begins with what became of the summary, once. `budget` counts characters of the whole text.
    """
    started = time.perf_counter()
    project = _project(cwd)
    guidance = _guidance(session, project)
    room = budget - len(guidance) - 2 * bool(guidance)
    recalled = _recall(session, project, query[:LONGEST_QUERY].strip(), limit, room, again=again, at=at)
    if guidance:
        recalled = replace(recalled, text="\n\n".join(filter(None, [guidance, recalled.text])), reason="")
    if session.strip() and project:
        took_ms = (time.perf_counter() - started) * 1000
        _keep(session, project, cwd, query[:LONGEST_QUERY], recalled, took_ms=took_ms, at=at)
    return recalled


def _recall(
    session: str, project: Project | None, query: str, limit: int, budget: int, *, again: bool, at: datetime
) -> Recalled:
    if project is None:
        return Recalled("", reason="No memory is known for this directory.")
    if not memsearch.effective(project).flag("recall.enabled"):
        return Recalled("", reason="Recall is switched off for this project.")
    if not query:
        return _at_the_start(project, budget)
    if len(query) < SHORTEST_QUERY:
        return Recalled("", reason="The question is too short.")
    told = set() if again else _told(session, at)
    found = search(query, filters=Filters(project=project.name), limit=_SOUGHT).items
    sure = [hit for hit in found if hit.kind in _KINDS and hit.relevance >= relevance.WEAK]
    fresh = [hit for hit in sure if hit.ref not in told and hit.session != session][:limit]
    if not fresh:
        return Recalled("", reason=_why_nothing(found, sure))
    return _text(fresh, budget)


def _guidance(session: str, project: Project | None) -> str:
    """Return what is to be told after a compaction, also in a directory that no memory is known for."""
    text = recovery.owed(session)
    is_wanted = bool(text) and memsearch.effective(project).flag("recall.enabled")
    return text if is_wanted and recovery.settle(session) else ""


def _project(cwd: str) -> Project | None:
    try:
        name = detection.current(cwd).project if cwd else ""
    except EngramError:
        return None
    return Project.objects.filter(name=name).first() if name else None


def _at_the_start(project: Project, budget: int) -> Recalled:
    """What a session starts with, only where the person wants that: pinned memories and the last session's summary."""
    if not memsearch.effective(project).flag("recall.session_start"):
        return Recalled("", reason="Nothing is told at the start of a session in this project.")
    text = context.context(project=project, sessions=1, prompts=-1, observations=-1, max_bytes=budget)
    return Recalled(text, reason="" if text else "Nothing is pinned, and no session has a summary.")


def _told(session: str, at: datetime) -> set[str]:
    """Return the refs that this session was told lately."""
    rows = Injection.objects.filter(session__key=holding.key(session), at__gt=at - _REMEMBERED)
    return {hit["ref"] for hits in rows.values_list("hits", flat=True) for hit in hits}


def _why_nothing(found: Sequence[Hit], sure: Sequence[Hit]) -> str:
    if sure:
        return "What is relevant was told in this session already, or is from it."
    return "Nothing found is sure enough to be told." if found else "Nothing was found."


def _text(hits: Sequence[Hit], budget: int) -> Recalled:
    """Write the hits down, best first, as long as there is room for something worth reading."""
    lines, kept = [HEADER, "", _TITLE], []
    room = budget - sum(len(line) + 1 for line in lines)
    for number, hit in enumerate(hits, 1):
        head = f"{number}. [{hit.ref}] {hit.when:%Y-%m-%d} "
        left = min(_SNIPPET, room - len(head) - 1)
        if left < _LEAST_ROOM:
            break
        line = head + _shortened(f"{hit.title}: {snippets.plain(hit.snippet)}", left)
        lines.append(line)
        kept.append(hit)
        room -= len(line) + 1
    if not kept:
        return Recalled("", reason="The budget has no room for a memory.")
    return Recalled("\n".join(lines), tuple(kept))


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


@transaction.atomic(durable=True)
def _keep(
    session: str, project: Project, cwd: str, query: str, recalled: Recalled, *, took_ms: float, at: datetime
) -> None:
    """Write down what was told; at its first turn the session is not known yet."""
    wanted = Wanted(project=project.name, directory=cwd, at=at)
    Injection.objects.create(
        session=holding.session(session) or registration.start(holding.key(session), wanted),
        query=query,
        text=recalled.text,
        hits=[{"ref": hit.ref, "title": hit.title, "relevance": hit.relevance} for hit in recalled.hits],
        reason=recalled.reason,
        took_ms=round(took_ms, 1),
        at=at,
    )
