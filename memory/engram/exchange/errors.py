"""Why something cannot be imported; the messages are sentences for people."""

from __future__ import annotations


class CannotImport(ValueError):
    """A source, or a file of one, of which nothing can be read."""


class NotJson(CannotImport):
    """A text that is no JSON object; the message says where it ends to be one."""
