"""What is private stays private, in every text and every tool's input and output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.transcripts.conversation import Json
from memory.transcripts.redaction import REDACTED, clean, clean_value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nothing to hide", "nothing to hide"),
        ("a <private>b</private> c", f"a {REDACTED} c"),
        ("a <PRIVATE reason='x'>b\nb</Private> c", f"a {REDACTED} c"),
        ("a <private>b", f"a {REDACTED}"),
        ("<private>a<private>b</private>c</private>d", f"{REDACTED}d"),
        ("<private>a</private><private>b</private>", REDACTED * 2),
        ("a </private> b", "a </private> b"),
        ("a <privateer>b", "a <privateer>b"),
        ("half \ud83d of a sign", "half \ufffd of a sign"),
    ],
)
def test_private_blocks_are_replaced(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(before=st.text("ab <>/"), secret=st.text("xyz <>/"), after=st.text("ab"))
def test_nothing_between_the_marks_comes_through(before: str, secret: str, after: str) -> None:
    shown = clean(f"{before}<private>{secret}</private>{after}")
    assert not set(shown) & set("xyz")


@given(st.text())
def test_clean_text_can_be_written_and_stays_as_it_is(text: str) -> None:
    shown = clean(text)
    shown.encode()
    assert clean(shown) == shown


def test_values_are_cleaned_at_every_depth() -> None:
    value: Json = {"a <private>b</private>": [{"c": "<private>d</private>", "e": 1, "f": None}]}
    assert clean_value(value) == {f"a {REDACTED}": [{"c": REDACTED, "e": 1, "f": None}]}


def test_what_is_deeper_than_anything_real_is_left_out() -> None:
    value: Json = "<private>x</private>"
    for _ in range(900):
        value = [value]
    assert "x" not in repr(clean_value(value))
