"""Snippets without the signs of Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dock.contexts.excerpts import readable
from memory.recall import snippets
from memory.recall.snippets import Part

PIECES = st.lists(
    st.builds(Part, st.text(alphabet="ab *`#-[]()~>_x.…\ue000\ue001\n", min_size=1, max_size=12), st.booleans())
)


def read(snippet: str) -> str:
    return "".join(f"<{part.text}>" if part.is_marked else part.text for part in readable(snippets.parts(snippet)))


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("- **Lease** taken - then `kept`", "Lease taken · then kept"),
        ("- [ ] open - [x] done", "☐ open ☑ done"),
        ("## Steps 1. Look", "Steps 1. Look"),
        ("one # Two ## <mark>Three</mark>", "one · Two · <Three>"),
        ("**<mark>lease</mark>** and *<mark>race</mark>*", "<lease> and <race>"),
        ("…[the <mark>outbox</mark>](https://a.example/x_y) is", "…the <outbox> is"),
        ("…text** goes on **here", "…text goes on here"),
        (
            "f(**kwargs), 2**3, a * b, a > b, snake_case, __init__",
            "f(**kwargs), 2**3, a * b, a > b, snake_case, __init__",
        ),
        ("~~old~~ new", "old new"),
        ("ends ##…", "ends…"),
        ("issue # 3 -x --deploy", "issue # 3 -x --deploy"),
        ("", ""),
    ],
)
def test_takes_signs_away_and_leaves_words(snippet: str, text: str) -> None:
    assert read(snippet) == text


@given(PIECES)
def test_adds_no_letter_and_loses_none_outside_of_addresses(parts: list[Part]) -> None:
    def letters(found: list[Part]) -> str:
        return "".join(char for part in found for char in part.text if char in "ab")

    assert "\ue000" not in "".join(part.text for part in readable(parts))
    if "](" not in "".join(part.text for part in parts).replace("\ue000", "").replace("\ue001", ""):
        assert letters(readable(parts)) == letters(parts)
