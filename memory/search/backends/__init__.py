"""Where words are kept: a text index for each database, and Milvus beside it where that is chosen."""

from __future__ import annotations

from django.db import connection

from memory.search.backends.base import Backend
from memory.search.backends.milvus import asking
from memory.search.backends.milvus import connection as milvus
from memory.search.backends.milvus.backend import MilvusBackend, trouble
from memory.search.backends.postgres import PostgresBackend
from memory.search.backends.sqlite import SqliteBackend


def current() -> Backend:
    """Return the backend of the database in use."""
    local: Backend = PostgresBackend() if connection.vendor == "postgresql" else SqliteBackend()
    return MilvusBackend(local) if milvus.is_chosen() else local


def understands() -> bool:
    """Tell whether something may be found that has none of the question's words."""
    return milvus.is_chosen()


def hint() -> str:
    """Say what the last search of this thread had to do without; "" when that is nothing."""
    told = trouble() if milvus.is_chosen() else ""
    return f"Milvus could not be asked; this was found by words alone. {told}" if told else ""


def warm() -> None:
    """Load what a search needs and takes seconds, before somebody waits for it."""
    asking.warm()
