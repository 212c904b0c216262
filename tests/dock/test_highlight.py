"""Source text with colours."""

from __future__ import annotations

import re
from html import unescape
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexer import Lexer

from dock import highlight

LANGUAGES = sorted({*highlight._LANGUAGES, *highlight._ALIASES, "", "md", "no-such-language"})


def plain(html: str) -> str:
    """What a reader sees of one line; fails where a tag is not one of the four spans."""
    text = re.sub(r'<span class="[ksmc]">([^<>]*)</span>', r"\1", html)
    assert not re.search("[<>]", text)
    return unescape(text)


def test_colours_keywords_strings_numbers_and_comments() -> None:
    (line,) = highlight.lines('if x == 12: y = "a<b"  # why', "python")
    assert line == (
        '<span class="k">if</span> x == <span class="m">12</span>: y = '
        '<span class="s">&quot;a&lt;b&quot;</span>  <span class="c"># why</span>'
    )


def test_closes_a_token_at_the_end_of_each_line() -> None:
    assert highlight.lines("/* a\nb */", "css") == ['<span class="c">/* a</span>', '<span class="c">b */</span>']


def test_marks_keys_of_data_files() -> None:
    assert (
        highlight.code('{"id": 1204}', "json") == '{<span class="k">&quot;id&quot;</span>: <span class="m">1204</span>}'
    )


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1), ("a\r\nb\rc", 3), ("\ufeffa\u2028b", 1)]
)
def test_gives_one_piece_for_each_line(text: str, count: int) -> None:
    assert len(highlight.lines(text, "python")) == count


@pytest.mark.parametrize(
    "text", ["x = 1\n" * (highlight.TEXT_LIMIT // 6 + 1), "x = '" + "1" * highlight.LINE_LIMIT + "'", "x = 1"]
)
def test_leaves_colours_out_where_they_would_take_long(text: str) -> None:
    coloured = highlight.code(text, "python") != text.replace("'", "&#x27;").rstrip("\n")
    assert coloured == (text == "x = 1")
    assert "<span" not in highlight.code(text, "python", budget=highlight.Budget(0.0))


def test_escapes_a_text_of_unknown_language() -> None:
    assert highlight.code("<script>&", "no-such-language") == "&lt;script&gt;&amp;"


@given(text=st.text(max_size=200), language=st.sampled_from(LANGUAGES))
def test_loses_no_character_of_any_text(text: str, language: str) -> None:
    source = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    expected = source.split("\n")
    if not expected[-1]:
        expected.pop()
    assert [plain(line) for line in highlight.lines(text, language)] == expected


def test_a_language_that_has_to_be_loaded_first_is_coloured_too(monkeypatch: pytest.MonkeyPatch) -> None:
    load = highlight._lexer

    def load_slowly(name: str) -> Lexer:
        started = thread_time()
        while thread_time() < started + 0.1:
            pass
        return load(name)

    monkeypatch.setattr(highlight, "_lexer", load_slowly)
    assert "<span" in highlight.code("x = 1", "python", budget=highlight.Budget(0.1))


def test_the_code_of_one_page_shares_a_budget() -> None:
    budget = highlight.Budget()
    assert "<span" in highlight.code("x = 1", "python", budget=budget)
    assert 0 < budget.left < highlight.BUDGET
    budget.left = 0.0
    assert "<span" not in highlight.code("x = 1", "python", budget=budget)
