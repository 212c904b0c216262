"""What is private is gone before anything is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.engram.redaction import redact, redact_all
from memory.transcripts.conversation import Json

SECRET = "§"

public = st.text(alphabet="abc \n>é端", max_size=8)
tags = st.sampled_from(["<private>", "<PRIVATE>", "<Private reason='x'>", "<private\n>"])
closings = st.sampled_from(["</private>", "</PRIVATE>", "</Private >"])
secrets = st.text(alphabet=f"{SECRET} \n", min_size=1, max_size=8)
blocks = st.recursive(
    st.builds("{}{}{}".format, tags, secrets, closings),
    lambda inner: st.builds("{}{}{}{}{}".format, tags, secrets, inner, secrets, closings),
    max_leaves=4,
)
texts = st.lists(st.one_of(public, blocks)).map("".join)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<private>k</private>", "[REDACTED]"),
        ("a <private>k</private> b", "a [REDACTED] b"),
        ("  <PRIVATE>line one\nline two</PRIVATE>\n", "[REDACTED]"),
        ("a <private>k <private>k2</private> k3</private> b", "a [REDACTED] b"),
        ("a <private>k <private>k2</private> k3", "a [REDACTED]"),
        ("a <private>k", "a [REDACTED]"),
        ("<private>k</private><private>k2</private>", "[REDACTED][REDACTED]"),
        ("<private>k<PRIVATE>k2</private>k3</PRIVATE>b", "[REDACTED]b"),
        ('<private reason="billing">k</private > b', "[REDACTED] b"),
        ("<private></private>", "[REDACTED]"),
        ("already [REDACTED] at the source", "already [REDACTED] at the source"),
        ("<private<private>k</private>>k2", "[REDACTED]"),
        ("a <private k", "a [REDACTED]"),
        ("<private>k</private", "[REDACTED]"),
        ("a closing </private> alone", "a closing </private> alone"),
        ("a privateer, <privateer>", "a privateer, <privateer>"),
        ("", ""),
        (" \n ", ""),
        ("a\0b\ud800c", "a\ufffdb\ufffdc"),
    ],
)
def test_takes_private_blocks_out_and_trims(text: str, kept: str) -> None:
    assert redact(text) == kept


@given(texts)
def test_keeps_nothing_of_any_private_block(text: str) -> None:
    assert SECRET not in redact(text)


@given(texts, tags, st.lists(st.one_of(secrets, blocks)).map("".join))
def test_takes_a_block_that_never_ends_to_the_end(text: str, tag: str, rest: str) -> None:
    assert SECRET not in redact(text + tag + rest)


@given(public)
def test_only_trims_what_holds_no_private_block(text: str) -> None:
    assert redact(text) == text.strip()


@given(st.one_of(st.text(), texts, st.lists(st.one_of(tags, closings, public, st.just("<private"))).map("".join)))
def test_changes_nothing_the_second_time(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def test_reaches_every_text_of_a_nested_value() -> None:
    value: Json = {
        "title": "x",
        "meta": {"a": ["<private>k</private>", {"b": "<private>k2</private>"}, 1, None, True, " as is "]},
        "<private>key</private>": "v",
    }

    assert redact_all(value) == {
        "title": "x",
        "meta": {"a": ["[REDACTED]", {"b": "[REDACTED]"}, 1, None, True, " as is "]},
        "[REDACTED]": "v",
    }


def test_ends_a_value_that_is_nested_without_end() -> None:
    value: Json = "<private>k</private>"
    for _ in range(5_000):
        value = [value]

    assert "k" not in repr(redact_all(value))


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), public, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=10,
)


@given(values)
def test_keeps_nothing_private_anywhere_in_a_value(value: Json) -> None:
    assert SECRET not in repr(redact_all(value))
