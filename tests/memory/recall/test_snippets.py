"""Snippets, taken apart."""

from __future__ import annotations

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from memory.recall import snippets
from memory.recall.snippets import Part

TEXTS = st.lists(st.tuples(st.text(min_size=1), st.booleans()), max_size=6)


def test_marks_are_places_and_everything_else_is_text() -> None:
    found = snippets.parts("a &lt;b&gt; <mark>lease</mark> &amp; <i>race</i>")
    assert found == [Part("a <b> ", False), Part("lease", True), Part(" & <i>race</i>", False)]


def test_a_mark_that_never_closes_reaches_to_the_end() -> None:
    assert snippets.parts("a <mark>lease") == [Part("a ", False), Part("lease", True)]
    assert snippets.parts("a</mark> b <mar") == [Part("a", False), Part(" b <mar", False)]


def test_plain_text_is_one_line_without_marks() -> None:
    assert snippets.plain("the <mark>row</mark>\n  lock &lt;x&gt;") == "the row lock <x>"


@given(TEXTS)
def test_gives_back_what_was_escaped_and_marked(pieces: list[tuple[str, bool]]) -> None:
    html = "".join(f"<mark>{escape(text)}</mark>" if is_marked else escape(text) for text, is_marked in pieces)
    found = snippets.parts(html)
    assert [part.text for part in found if part.is_marked] == [text for text, is_marked in pieces if is_marked]
    assert "".join(part.text for part in found) == "".join(text for text, _ in pieces)


@given(st.text(st.sampled_from("<>/mark &;lt\n")))
def test_no_text_of_a_snippet_is_lost_and_none_becomes_a_mark(html: str) -> None:
    unmarked = html.replace("<mark>", "").replace("</mark>", "")
    assert "".join(escape(part.text) for part in snippets.parts(html)).count("<") == 0
    assert len(snippets.plain(html)) <= len(unmarked)
