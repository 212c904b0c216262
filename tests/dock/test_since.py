"""From where on the feed tells a page: nothing that is committed while the page is read may be lost between the two."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from memory import changes
from memory.changes import Note
from memory.models import Change, Project

PAGES = [
    "/dock/",
    "/dock/search/?q=lease",
    "/dock/journals/?project=harbor-api",
    "/dock/journals/2026-01-14/",
    "/dock/sessions/",
    "/dock/sessions/37b35626-639d-490e-acfe-cb93621f0837/",
    "/dock/skills/",
    "/dock/skills/harbor-api/import-tide-tables/",
    "/dock/documents/",
    "/dock/documents/harbor-api/PROJECT.md/",
    "/dock/files/harbor-api/",
    "/dock/health/",
    "/dock/projects/add/",
]


@contextmanager
def somebody_writes_during_the_first_reading() -> Iterator[None]:
    """Commit a change right after the first query for anything that pages show."""
    is_over = False

    def write(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        nonlocal is_over
        found = execute(sql, *rest)
        if not is_over and "memory_" in sql and "memory_change" not in sql:
            is_over = True
            with transaction.atomic():
                changes.append([Note("entry.added", "entry:1", "Moored")], project=None, at=timezone.now())
        return found

    with connection.execute_wrapper(write):
        yield
    assert is_over


@pytest.mark.parametrize("path", PAGES)
def test_a_change_committed_while_a_page_is_read_is_told_afterwards(
    browser: Client, sample: Project, path: str
) -> None:
    before = changes.latest()

    with somebody_writes_during_the_first_reading():
        response = browser.get(path)

    assert response.status_code == 200
    found = re.search(r'data-live-since="(\d+)"', response.content.decode())
    assert found
    assert [change.title for change in Change.objects.filter(pk__gt=found[1])] == ["Moored"]
    assert int(found[1]) == before


def test_a_fragment_asks_no_more_than_it_shows(browser: Client, sample: Project) -> None:
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        browser.get("/dock/sessions/", headers={"HX-Request": "true"})

    assert asked
    assert not any("memory_change" in sql for sql in asked)
