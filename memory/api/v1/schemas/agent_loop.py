"""What connectors tell and ask of agents' loops as JSON, in the words of dsh-patchouli."""

from __future__ import annotations

from typing import Any, Literal

from ninja import Schema
from pydantic import Field


class Whose(Schema):
    """A session of an agent."""

    session: str = Field(description="The agent's own id of its session.")
    cwd: str = Field("", description="Its working directory, as the agent sees it.")


class RecallPolicy(Schema):
    """How the agent is told what was retrieved before a step."""

    form: str
    everyStep: bool
    budget: int


class Policy(Schema):
    """What is switched on for a session's project, and which of its turns come next."""

    retrieve: dict[str, bool]
    store: dict[str, bool]
    modelTools: dict[str, bool]
    recall: RecallPolicy
    nextSeq: int = Field(description="Number of the first event after the last turn that was taken; 0 for none.")


class Observed(Schema):
    """What was seen at a moment of the loop."""

    point: str = Field(examples=["session/turn-end"])
    data: dict[str, Any] = Field(description="`{agent, session: {header}, …}`, exactly what belongs to the point.")
    requestId: str = Field("", max_length=500, description="What makes an update the same when it comes again.")


class Block(Schema):
    """A piece of a message."""

    type: Literal["text"]
    text: str


class Message(Schema):
    """What the agent is told: one JSON document."""

    role: str
    content: list[Block]
    source: dict[str, str]


class Answer(Schema):
    """What is known at a moment; without a message `reason` says why."""

    message: Message | None
    reason: str = ""


class Taken(Schema):
    """What became of an update."""

    state: Literal["queued", "known", "off"]


class LoopSession(Schema):
    """Whose loop a tool is called in; from the session, never from the model."""

    id: str
    cwd: str | None = None


class ToolCall(Schema):
    """A call of a model."""

    session: LoopSession
    arguments: dict[str, Any]
    callId: str = Field("", max_length=500, description="The agent's id of the call; the same one changes nothing.")


class Output(Schema):
    """What the model is told: the JSON of one outcome a plugin."""

    output: str


class Flush(Schema):
    """Whose updates are waited for."""

    session: str
    seconds: float = Field(3.0, ge=0, le=30)


class Flushed(Schema):
    """Whether all of them are delivered, or set aside for later."""

    flushed: bool
