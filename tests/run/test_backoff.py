"""How long a crashed process waits."""

from __future__ import annotations

from memsite.backoff import FIRST, LONG_LIFE, LONGEST, Backoff


def test_doubles_up_to_a_limit() -> None:
    backoff = Backoff()
    assert [backoff.after(0.1) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, LONGEST, LONGEST]


def test_a_long_life_starts_over() -> None:
    backoff = Backoff()
    assert [backoff.after(life) for life in (0, 0, LONG_LIFE, 0)] == [FIRST, 2 * FIRST, FIRST, 2 * FIRST]
