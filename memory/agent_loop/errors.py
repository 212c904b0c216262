"""What can be wrong with what an agent's connector tells of its loop."""

from __future__ import annotations


class BadObservation(ValueError):
    """An observation that cannot be taken; `field` names what is wrong."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class SwitchedOff(Exception):
    """The project's policy has this off; the message is one sentence for the model."""
