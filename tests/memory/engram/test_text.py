"""Texts are cut on a character, compared without regard to spacing, and shortened."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.engram.text import LIMIT, MARK, Cut, arrived_cut, cut, normalized_hash, preview


@pytest.mark.parametrize("last", ["ñ", "端", "👩"])
def test_cuts_before_a_character_that_crosses_the_limit(last: str) -> None:
    kept = "x" * (LIMIT - 1)

    assert cut(kept + last) == Cut(kept + MARK, LIMIT - 1 + len(last.encode()))


def test_keeps_a_text_of_just_the_limit() -> None:
    assert cut("ñ" * (LIMIT // 2)) == Cut("ñ" * (LIMIT // 2))


@given(st.text(), st.integers(min_value=0, max_value=60))
def test_cuts_to_the_longest_beginning_that_fits(text: str, limit: int) -> None:
    result = cut(text, limit)

    if result.full_size is None:
        assert result.text == text
    else:
        kept = result.text.removesuffix(MARK)
        assert result.full_size == len(text.encode()) > limit
        assert text.startswith(kept)
        assert len(kept.encode()) <= limit < len(text[: len(kept) + 1].encode())


@given(st.text(), st.integers(min_value=0, max_value=60))
def test_does_not_cut_again_what_it_has_cut(text: str, limit: int) -> None:
    once = cut(text, limit).text

    assert cut(once, limit) == Cut(once)


def test_sees_that_a_text_came_already_cut() -> None:
    assert arrived_cut("the first part... [truncated]")
    assert not arrived_cut("about [truncated] texts")


@given(st.text(alphabet="aBñ \n\t"), st.sampled_from([" ", "\n", "\t\r\n "]))
def test_compares_contents_without_regard_to_case_and_spacing(text: str, space: str) -> None:
    assert normalized_hash(space.join(text.upper().split())) == normalized_hash(space + text + space)


def test_hashes_as_engram_does() -> None:
    assert normalized_hash(" Two\n\tWords ") == hashlib.sha256(b"two words").hexdigest()


@pytest.mark.parametrize(
    ("text", "shown"), [("harbor", "harbor"), ("harbors", "harbor..."), ("", ""), ("👩" * 7, "👩" * 6 + "...")]
)
def test_shortens_to_a_number_of_characters(text: str, shown: str) -> None:
    assert preview(text, 6) == shown
