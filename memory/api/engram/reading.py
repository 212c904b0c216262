"""`/search`, `/timeline`, `/context…` and `/stats`: what is asked about everything that was saved."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse

from memory.api.engram import scoping, shapes
from memory.api.engram.parameters import flag, integer, row_id, text
from memory.api.engram.replies import Refusal, reply
from memory.engram import context, sessions, stats, timeline
from memory.engram import search as finder
from memory.engram.errors import NotFound, SessionNotFound
from memory.engram.search import MatchMode

_SECTIONS = ("observations", "prompts", "sessions", "pinned")
_NEIGHBOURS = 5
_MOST_NEIGHBOURS = 500


def search(request: HttpRequest) -> HttpResponse:
    asked, mode = text(request, "q"), text(request, "match_mode")
    if not asked.strip():
        raise Refusal(400, "q parameter is required")
    if mode not in {"", "all", "any"}:
        raise Refusal(400, 'match_mode must be "all" or "any"')
    found = finder.search(
        q=asked,
        project=scoping.chosen(request),
        type=text(request, "type"),
        scope=text(request, "scope"),
        limit=integer(request, "limit", finder.USUAL),
        match_mode=cast("MatchMode", mode),
    )
    return reply([shapes.observation(one.observation) | {"rank": one.rank} for one in found])


def around(request: HttpRequest) -> HttpResponse:
    asked = text(request, "observation_id")
    if not asked:
        raise Refusal(400, "observation_id parameter is required")
    project = scoping.chosen(request)
    found = timeline.around(
        row_id(asked, "observation"), before=_neighbours(request, "before"), after=_neighbours(request, "after")
    )
    if project is not None and found.focus.project_id != project.pk:
        raise NotFound("observation not found in resolved project")
    return reply(shapes.timeline(found))


def memory(request: HttpRequest) -> HttpResponse:
    counts = {name: integer(request, name) for name in _SECTIONS}
    told = context.context(
        project=scoping.chosen(request),
        scope=text(request, "scope"),
        compact=flag(request, "compact"),
        max_bytes=integer(request, "max_bytes"),
        **counts,
    )
    return reply({"context": told})


def compaction(request: HttpRequest) -> HttpResponse:
    key = text(request, "session_id")
    if not key.strip():
        raise Refusal(400, "session_id is required")
    session = sessions.find(key)
    if session is None:
        raise SessionNotFound
    return reply({"context": context.compaction(session)})


def numbers(request: HttpRequest) -> HttpResponse:
    counted = stats.stats(scoping.chosen(request))
    return reply(
        {
            "total_sessions": counted.total_sessions,
            "total_observations": counted.total_observations,
            "total_prompts": counted.total_prompts,
            "projects": counted.projects,
        }
    )


def _neighbours(request: HttpRequest, name: str) -> int:
    number = integer(request, name, _NEIGHBOURS)
    return min(number, _MOST_NEIGHBOURS) if number > 0 else _NEIGHBOURS
