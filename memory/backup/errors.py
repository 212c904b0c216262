"""What keeps a backup from being made or put back."""

from __future__ import annotations


class CannotBackUp(Exception):
    """No backup was made; the message is one sentence."""


class CannotRestore(Exception):
    """The backup cannot be put back; the message is one sentence, and unless it says otherwise nothing was changed."""
