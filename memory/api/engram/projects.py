"""`/project/current` and `/projects…`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now

from memory.api.engram.bodies import Body, Id, Text, read
from memory.api.engram.parameters import text
from memory.api.engram.replies import Refusal, reply, without_empty
from memory.audit import Actor
from memory.engram import rescue, stats
from memory.projects import detection

_CLIENT = Actor(user=None, label="client of Engram's wire")


class Rescue(Body):
    """The body of `POST /projects/rescue-ownership`; with `old_project` it asks for a new name instead."""

    target_project: Text = ""
    confirmed: bool = False
    observation_ids: list[Id] = []
    session_ids: list[Text] = []
    prompt_ids: list[Id] = []
    old_project: Text | None = None
    new_project: Text = ""


def current(request: HttpRequest) -> HttpResponse:
    """Tell the project of a directory; `error_hint` is there only when there is an error."""
    found = detection.current(text(request, "cwd"))
    told = {
        "project": found.project,
        "project_source": found.source,
        "project_path": found.path,
        "cwd": found.cwd,
        "available_projects": list(found.available),
        "warning": found.warning,
        "error_hint": found.error_hint,
    }
    return reply(without_empty(told, "warning", "error_hint"))


def index(request: HttpRequest) -> HttpResponse:
    rows = [
        {
            "name": one.name,
            "observation_count": one.observations,
            "session_count": one.sessions,
            "prompt_count": one.prompts,
            "directories": one.directories,
        }
        for one in stats.projects()
    ]
    return reply({"projects": rows, "count": len(rows)})


def rescue_ownership(request: HttpRequest) -> HttpResponse:
    body = read(request, Rescue)
    if body.old_project is not None:
        return _renamed(body.old_project, body.new_project)
    if not body.confirmed:
        raise Refusal(400, "confirmed must be true")
    found = rescue.rescue(
        target=body.target_project,
        observations=body.observation_ids,
        sessions=body.session_ids,
        prompts=body.prompt_ids,
        actor=_CLIENT,
        at=now(),
    )
    is_complete = not found.blocked and not found.conflicting
    return reply(
        {
            "status": "rescued" if is_complete else "partially_rescued",
            "complete": is_complete,
            "blocked": found.blocked,
            "target_project": found.project.name,
            "rescued_observations": found.observations,
            "rescued_sessions": found.sessions,
            "rescued_prompts": found.prompts,
            "conflicting_records": found.conflicting,
            "skipped_records": found.skipped,
            "journaled_local": 0,
            "reconciliation_status": "background sync is not configured",
        }
    )


def _renamed(old: str, new: str) -> HttpResponse:
    done = rescue.rename(old=old, new=new, actor=_CLIENT, at=now())
    if done.reason:
        return reply({"status": "skipped", "reason": done.reason})
    counts = {"observations": done.observations, "sessions": done.sessions, "prompts": done.prompts}
    return reply({"status": "migrated", "old_project": old, "new_project": new, **counts})
