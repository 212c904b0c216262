"""Every address of Engram's wire, and the one view that answers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from memory.api.engram import (
    conflicts,
    doors,
    importexport,
    observations,
    paths,
    projects,
    prompts,
    reading,
    review,
    service,
    sessions,
)
from memory.api.engram.doors import Door
from memory.api.engram.health import health
from memory.api.engram.replies import Refusal, refuse
from memory.models.token import Scope

type View = Callable[..., HttpResponseBase]

ID = "{}"
"""A segment that may be any text but an empty one."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one address; `needs` is the scope of the token that is asked for elsewhere than on loopback."""

    method: str
    template: tuple[str, ...]
    view: View
    door: Door
    needs: Scope

    def ids(self, segments: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return what stands for each id of a path, or None when it is another address."""
        if len(segments) != len(self.template):
            return None
        pairs = list(zip(self.template, segments, strict=True))
        if all(segment if part == ID else segment == part for part, segment in pairs):
            return tuple(segment for part, segment in pairs if part == ID)
        return None


def _route(line: str, view: View, *, door: Door = Door.OPEN, needs: Scope | None = None) -> Route:
    method, path = line.split(" ")
    scope = needs or (Scope.READ if method == "GET" else Scope.WRITE)
    return Route(method, tuple(path.removeprefix("/").split("/")), view, door, scope)


# The first that fits answers: an address of its own stands before one with an id.
ROUTES = (
    _route("GET /health", health, door=Door.ALWAYS_OPEN),
    _route("GET /stats", reading.numbers),
    _route("GET /projects", projects.index),
    _route("GET /project/current", projects.current),
    _route("GET /sync/status", service.sync_status),
    _route("GET /doctor", service.doctor),
    _route("POST /sessions", sessions.register),
    _route("GET /sessions/recent", sessions.recent),
    _route("GET /sessions/{}", sessions.detail),
    _route("POST /sessions/{}/end", sessions.end),
    _route("DELETE /sessions/{}", sessions.delete, door=Door.GUARDED),
    _route("POST /runtime-sessions/resolve", sessions.resolve_runtime),
    _route("POST /runtime-sessions/end", sessions.end_runtime),
    _route("POST /observations", observations.save),
    _route("GET /observations", observations.index),
    _route("GET /observations/recent", observations.recent),
    _route("GET /observations/save-result", observations.save_result),
    _route("POST /observations/passive", observations.save_passive),
    _route("GET /observations/{}", observations.detail),
    _route("PATCH /observations/{}", observations.change),
    _route("DELETE /observations/{}", observations.delete, door=Door.GUARDED),
    _route("PUT /observations/{}/pin", observations.pin),
    _route("DELETE /observations/{}/pin", observations.unpin),
    _route("POST /topic-keys/suggest", service.suggest_topic, needs=Scope.READ),
    _route("GET /search", reading.search),
    _route("GET /timeline", reading.around),
    _route("GET /review", review.index),
    _route("POST /review/mark_reviewed", review.mark),
    _route("POST /prompts", prompts.save),
    _route("GET /prompts/recent", prompts.recent),
    _route("GET /prompts/search", prompts.search),
    _route("DELETE /prompts/{}", prompts.delete, door=Door.GUARDED),
    _route("GET /context", reading.memory),
    _route("GET /context/compaction", reading.compaction),
    _route("GET /conflicts", conflicts.index),
    _route("GET /conflicts/stats", conflicts.stats),
    _route("GET /conflicts/deferred", conflicts.deferred),
    _route("POST /conflicts/deferred/replay", conflicts.replay),
    _route("POST /conflicts/judge", conflicts.judge),
    _route("POST /conflicts/compare", conflicts.compare),
    _route("POST /conflicts/scan", conflicts.scan),
    _route("GET /conflicts/{}", conflicts.detail),
    _route("GET /export", importexport.give, door=Door.GUARDED),
    _route("POST /import", importexport.take, door=Door.GUARDED),
    _route("POST /projects/rescue-ownership", projects.rescue_ownership, door=Door.CLOSED, needs=Scope.ADMIN),
    _route("POST /projects/migrate", projects.rescue_ownership, door=Door.CLOSED, needs=Scope.ADMIN),
)


@never_cache
def answer(request: HttpRequest) -> HttpResponseBase:
    """Answer any request below the root that is for no page; never with anything but JSON."""
    try:
        route, ids = _find(request.method or "", paths.segments(request))
        doors.check(request, route.door, needs=route.needs)
        return route.view(request, *ids)
    except Exception as exc:  # noqa: BLE001 - whatever it is, the client reads JSON
        return refuse(exc)


# Clients carry no cookie, and the middleware at the door keeps pages of other sites out.
answer.csrf_exempt = True  # type: ignore[attr-defined]


def _find(method: str, segments: tuple[str, ...]) -> tuple[Route, tuple[str, ...]]:
    here = [(route, ids) for route in ROUTES if (ids := route.ids(segments)) is not None]
    if not here:
        raise Refusal(404, "not found")
    asked = "GET" if method == "HEAD" else method
    for route, ids in here:
        if route.method == asked:
            return route, ids
    raise Refusal(405, "method not allowed", headers={"Allow": _allowed(route for route, _ in here)})


def _allowed(routes: Iterable[Route]) -> str:
    methods = {route.method for route in routes}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
