"""Memories that are looked at again after some months."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.audit import COMMAND
from memory.engram import observations, review
from memory.engram.errors import NotFound
from memory.models import AuditEntry, Observation, Project
from tests.memory.engram.makers import make_observation, told

AT = datetime(2026, 7, 31, 9, 0, tzinfo=UTC)
TYPES = ["decision", "policy", "preference", "bugfix"]


def make_due(title: str, days: int, **over: str) -> Observation:
    row = make_observation(title, **over)
    Observation.objects.filter(pk=row.pk).update(review_after=AT - timedelta(days=days))
    return row


@pytest.mark.parametrize(
    ("kind", "at", "due"),
    [
        ("decision", AT, datetime(2027, 1, 31, 9, 0, tzinfo=UTC)),
        ("policy", AT, datetime(2027, 7, 31, 9, 0, tzinfo=UTC)),
        ("preference", AT, datetime(2026, 10, 31, 9, 0, tzinfo=UTC)),
        ("preference", datetime(2026, 11, 30, tzinfo=UTC), datetime(2027, 2, 28, tzinfo=UTC)),
        ("bugfix", AT, None),
        ("", AT, None),
    ],
)
def test_counts_months_by_type(kind: str, at: datetime, due: datetime | None) -> None:
    assert review.next_review(kind, at) == due


@given(st.sampled_from(TYPES), st.datetimes(timezones=st.just(UTC)))
def test_is_due_that_many_months_later(kind: str, at: datetime) -> None:
    at = at.replace(year=min(at.year, 9000), day=min(at.day, 28)) if at.year > 9000 else at
    due = review.next_review(kind, at)
    if due is None:
        assert review.months(kind) == 0
    else:
        assert (due.year - at.year) * 12 + due.month - at.month == review.months(kind)
        assert due.day == at.day or (due.day < at.day and (due + timedelta(days=1)).month != due.month)


@pytest.mark.django_db
def test_lists_what_is_due_oldest_date_first() -> None:
    young, old = make_due("Young", 1), make_due("Old", 100)
    make_due("Not yet", -1)
    other = make_due("Other", 50, session_id="p1")
    Observation.objects.filter(pk=other.pk).update(project=Project.objects.create(name="pier"))
    gone = make_due("Gone", 5)
    observations.delete(pk=gone.pk, at=AT)

    assert review.due(project=None, limit=10, now=AT) == [old, other, young]
    assert review.due(project=old.project, limit=1, now=AT) == [old]
    assert review.due(project=old.project, limit=-1, now=AT) == []
    assert review.due(project=Project(pk=0, name="unknown"), limit=10, now=AT) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", TYPES)
def test_a_reviewed_memory_is_good_for_the_months_of_its_type(kind: str) -> None:
    row = make_due("Rule", 1, type=kind)
    revision, before = row.revision_count, len(told())

    done = review.mark_reviewed(pk=row.pk, actor=COMMAND, at=AT)

    row.refresh_from_db()
    assert row.review_after == done.review_after == review.next_review(kind, AT)
    assert (row.updated_at, row.revision_count) == (AT, revision)
    assert told()[before:] == [("observation.reviewed", f"observation:{row.pk}")]
    assert AuditEntry.objects.get().action == "observation.reviewed"


@pytest.mark.django_db
def test_reviews_nothing_that_is_gone() -> None:
    row = make_due("Rule", 1)
    observations.delete(pk=row.pk, at=AT)

    for pk in (row.pk, 0, 10**6, 2**63):
        with pytest.raises(NotFound):
            review.mark_reviewed(pk=pk, at=AT)
