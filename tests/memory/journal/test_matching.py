"""Which section on disk is which row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.journal.matching import Print, match

PRINTS = st.lists(
    st.builds(
        Print,
        session=st.sampled_from(["", "a", "b"]),
        turn=st.sampled_from(["", "1", "2"]),
        time=st.sampled_from(["09:00", "09:01"]),
        body_hash=st.sampled_from(["x", "y", "z"]),
    ),
    max_size=12,
)


def one(body: str, *, session: str = "s", turn: str = "", time: str = "09:00") -> Print:
    return Print(session=session, turn=turn, time=time, body_hash=body)


@given(PRINTS, PRINTS)
def test_each_side_is_used_exactly_once(old: list[Print], new: list[Print]) -> None:
    found = match(old, new)

    assert sorted([was for was, _ in found.same] + found.removed) == list(range(len(old)))
    assert sorted([now for _, now in found.same] + found.added) == list(range(len(new)))


@given(PRINTS)
def test_an_unchanged_file_pairs_in_order(prints: list[Print]) -> None:
    assert match(prints, prints).same == [(index, index) for index in range(len(prints))]


@given(PRINTS, PRINTS)
def test_an_append_keeps_every_row(prints: list[Print], more: list[Print]) -> None:
    found = match(prints, prints + more)

    assert found.removed == []
    assert found.added == list(range(len(prints), len(prints) + len(more)))


def test_a_turn_keeps_its_row_when_its_body_changes() -> None:
    assert match([one("x", turn="1")], [one("y", turn="1")]).same == [(0, 0)]


def test_without_a_turn_time_and_session_keep_the_row() -> None:
    assert match([one("x")], [one("y")]).same == [(0, 0)]
    assert match([one("x")], [one("y", time="09:05")]).same == []


def test_an_insertion_above_moves_rows_without_mixing_them_up() -> None:
    found = match([one("x"), one("y")], [one("new"), one("x"), one("y")])

    assert found.same == [(0, 1), (1, 2)]
    assert found.added == [0]


def test_a_second_body_of_a_turn_is_an_entry_of_its_own() -> None:
    found = match([one("x", turn="1")], [one("x", turn="1"), one("y", turn="1")])

    assert found.same == [(0, 0)]
    assert found.added == [1]
