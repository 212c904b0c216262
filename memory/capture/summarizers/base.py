"""What every summarizer gives, and how it says that it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from memory.models import Capture


class Unavailable(Exception):
    """There is no summary; the message is MemSearch's reason, without an end (`summarizer timed out`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a model said, and what that cost; unknown counts are 0, an unknown price is None.

    Of a summarizer it is bullets, one a line.
    """

    text: str
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal | None = None


class Summarizer(Protocol):
    """Summarizes one turn."""

    name: str

    def summarize(self, capture: Capture, *, agent_name: str) -> Summary:
        """Return the summary of `capture.rendered`. Raises Unavailable; never falls back to anything else."""
        ...
