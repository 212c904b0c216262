"""Why something cannot be taken as an artifact."""

from __future__ import annotations


class ArtifactError(ValueError):
    """One item that cannot be taken; the message is a few words for the agent and the person behind it."""


class Gone(ArtifactError):
    """An artifact that is not there, or not any more."""


class Stopped(Exception):
    """Nobody waits for the rest any more."""
