"""Finds the project of a call (Engram's order: what it names, its session's, what the client was started for, detection)."""

from __future__ import annotations

from pydantic import Field

from memory.engram import naming, ownership, sessions, stats
from memory.mcp.arguments import Arguments, Line
from memory.mcp.caller import Call
from memory.mcp.choice import CHOSEN, ambiguous, chosen
from memory.mcp.places import EVERYWHERE, Place, of_session
from memory.mcp.refusals import Refusal
from memory.models import Project, Session
from memory.projects import bindings, detection, names, queries
from memory.projects.detection import Detected

_READERS_HINT = (
    "Ask the user which project is meant, then repeat the call with that name as project; or work inside one of the "
    "repositories, or name the project in .engram/config.json."
)


class Placed(Arguments):
    """The arguments by which a write says where it belongs."""

    session_id: Line = Field(
        "",
        description="Id of a session that was registered by the agent's hooks or mem_session_start. Leave it out unless "
        "you were given one; never invent one.",
    )
    project: Line | None = Field(
        None,
        description="Name of the project, when it is not the one you work in. It must be known already: an existing "
        "project, the session's, or the one detected here.",
    )
    project_choice_reason: Line = Field(
        "",
        description=f"Only {CHOSEN}, and only after the user chose one of available_projects of an ambiguous_project "
        "error.",
    )
    recovery_token: Line = Field("", description="The recovery_token of that ambiguous_project error.")


def for_reading(call: Call, named: str = "") -> Place:
    """Return the project that a reader wants, all of them where nothing says which.

    Raises Refusal, and EngramError where the directory's own word on its project cannot be used.
    """
    if named.strip():
        name = canonical(named)
        found = queries.find(name)
        if found is None:
            raise Refusal(f'Project "{name}" not found in store', "unknown_project", available=_known())
        return Place(project=found, source="explicit_override")
    if not call.caller.override and not call.caller.directory:
        return EVERYWHERE
    try:
        return here(call)
    except Refusal as exc:
        exc.hint = _READERS_HINT if exc.code == "ambiguous_project" else exc.hint
        raise


def for_writing(call: Call, asked: Placed) -> Place:
    """Return the project that a write belongs to. Raises Refusal and EngramError; nothing is guessed."""
    session = sessions.find(asked.session_id) if asked.session_id.strip() else None
    if asked.session_id.strip() and session is None:
        return _unregistered(call, asked)
    if asked.project is not None:
        return _explicit(call, asked, asked.project, session)
    if session and naming.wire_name(session.project):
        return of_session(session)
    return here(call, asked.session_id)


def here(call: Call, session: str = "") -> Place:
    """Return the project that the client was started for, or that of its directory. Raises Refusal, EngramError."""
    if override := call.caller.override:
        return Place(project=_project(canonical(override)), source="process_override", path=call.caller.directory)
    if not call.caller.directory:
        message = "No project is named, and none can be detected: this server does not see where you work."
        raise Refusal(message, "project_required", available=_known())
    return placed(call, detection.current(call.caller.directory), session)


def placed(call: Call, found: Detected, session: str = "") -> Place:
    """Return what was detected. Raises Refusal for a directory with several projects."""
    if found.error_hint:
        raise ambiguous(call, found, session)
    return Place(project=_project(found.project), source=found.source, path=found.path, warning=found.warning)


def canonical(name: str) -> str:
    """Return a project's name as it is stored. Raises Refusal for what can be none."""
    try:
        return bindings.plain_name(name)
    except names.InvalidName as exc:
        raise Refusal(f"Project {name.strip()[:200]!r} is invalid: {exc}", "invalid_project") from exc


def normalization(asked: str | None) -> str:
    """Return a line about a name that is stored in another spelling, in Engram's words, or ""."""
    if not asked or asked == names.canonical(asked):
        return ""
    return f'\n⚠️ Project name normalized: "{asked}" → "{names.canonical(asked)}"'


def _explicit(call: Call, asked: Placed, named: str, session: Session | None) -> Place:
    name = canonical(named)
    if session and not ownership.is_named(session.project, name):
        owner = naming.wire_name(session.project)
        message = f'Session "{asked.session_id}" belongs to project "{owner}", but request targeted "{name}"'
        raise Refusal(message, "session_project_mismatch", available=[owner] if owner else [])
    detected = _detected(call) if asked.project_choice_reason == CHOSEN else None
    if detected and detected.error_hint:
        return chosen(call, asked.session_id, asked.recovery_token, detected, name)
    if found := queries.find(name):
        return Place(project=found, source="explicit_override", path=session.directory if session else "")
    return _backed(call, asked, name)


def _backed(call: Call, asked: Placed, name: str) -> Place:
    """Accept a new name where the client or its directory says the same."""
    detected = _detected(call)
    if detected and detected.error_hint:
        raise ambiguous(call, detected, asked.session_id)
    backing = {detected.project if detected else "", names.canonical(call.caller.override)}
    if name in backing:
        return Place(project=_project(name), source="explicit_override", path=detected.path if detected else "")
    raise Refusal(
        f'Project "{name}" is not backed by known context. Use an existing project, a matching session, '
        "repo .engram/config.json, or ambiguous-project recovery.",
        "unknown_project",
        available=sorted({*_known(), *backing} - {""}),
    )


def _unregistered(call: Call, asked: Placed) -> Place:
    """Register a session whose project a person just chose; refuse any other id that nobody registered."""
    detected = _detected(call)
    if not (detected and detected.error_hint):
        raise Refusal(
            f'Session "{asked.session_id}" was provided but does not exist',
            "unknown_session",
            available=_known(),
            invalid_session_id=asked.session_id,
            retry_without_session_id=True,
        )
    if not asked.project or asked.project_choice_reason != CHOSEN:
        raise ambiguous(call, detected, asked.session_id)
    place = chosen(call, asked.session_id, asked.recovery_token, detected, canonical(asked.project))
    sessions.register(
        id=asked.session_id, project=place.name, directory=place.path, ownership_mode="project_owned", at=call.at
    )
    return place


def _detected(call: Call) -> Detected | None:
    """Detect by directory, where there is one and nothing comes before it."""
    if call.caller.override or not call.caller.directory:
        return None
    return detection.current(call.caller.directory)


def _project(name: str) -> Project:
    return queries.find(name) or Project(pk=0, name=name)


def _known() -> list[str]:
    return [one.name for one in stats.projects()]
