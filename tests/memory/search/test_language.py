from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.search.language import literal, parse
from memory.search.types import Filters


def test_reads_phrases_exclusions_and_filters() -> None:
    query = parse(
        'lease "port 4242" -timeout -"old queue" project:harbor kind:entry since:2026-03-14 is:pinned manager'
    )
    assert query.words == "lease manager"
    assert query.phrases == ("port 4242",)
    assert query.excluded == ("timeout", "old queue")
    assert query.filters == Filters(project="harbor", kind="entry", since=date(2026, 3, 14), is_pinned=True)


def test_reads_a_quoted_value() -> None:
    assert parse('project:"my harbor" x').filters.project == "my harbor"


@pytest.mark.parametrize(("value", "days"), [("today", 0), ("yesterday", 1), ("7d", 7), ("2w", 14)])
def test_counts_days_back_from_today(value: str, days: int) -> None:
    assert parse(f"until:{value} x").filters.until == timezone.localdate() - timedelta(days=days)


@pytest.mark.parametrize(
    "text",
    [
        "tier1-test AND unicode",
        "2026-03-14",
        "auth-bug",
        'NEAR("a b", 3)',
        'an " unbalanced quote',
        "KeyError: 'berth_id'",
        "http://127.0.0.1:8765/dock",
        "since:tomorrowish",
        "since:2026-02-31",
        "since:9999y",
        "is:lost",
        "a - b",
        "-rf",
        "C:\\dev x:y",
        "* ^ ( ) : {a b} + ~",
    ],
)
def test_takes_anything_else_as_text(text: str) -> None:
    query = parse(text)
    assert query.words == text
    assert (query.phrases, query.excluded, query.filters) == ((), (), Filters())


def test_reads_the_start_of_a_very_long_query() -> None:
    assert len(parse("lease " * 5000).text) <= 10_000


def test_takes_a_prompt_as_it_is() -> None:
    assert literal('-x "a" project:b').words == '-x "a" project:b'


@given(st.text(), st.text(alphabet='"-: pisnce\0\ud800a端'))
def test_reads_any_text(text: str, odd: str) -> None:
    for given_text in (text, odd, f'{odd}"{text}" -{odd}:{text}'):
        query = parse(given_text)
        assert "\0" not in query.text
        query.text.encode()
