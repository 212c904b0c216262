"""Tools by which an agent says that a session starts and ends."""

from __future__ import annotations

from pydantic import Field

from memory.api.engram.sessions import RESERVED
from memory.engram import sessions
from memory.engram.errors import EngramError, SessionEnded
from memory.mcp import choosing
from memory.mcp.answers import Answer, enveloped, quoted
from memory.mcp.arguments import Arguments, Line, Text
from memory.mcp.caller import Call
from memory.mcp.places import EVERYWHERE, Place, of_session
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool
from memory.models.token import Scope
from memory.projects import detection


class Start(Arguments):
    id: Line = Field(description="Your own unique id of the session; none is made up for you.")
    directory: Line = Field("", description="The directory you work in, absolute.")


@tool("Start Session", needs=Scope.WRITE, failing="Failed to start session: ", is_idempotent=True)
def mem_session_start(call: Call, asked: Start) -> Answer:
    """Register a session under an id of yours, or renew it. Agents whose hooks do that need not call it.

    Afterwards the tools that save take this id as session_id. Without a session_id they use the one session that lives
    in your directory, or one for saves without a session.
    """
    if asked.id == RESERVED:
        raise Refusal(f'the session id "{RESERVED}" is reserved')
    directory = asked.directory.strip()
    place = choosing.placed(call, detection.current(directory)) if directory else choosing.here(call)
    call.caller.activity.called(call.key(place.name), at=call.at)
    try:
        sessions.register(id=asked.id, project=place.name, directory=directory or call.caller.directory, at=call.at)
    except SessionEnded as exc:
        message = f"Session {quoted(asked.id)} has already ended. Choose a new session ID and retry mem_session_start."
        raise Refusal(message, exc.code, session_id=asked.id) from exc
    return enveloped(place, f"Session {quoted(asked.id)} started for project {quoted(place.name)}")


class End(Arguments):
    id: Line = Field(description="Id of the session.")
    summary: Text = Field("", description="What it came to.")


@tool("End Session", needs=Scope.WRITE, failing="Failed to end session: ", is_idempotent=True)
def mem_session_end(call: Call, asked: End) -> Answer:
    """Say that a session is over, with what it came to."""
    if not asked.id.strip():
        raise Refusal("id is required")
    sessions.end(id=asked.id, summary=asked.summary, at=call.at)
    place = _place(call, asked.id)
    call.caller.activity.ended(call.key(place.name))
    return enveloped(place, f"Session {quoted(asked.id)} completed")


def _place(call: Call, session: str) -> Place:
    """Return the session's project, or else the client's; that there may be neither is no reason to refuse an end."""
    if found := sessions.find(session):
        return of_session(found)
    try:
        return choosing.here(call)
    except (Refusal, EngramError):
        return EVERYWHERE
