"""What can go wrong with facts; `reason` is what a program goes by (Patchouli's names)."""

from __future__ import annotations

from collections.abc import Sequence


class FactError(ValueError):
    """A fact that cannot be read or written; the message is for people."""

    reason = "INVALID_REQUEST"


class InvalidFact(FactError):
    """A value that its schema refuses, or a request that lacks something."""


class FactNotFound(FactError):
    """A fact that never was in this scope."""

    reason = "NOT_FOUND"


class VersionConflict(FactError):
    """Somebody else wrote first; `current` are the versions that are the heads now."""

    reason = "VERSION_CONFLICT"

    def __init__(self, message: str, current: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.current = tuple(current)
