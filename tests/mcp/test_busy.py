from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from memory.models import Observation
from tests.mcp.callers import make_caller, read, refused

pytestmark = pytest.mark.django_db(transaction=True)

_IMPATIENT = {"sqlite": "PRAGMA busy_timeout = 1", "postgresql": "SET lock_timeout = 50"}
_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN; LOCK TABLE memory_observation IN EXCLUSIVE MODE"}


@contextmanager
def _another_writer() -> Iterator[None]:
    """Hold the lock that a writer needs, as another process would, and wait for it no longer than a moment."""
    other = connection.copy()
    with connection.cursor() as ours, other.cursor() as theirs:
        ours.execute(_IMPATIENT[connection.vendor])
        theirs.execute(_LOCK[connection.vendor])
        yield
        theirs.execute("ROLLBACK")
    other.close()
    connection.close()  # the next test opens it with its own patience


def test_a_busy_database_is_one_error_and_can_be_read() -> None:
    agent = make_caller()
    row = read(agent, "mem_save", title="A", content="B")
    with _another_writer():
        assert refused(agent, "mem_save", title="C", content="D") == (
            "Failed to save: The database is busy; try again in a moment."
        )
        assert refused(agent, "mem_pin", id=row["id"]).endswith("The database is busy; try again in a moment.")
        assert read(agent, "mem_get_observation", id=row["id"])["project"] == "harbor"
        assert read(agent, "mem_context")["result"]
    assert Observation.objects.count() == 1
    read(agent, "mem_save", title="C", content="D")
