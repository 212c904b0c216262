"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

type State = Literal["ok", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: `text` is a sentence about how things are, `hint` says what to do ("" when nothing is to do)."""

    name: str
    title: str
    state: State
    text: str
    hint: str = ""
