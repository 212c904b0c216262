"""Engram's wire as an OpenAPI document: made from the routes themselves, and from what each of them reads."""

from __future__ import annotations

from typing import Any

from memory.api.engram import conflicts, observations, projects, prompts, review, service, sessions
from memory.api.engram.bodies import Body
from memory.api.engram.routes import ID, ROUTES, Route

type Json = dict[str, Any]

BODIES: dict[str, type[Body]] = {
    "POST /sessions": sessions.Registration,
    "POST /sessions/{}/end": sessions.Ending,
    "POST /runtime-sessions/resolve": sessions.Runtime,
    "POST /runtime-sessions/end": sessions.Runtime,
    "POST /observations": observations.Save,
    "POST /observations/passive": observations.Passive,
    "PATCH /observations/{}": observations.Change,
    "POST /topic-keys/suggest": service.Suggestion,
    "POST /review/mark_reviewed": review.Reviewed,
    "POST /prompts": prompts.Save,
    "POST /conflicts/judge": conflicts.Verdict,
    "POST /conflicts/compare": conflicts.Comparison,
    "POST /conflicts/scan": conflicts.Scan,
    "POST /projects/rescue-ownership": projects.Rescue,
    "POST /projects/migrate": projects.Rescue,
}
BODILESS = {"POST /conflicts/deferred/replay", "POST /import"}
"""`/import` reads a document of its own, which its schema would not fit."""

_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"anyOf": [{"type": "integer"}, _TEXT]}
_FLAG: Json = {"enum": ["true", "false", "1", "0", "yes", ""]}
_KNOWN: Json = {"anyOf": [{"enum": ["1", "2", "3", "s1"]}, {"type": "integer"}, {"type": "string", "minLength": 1}]}
"""Ids: those that there are, and any other."""
_PROJECT: Json = {"anyOf": [{"enum": ["harbor", "tide"]}, _TEXT]}

_SHAPES: dict[str, Json] = {
    "project": _PROJECT,
    "all_projects": _FLAG,
    "expected_project": _PROJECT,
    "scope": {"anyOf": [{"enum": ["project", "personal", "global"]}, _TEXT]},
    "q": {"anyOf": [{"enum": ["lease", "lease/port", '"two ports" -lease', "type:bugfix"]}, _TEXT]},
    "match_mode": {"enum": ["all", "any", "", "none"]},
    "sort": {"enum": ["created_at:desc", "", "title"]},
    "status": {"anyOf": [{"enum": ["pending", "judged", "deferred"]}, _TEXT]},
    "since": {"anyOf": [{"type": "string", "format": "date-time"}, _TEXT]},
    "hard": _FLAG,
    "compact": _FLAG,
    "session_id": _KNOWN,
    "observation_id": _KNOWN,
    "operation_id": {"anyOf": [{"enum": ["op-1"]}, _TEXT]},
}
_NUMBERS = {"limit", "offset", "before", "after", "max_bytes", "observations", "prompts", "sessions", "pinned"}

_SCOPED = "project all_projects cwd"
_QUERY = {
    "GET /stats": _SCOPED,
    "GET /project/current": "cwd",
    "GET /sync/status": "all_projects",
    "GET /doctor": f"{_SCOPED} check",
    "GET /sessions/recent": f"{_SCOPED} limit",
    "GET /observations": f"{_SCOPED} scope limit sort",
    "GET /observations/recent": f"{_SCOPED} scope limit",
    "GET /observations/save-result": "operation_id",
    "PATCH /observations/{}": "expected_project",
    "DELETE /observations/{}": "expected_project hard",
    "GET /search": f"{_SCOPED} q type scope limit match_mode",
    "GET /timeline": f"{_SCOPED} observation_id before after",
    "GET /review": f"{_SCOPED} limit",
    "GET /prompts/recent": f"{_SCOPED} limit",
    "GET /prompts/search": f"{_SCOPED} q limit",
    "GET /context": f"{_SCOPED} scope observations prompts sessions pinned compact max_bytes",
    "GET /context/compaction": "session_id",
    "GET /conflicts": f"{_SCOPED} status since limit offset",
    "GET /conflicts/stats": _SCOPED,
    "GET /conflicts/deferred": "status limit offset",
    "GET /export": _SCOPED,
}
"""The names that a route reads in its query."""


def line(route: Route) -> str:
    return f"{route.method} /{'/'.join(route.template)}"


def document() -> Json:
    """Return the whole document."""
    paths: dict[str, Json] = {}
    for route in ROUTES:
        path = "/" + "/".join("{id}" if part == ID else part for part in route.template)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    return {"openapi": "3.1.0", "info": {"title": "Engram", "version": "1"}, "paths": paths}


def _operation(route: Route) -> Json:
    names = _QUERY.get(line(route), "").split()
    query = [{"name": name, "in": "query", "schema": _shape(name)} for name in names]
    own = [{"name": "id", "in": "path", "required": True, "schema": _KNOWN}] if ID in route.template else []
    told: Json = {"parameters": own + query, "responses": {"default": {"description": "anything"}}}
    shape = BODIES.get(line(route))
    if shape:
        told["requestBody"] = {"content": {"application/json": {"schema": shape.model_json_schema()}}}
    return told


def _shape(name: str) -> Json:
    return _NUMBER if name in _NUMBERS else _SHAPES.get(name, _TEXT)
