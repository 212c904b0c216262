"""Keyset pages."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Project, Session
from memory.paging import BadCursor, page
from memory.sessions.queries import ORDER

START = datetime(2026, 1, 5, tzinfo=UTC)


def make_sessions(count: int) -> None:
    project = Project.objects.create(name="harbor")
    for index in range(count):
        at = START + timedelta(minutes=index // 2)  # pairs share their time: the key alone decides
        key = f"s{index}"
        Session.objects.create(project=project, key=key, external_id=key, started_at=at, last_activity_at=at)


@pytest.mark.django_db
@pytest.mark.parametrize("limit", [1, 3, 7, 20])
def test_pages_forwards_give_everything_once_and_in_order(limit: int) -> None:
    make_sessions(7)
    seen, cursor = [], ""
    while True:
        found = page(Session.objects.all(), order=ORDER, limit=limit, cursor=cursor)
        seen += [row.key for row in found.items]
        cursor = found.next
        if not cursor:
            break

    assert seen == ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]


@pytest.mark.django_db
def test_pages_backwards_lead_to_the_first_page() -> None:
    make_sessions(7)
    first = page(Session.objects.all(), order=ORDER, limit=3)
    second = page(Session.objects.all(), order=ORDER, limit=3, cursor=first.next)
    back = page(Session.objects.all(), order=ORDER, limit=3, cursor=second.previous)

    assert [row.key for row in back.items] == [row.key for row in first.items]
    assert (first.previous, back.previous) == ("", "")
    assert back.next == first.next


@pytest.mark.django_db
def test_new_rows_do_not_shift_a_page() -> None:
    make_sessions(4)
    first = page(Session.objects.all(), order=ORDER, limit=2)
    at = START + timedelta(days=1)
    Session.objects.create(
        project=Project.objects.get(), key="new", external_id="new", started_at=at, last_activity_at=at
    )

    second = page(Session.objects.all(), order=ORDER, limit=2, cursor=first.next)

    assert [row.key for row in second.items] == ["s1", "s0"]


@given(
    st.one_of(st.text(max_size=40), st.binary(max_size=40).map(lambda data: base64.urlsafe_b64encode(data).decode()))
)
def test_a_made_up_cursor_is_refused(cursor: str) -> None:
    if not cursor:
        return
    with pytest.raises(BadCursor):
        page(Session.objects.all(), order=ORDER, limit=2, cursor=cursor)


@pytest.mark.parametrize(
    "text",
    [
        "[0]",
        "[2,1,1]",
        '[0,"2026-01-01",{}]',
        '[0,"x",1]',
        "[" * 5000,
        '[0,"2026-01-01T00:00:00",1]',
        '[0,"\\u0000",1]',
    ],
)
def test_a_cursor_of_the_wrong_shape_is_refused(text: str) -> None:
    with pytest.raises(BadCursor):
        page(Session.objects.all(), order=ORDER, limit=2, cursor=base64.urlsafe_b64encode(text.encode()).decode())
