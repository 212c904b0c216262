"""The moments of an agent's loop: what is told of each, and what may be routed by.

`data` is all that can be seen at a moment, exactly: `{agent, session: {header}, …}`. Scope and workspace are those of
the session; nothing that a model wrote is among them. Source: dsh-patchouli, `packages/agent-loop`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.agent_loop import NAME, turns
from memory.agent_loop.errors import BadObservation
from memory.agent_loop.policy import Switch
from memory.engram.redaction import redact_all
from memory.projects import directories
from memory.service.types import Meta, Source
from memory.service.values import Json, copied

SESSION_START, PRE_STEP, TURN_END = "agent/session-start", "agent/pre-step", "session/turn-end"
TOOL_RETRIEVE, TOOL_UPDATE = "tool/memory-retrieve", "tool/memory-update"

LARGEST = 32 * 1024 * 1024
"""Bytes of one observation; connectors shorten enormous texts."""

SOURCE = Source("agent-loop", NAME)

_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")

type Object = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Point:
    """One moment: the switch that it needs, and what is told beside agent and session.

    Of `fields` the `numbers` are routed by, too; `has_events` where the session's events of the turn belong to it.
    """

    name: str
    switch: Switch
    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    has_events: bool = False

    @property
    def is_asked(self) -> bool:
        """Tell whether the plugins are asked there; else they are told."""
        return self.switch[0] == "retrieve"


_STEP = ("turn", "step")
_CALL = ("execution", "result")

POINTS: Mapping[str, Point] = {
    point.name: point
    for point in (
        Point(SESSION_START, ("retrieve", "session_start"), ("source",)),
        Point(PRE_STEP, ("retrieve", "pre_step"), (*_STEP, "messages"), numbers=_STEP),
        Point("agent/turn-stopping", ("retrieve", "turn_stopping"), ("turn",), numbers=("turn",), has_events=True),
        Point("tools/post-execute", ("retrieve", "tool_post_execute"), (*_CALL, "decision")),
        Point("agent/created", ("store", "agent_created")),
        Point("agent/disposed", ("store", "agent_disposed")),
        Point(
            "agent/request-error",
            ("store", "request_error"),
            (*_STEP, "provider", "failure"),
            ("retryPolicy",),
            numbers=_STEP,
        ),
        Point("agent/error", ("store", "agent_error"), (*_STEP, "error"), numbers=_STEP),
        Point(TURN_END, ("store", "turn_end"), ("event", "events")),
        Point("tools/result", ("store", "tool_result"), _CALL),
    )
}


@dataclass(frozen=True, slots=True)
class Session:
    """Whose loop it is: the agent's own id of the session, and its working directory, "" for none."""

    id: str
    cwd: str = ""

    @property
    def scope(self) -> str:
        return self.cwd or self.id

    def meta(self, point: str, *, request_id: str = "", **extra: Json) -> Meta:
        """Return what a call at a point may be routed by."""
        place: Object = {"workspaceRoot": self.cwd} if self.cwd else {}
        attributes: Object = {"point": point, "sessionId": self.id} | place | extra
        return Meta(SOURCE, self.scope, request_id=request_id, attributes=attributes)


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen at a point, private blocks taken out."""

    point: Point
    session: Session
    data: Object
    extra: Object

    def meta(self, *, request_id: str = "") -> Meta:
        return self.session.meta(self.point.name, request_id=request_id, **self.extra)


def session(id: object, cwd: object) -> Session:  # noqa: A002 - the wire's word
    """Read whose loop it is. Raises BadObservation."""
    told = "" if cwd is None else cwd
    for value, field in ((id, "session.id"), (told, "session.cwd")):
        if not isinstance(value, str) or _NO_TEXT.search(value):
            raise BadObservation("is no text", field)
    if not str(id).strip():
        raise BadObservation("is blank", "session.id")
    directory = str(told) if str(told).strip() else ""
    if directory and not directories.chain(directory):
        raise BadObservation("is no absolute path", "session.cwd")
    return Session(str(id), directory)


def observation(name: str, told: object) -> Observation:
    """Read what was seen at a point; a turn has to be whole. Raises BadObservation."""
    point = POINTS.get(name)
    if point is None:
        raise BadObservation(f"is none of {', '.join(POINTS)}", "point")
    try:
        data = _object(redact_all(copied(told)), "data")
    except ValueError as exc:
        raise BadObservation(f"cannot be told ({exc})", "data") from exc
    header = _header(point, data)
    _check(point, data)
    extra: Object = {name: data[name] for name in point.numbers}
    if point.name == TURN_END:
        extra = turns.facts(data)
    return Observation(point, session(header.get("id"), header.get("cwd")), data, extra)


def _header(point: Point, data: Object) -> Object:
    told = _object(data.get("session"), "data.session")
    known = {"header", "events"} if point.has_events else {"header"}
    if told.keys() != known:
        raise BadObservation(f"has other fields than {' and '.join(sorted(known))}", "data.session")
    return _object(told["header"], "data.session.header")


def _check(point: Point, data: Object) -> None:
    """Make sure that everything is there that belongs to the point, and nothing else."""
    _object(data.get("agent"), "data.agent")
    needed = {"agent", "session", *point.fields}
    for name in sorted(needed ^ data.keys()):
        if name not in point.optional:
            raise BadObservation("is missing" if name in needed else f"does not belong to {point.name}", f"data.{name}")
    for name in point.numbers:
        if not turns.is_number(data[name]):
            raise BadObservation("is no number", f"data.{name}")
    if point.name == PRE_STEP and not isinstance(data["messages"], list):
        raise BadObservation("is no list", "data.messages")


def _object(value: Json, name: str) -> Object:
    if not isinstance(value, dict):
        raise BadObservation("is no object", name)
    return value
