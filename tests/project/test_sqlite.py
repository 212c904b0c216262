"""How writers of SQLite wait for their turn."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest
from django.db import OperationalError, connection, transaction

from memory.models import Marker
from tests.databases import another_writer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has its own locks"),
]


def patience() -> int:
    with connection.cursor() as cursor:
        [found] = cursor.execute("PRAGMA busy_timeout").fetchone()
    return int(found)


def test_who_waits_writes_as_soon_as_the_other_one_is_done() -> None:
    usual = patience()
    other = connection.copy()
    with closing(other), other.cursor() as theirs:
        other.inc_thread_sharing()
        theirs.execute("BEGIN IMMEDIATE")
        end = threading.Timer(0.2, other.connection.execute, ["COMMIT"])
        end.start()
        with transaction.atomic():
            Marker.objects.create(name="ours", value=1)
        end.join()
    assert Marker.objects.filter(name="ours").exists()
    assert patience() == usual


def test_who_waits_in_vain_is_told_and_waits_the_next_time_as_before() -> None:
    with another_writer("memory_marker"):
        usual = patience()
        with pytest.raises(OperationalError, match="locked"), transaction.atomic():
            Marker.objects.create(name="ours", value=1)
        assert patience() == usual
    with transaction.atomic():
        Marker.objects.create(name="ours", value=1)
