"""What a person reads when the database is in the way, and when we made a mistake."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.test import Client

from memory import trouble
from memory.models import Observation
from tests.databases import another_writer
from tests.memory.engram.makers import make_observation

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_a_locked_database_is_a_page_with_503_and_nothing_is_done(browser: Client) -> None:
    row = make_observation()
    browser.raise_request_exception = False
    with another_writer("memory_observation"):
        answer = browser.post(f"/dock/memories/{row.pk}/pin/", {"pinned": "1"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert "The database is busy" in answer.content.decode()
    assert not Observation.objects.get().is_pinned


def test_a_mistake_of_ours_is_a_500(browser: Client) -> None:
    browser.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("SAVEPOINT before")
        cursor.execute(f"ALTER TABLE {Observation._meta.db_table} RENAME TO lost")
    answer = browser.get("/dock/memories/")
    assert answer.status_code == 500
    assert "MemDock made a mistake" in answer.content.decode()
    with connection.cursor() as cursor:
        cursor.execute("ROLLBACK TO SAVEPOINT before")


def test_a_database_that_cannot_be_reached_is_away() -> None:
    other = connection.copy()
    place = "NAME" if connection.vendor == "sqlite" else "HOST"
    other.settings_dict = other.settings_dict | {place: "/no/such/folder/at-all"}
    with pytest.raises(OperationalError) as caught:
        other.ensure_connection()
    assert trouble.of(caught.value) == "away"
    assert trouble.of(OperationalError("not of a driver")) == trouble.of(ValueError()) == trouble.of(None) == ""
