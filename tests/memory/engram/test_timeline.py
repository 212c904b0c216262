"""What was saved around a memory."""

from __future__ import annotations

import pytest

from memory.engram import observations, timeline
from memory.engram.errors import NotFound
from memory.models import Observation
from tests.memory.engram.counting import costs
from tests.memory.engram.makers import make_observation

pytestmark = pytest.mark.django_db


@pytest.fixture
def row() -> list[Observation]:
    """Nine memories of a session, and one of another session in between."""
    first = [make_observation(f"Fact {number}") for number in range(5)]
    make_observation("Elsewhere", session_id="s2")
    return first + [make_observation(f"Fact {number}") for number in range(5, 9)]


def test_shows_the_neighbours_of_the_same_session_oldest_first(row: list[Observation]) -> None:
    with costs(4):
        found = timeline.around(row[4].pk, before=2, after=2)

    assert (found.before, found.focus, found.after) == (row[2:4], row[4], row[5:7])
    assert (found.session.key, found.total_in_range) == ("s1", 9)


def test_shows_five_on_each_side_unless_asked(row: list[Observation]) -> None:
    found = timeline.around(row[7].pk, before=0, after=-3)

    assert (found.before, found.after) == (row[2:7], row[8:])


def test_passes_over_what_is_deleted(row: list[Observation]) -> None:
    observations.delete(pk=row[3].pk, at=row[3].created_at)
    found = timeline.around(row[4].pk, before=1)

    assert found.before == [row[2]]
    assert found.total_in_range == 8
    with pytest.raises(NotFound, match="observation not found"):
        timeline.around(row[3].pk)


@pytest.mark.parametrize("pk", [0, -1, 2**63, 10**6])
def test_knows_no_other_ids(pk: int) -> None:
    with pytest.raises(NotFound):
        timeline.around(pk)
