"""A search waits a little, and no longer."""

from __future__ import annotations

import threading

import pytest

from memory.search.backends.milvus.connection import Unreachable
from memory.search.backends.milvus.patience import Patience


def fail() -> int:
    raise Unreachable("It is away.")


def _asked_until_answered(patience: Patience) -> int:
    while True:
        try:
            return patience.call(lambda: 8)
        except Unreachable:  # the late call's thread ends in a moment
            continue


def test_gives_what_comes_in_time() -> None:
    assert Patience(first=30, later=30, retry=30).call(lambda: 7) == 7


def test_asks_again_only_after_a_while() -> None:
    patience, asked = Patience(first=30, later=30, retry=3600), list[int]()
    with pytest.raises(Unreachable, match=r"^It is away\.$"):
        patience.call(fail)

    with pytest.raises(Unreachable, match=r"^It is away\.$"):
        patience.call(lambda: asked.append(1))

    assert not asked
    patience.forget()
    assert patience.call(lambda: 7) == 7


def test_goes_on_without_what_is_late_until_it_came() -> None:
    patience, answers = Patience(first=0.01, later=30, retry=3600), threading.Event()

    def late() -> int:
        answers.wait()
        return 7

    with pytest.raises(Unreachable, match=r"^No answer in 0\.01 seconds\.$"):
        patience.call(late)
    with pytest.raises(Unreachable):
        patience.call(lambda: 7)
    answers.set()

    assert _asked_until_answered(patience) == 8


def test_lets_only_so_many_wait() -> None:
    patience, answers = Patience(first=0.01, later=30, retry=0, most=1), threading.Event()
    with pytest.raises(Unreachable, match="No answer"):
        patience.call(answers.wait)

    with pytest.raises(Unreachable, match="Too many"):
        patience.call(lambda: 7)

    answers.set()
