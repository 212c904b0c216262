"""Near-synonyms from the bundled vectors."""

from __future__ import annotations

import pytest

from memory.search.embed.bundled import WordLlamaEmbedder
from memory.search.embed.neighbours import Neighbours

WORDS = ["cat", "kitten", "database", "error", "failure", "bug", "migration", "租约", "id", "x86_64", "error"]


@pytest.fixture(scope="module")
def neighbours() -> Neighbours:
    return Neighbours(WORDS, WordLlamaEmbedder())


def test_finds_words_of_like_meaning_best_first(neighbours: Neighbours) -> None:
    found = neighbours.of("error", 3, nearest=0.1)
    assert found[0][0] == "failure"
    assert [weight for _, weight in found] == sorted((weight for _, weight in found), reverse=True)
    assert all(0.1 <= weight <= 1 for _, weight in found)


def test_never_gives_the_word_itself_nor_more_than_asked(neighbours: Neighbours) -> None:
    found = [word for word, _ in neighbours.of("database", 2, nearest=-1)]
    assert len(found) == 2
    assert "database" not in found


def test_knows_plain_words_only(neighbours: Neighbours) -> None:
    found = {word for word, _ in neighbours.of("cat", 50, nearest=-1)}
    assert found == {"kitten", "database", "error", "failure", "bug", "migration"}
    assert neighbours.of("租约", 3, nearest=-1) == []
    assert neighbours.of("x86_64", 3, nearest=-1) == []


def test_leaves_out_what_is_too_far(neighbours: Neighbours) -> None:
    assert neighbours.of("cat", 5, nearest=0.99) == []


def test_says_nothing_about_an_empty_vocabulary() -> None:
    assert Neighbours([], WordLlamaEmbedder()).of("cat", 3) == []
