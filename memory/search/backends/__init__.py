"""Where words are kept: a text index for each database."""

from __future__ import annotations

from django.db import connection

from memory.search.backends.base import Backend
from memory.search.backends.postgres import PostgresBackend
from memory.search.backends.sqlite import SqliteBackend


def current() -> Backend:
    """Return the backend of the database in use."""
    return PostgresBackend() if connection.vendor == "postgresql" else SqliteBackend()
