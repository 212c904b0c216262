from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils.timezone import now
from pytest_django import DjangoCaptureOnCommitCallbacks

from memory import changes
from memory.changes import Note, ResetRequired
from memory.models import Change, Project

AT = now()


def _append(*refs: str, project: Project | None = None, days_ago: int = 0) -> None:
    with transaction.atomic():
        notes = [Note("entry.added", ref, f"About {ref}") for ref in refs]
        changes.append(notes, project=project, at=AT - timedelta(days=days_ago))


def _refs(cursor: int = 0, *, project: Project | None = None) -> list[str]:
    return [change.ref for change in changes.after(cursor, project=project)]


@contextmanager
def _counting_rings() -> Iterator[list[object]]:
    rings: list[object] = []

    def count(**signal: object) -> None:
        rings.append(signal)

    changes.rung.connect(count)
    try:
        yield rings
    finally:
        changes.rung.disconnect(count)


def test_tells_what_came_after_a_cursor_in_order(db: None) -> None:
    _append("entry:1", "entry:2")
    cursor = changes.latest()
    _append("entry:3")
    _append("entry:4", "entry:5")
    assert _refs(cursor) == ["entry:3", "entry:4", "entry:5"]
    assert [change.ref for change in changes.after(cursor, limit=2)] == ["entry:3", "entry:4"]
    assert _refs(changes.latest()) == []


def test_tells_one_project_alone(db: None) -> None:
    harbor, other = (Project.objects.create(name=name) for name in ["harbor", "other"])
    _append("entry:1", project=harbor)
    _append("entry:2", project=other)
    _append("entry:3")
    assert _refs(project=harbor) == ["entry:1"]


def test_cuts_long_texts_instead_of_losing_the_change(db: None) -> None:
    with transaction.atomic():
        changes.append([Note("session.started", "r" * 900, "t" * 900)], project=None, at=AT)
    change = Change.objects.get()
    assert (len(change.ref), len(change.title)) == (700, 200)


def test_belongs_to_a_transaction(transactional_db: None) -> None:
    with pytest.raises(RuntimeError):
        changes.append([Note("entry.added", "entry:1")], project=None, at=AT)
    assert not Change.objects.exists()


def test_rings_once_and_only_after_the_commit(transactional_db: None) -> None:
    with _counting_rings() as rings:
        with transaction.atomic():
            changes.append([Note("entry.added", "entry:1"), Note("entry.added", "entry:2")], project=None, at=AT)
            assert rings == []
        assert len(rings) == 1


def test_does_not_ring_for_nothing(
    db: None, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with _counting_rings() as rings, django_capture_on_commit_callbacks(execute=True):
        _append()
    assert rings == []


def test_forgets_a_change_with_its_transaction(transactional_db: None) -> None:
    with _counting_rings() as rings, pytest.raises(ZeroDivisionError), transaction.atomic():
        changes.append([Note("entry.added", "entry:1")], project=None, at=AT)
        raise ZeroDivisionError
    assert (rings, _refs()) == ([], [])


def test_knows_which_cursors_it_can_serve(db: None) -> None:
    _append("entry:1", "entry:2")
    for cursor in (0, changes.latest()):
        changes.check(cursor)
    for cursor in (-1, changes.latest() + 1):
        with pytest.raises(ResetRequired):
            changes.check(cursor)


def test_trims_old_changes_and_says_so(db: None) -> None:
    _append("entry:1", "entry:2", "entry:3", days_ago=40)
    _append("entry:4")
    first = changes.after(0)[0].pk
    assert changes.trim(before=AT - timedelta(days=30), keep=2) == 2
    assert _refs() == ["entry:3", "entry:4"]
    assert changes.floor() == first + 1
    with pytest.raises(ResetRequired):
        changes.check(first)
    changes.check(first + 1)


def test_trims_nothing_that_is_young_or_among_the_newest(db: None) -> None:
    _append("entry:1", days_ago=40)
    _append("entry:2")
    assert changes.trim(before=AT - timedelta(days=30), keep=10) == 0
    assert changes.trim(before=AT - timedelta(days=50), keep=0) == 0
    assert changes.floor() == 0


def test_gives_ids_in_the_order_of_commits(transactional_db: None) -> None:
    """Who appends second waits for the first commit, so a reader never sees 8 before 7."""
    order: list[str] = []
    is_appended, second_began = threading.Event(), threading.Event()

    def second() -> None:
        is_appended.wait()
        second_began.set()
        _append("entry:second")
        order.append("second")
        connection.close()

    thread = threading.Thread(target=second)
    thread.start()
    with transaction.atomic():
        changes.append([Note("entry.added", "entry:first")], project=None, at=AT)
        is_appended.set()
        second_began.wait()
        thread.join(timeout=0.2)
        assert order == []
    thread.join()
    assert _refs() == ["entry:first", "entry:second"]
