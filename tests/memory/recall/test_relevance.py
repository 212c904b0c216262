"""Relevance in words."""

from __future__ import annotations

import pytest

from memory.recall import relevance


@pytest.mark.parametrize(
    ("value", "word", "level"),
    [
        (1.0, "strong", 4),
        (0.8, "strong", 4),
        (0.7999, "likely", 3),
        (0.6, "likely", 3),
        (0.5999, "fair", 2),
        (0.4, "fair", 2),
        (0.3999, "weak", 1),
        (0.0, "weak", 1),
        (-0.1, "weak", 1),
    ],
)
def test_each_number_has_its_word_and_level(value: float, word: str, level: int) -> None:
    assert (relevance.word(value), relevance.level(value)) == (word, level)
