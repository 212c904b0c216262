"""Comparing revisions, and showing source."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dock.contexts.revisions import diff
from dock.contexts.source import source, visible

TEXTS = st.lists(st.sampled_from(["", "a", "b", "<c>", "d & e"]), max_size=40).map("\n".join)


def lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


@given(before=TEXTS, after=TEXTS)
def test_tells_the_lines_that_came_and_went(before: str, after: str) -> None:
    found = diff(before, after, number=2)
    new, old = lines(after), lines(before)
    assert found.added - found.removed == len(new) - len(old)
    for row in found.rows:
        if row.kind in {"add", "same"}:
            assert unescape(row.text) == new[row.number - 1]
        elif row.kind == "del":
            assert unescape(row.text) == old[row.number - 1]


@given(before=TEXTS, after=TEXTS)
def test_leaves_no_line_of_the_later_text_out(before: str, after: str) -> None:
    rows = diff(before, after, number=2).rows
    told = sum(row.number if row.kind == "fold" else row.kind != "del" for row in rows)
    assert told == len(lines(after))


def test_compares_long_texts_that_differ_little() -> None:
    before = [f"line {number}" for number in range(50_000)]
    after = [*before[:25_000], "new", *before[25_000:]]
    found = diff("\n".join(before), "\n".join(after), number=2)
    assert [row.kind for row in found.rows] == ["fold", "same", "same", "same", "add", "same", "same", "same", "fold"]


def test_says_that_two_texts_are_too_different_to_compare() -> None:
    found = diff("\n".join(map(str, range(2000))), "\n".join(map(str, range(5000, 7000))), number=2)
    assert found.is_too_long and not found.rows


@given(text=st.text())
def test_shows_every_character_once_and_nothing_as_markup(text: str) -> None:
    def character(mark: re.Match[str]) -> str:
        return chr(int(mark[1], 16))

    shown = re.sub(
        '<span class="badge" data-tone="bad" title="hidden character">U\\+([0-9A-F]+)</span>', character, visible(text)
    )
    assert "<" not in shown
    assert unescape(shown) == text


@pytest.mark.parametrize("text", ["café", "日本語", "👍🏽", "❤️", "\ufffd", "a\tb", "ñ\u0303"])
def test_leaves_ordinary_text_alone(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("character", "\u202e\u2066\u200b\u200d\ufeff\u00ad\x1b\x00\u2028\U000e0041\u3164")
def test_marks_what_cannot_be_seen(character: str) -> None:
    assert f"U+{ord(character):04X}" in visible(f"a{character}b")
    assert character not in visible(f"a{character}b")


@given(text=st.text(alphabet=st.sampled_from("ab\n\r\u202e\u2028<")))
def test_numbers_the_lines_of_a_text(text: str) -> None:
    numbers = [number for number, _ in source(text, "python", first=7).lines]
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    assert numbers == list(range(7, 7 + plain.count("\n") + (plain[-1:] not in {"", "\n"})))


def test_gives_no_numbers_where_the_first_is_not_known() -> None:
    found = source("a\nb\n", first=None)
    assert (found.lines, found.block) == ([], "a\nb\n")
