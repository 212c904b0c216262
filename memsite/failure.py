"""What a person is told when MemDock cannot start."""

from __future__ import annotations


class Failure(Exception):
    """The operation failed; the message is one line for a person."""
