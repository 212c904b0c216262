"""What filters of lists offer: tabs and options, with where they lead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tab:
    """One link of a `.tabs` row; `tone` marks a count that asks for something."""

    label: str
    url: str
    is_current: bool
    count: int | None = None
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a `<select>`."""

    value: str
    label: str
    is_selected: bool
