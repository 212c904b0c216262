"""What is said over the websockets (contract section 5)."""

from __future__ import annotations

from typing import Literal, TypedDict

from memory.api.shapes import ChangeJson


class Hello(TypedDict):
    """The first message; a peer that sends nothing for three heartbeats is closed."""

    type: Literal["hello"]
    latest: int
    heartbeat_s: float


class Changed(TypedDict):
    type: Literal["change"]
    change: ChangeJson


class Resync(TypedDict):
    """Something was missed: load the state anew; changes after `latest` follow."""

    type: Literal["resync"]
    latest: int


class Ping(TypedDict):
    type: Literal["ping"]


type Message = Hello | Changed | Resync | Ping
