"""Characters that a reader does not see."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memory.texts import hidden


def test_names_what_turns_text_around() -> None:
    assert hidden.reveal("a\u202eb\u200b") == [(1, "RIGHT-TO-LEFT OVERRIDE"), (3, "ZERO WIDTH SPACE")]
    assert hidden.visible("a\u202eb\U000e0041") == "a⟦U+202E⟧b⟦U+E0041⟧"
    assert hidden.reveal("\x1b[2K")[0] == (0, "ESCAPE")


def test_leaves_what_people_write_alone() -> None:
    for text in ("a\tb\r\nc", "日本語のスキル", "👍🏽 ❤️", "naïve — “quotes”", "العربية"):
        assert hidden.reveal(text) == []
        assert hidden.visible(text) == text


@given(st.text())
def test_nothing_that_formats_stays_hidden(text: str) -> None:
    shown = hidden.visible(text)
    assert hidden.reveal(shown) == []
    assert not [one for one in shown if unicodedata.bidirectional(one) in {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI"}]
    assert len(hidden.reveal(text)) == shown.count("⟦U+") - text.count("⟦U+")


@given(st.text())
def test_positions_lead_to_the_characters(text: str) -> None:
    assert all(hidden.visible(text[at]).startswith("⟦U+") for at, _ in hidden.reveal(text))
