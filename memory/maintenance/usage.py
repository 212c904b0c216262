"""What upkeep may cost: its runs count towards the daily limit of captures, since both ask models."""

from __future__ import annotations

from datetime import datetime

from memory.capture import usage
from memory.capture.summarizers.base import Unavailable
from memory.configuration.memsearch import Configuration


def check(configuration: Configuration, *, at: datetime) -> None:
    """Raise Unavailable when today's summaries and runs have reached a daily limit. At most four queries."""
    if reason := usage.reached(configuration, "summaries and upkeep runs", at=at):
        raise Unavailable(reason)
