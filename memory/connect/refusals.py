"""Why a connection is not made."""

from __future__ import annotations


class CannotConnect(Exception):
    """Nothing was changed; the message is one sentence for people."""


class Unreadable(CannotConnect):
    """A configuration that cannot be edited without doubt; it is left as it is."""

    def __init__(self, why: str, *, line: int = 0, column: int = 0) -> None:
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(f"{place}{why}")
