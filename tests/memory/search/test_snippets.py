from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from memory.search.snippets import LENGTH, snippet
from memory.search.tokens import query_terms, terms


def wanted(query: str) -> frozenset[str]:
    return frozenset(name for term in query_terms(query) for name in term.alternatives)


def test_marks_what_was_found() -> None:
    assert snippet("The lease manager leases", wanted("lease")) == "The <mark>lease</mark> manager <mark>leases</mark>"


def test_escapes_everything_else() -> None:
    found = snippet('<img src=x onerror=alert(1)> lease "&"', wanted("lease onerror"))
    assert found == "&lt;img src=x <mark>onerror</mark>=alert(1)&gt; <mark>lease</mark> &quot;&amp;&quot;"


def test_shows_the_part_with_the_most_words() -> None:
    text = " ".join(["lease filler text"] * 50 + ["the lease of the berth planner"] + ["more filler text"] * 50)
    found = snippet(text, wanted("lease berth planner"))
    assert "<mark>berth</mark> <mark>planner</mark>" in found
    assert found.startswith("…")
    assert found.endswith("…")


def test_marks_neighbouring_pairs_as_one() -> None:
    assert snippet("队列端口错配导致任务", wanted("端口错配")) == "队列<mark>端口错配</mark>导致任务"


def test_marks_single_characters_that_are_asked_for() -> None:
    assert snippet("端口错配", wanted("错")) == "端口<mark>错</mark>配"


def test_shows_the_start_when_only_the_title_was_found() -> None:
    assert snippet("No such word here", wanted("lease")) == "No such word here"


def test_is_empty_for_an_empty_text() -> None:
    assert snippet("", wanted("lease")) == ""


@given(
    st.text(alphabet=st.one_of(st.sampled_from("<>&\"' abLease端口서버é"), st.characters()), max_size=900), st.data()
)
def test_holds_no_markup_but_whole_marks(text: str, data: st.DataObject) -> None:
    known = terms(text)
    chosen = data.draw(st.sets(st.sampled_from(known))) if known else set()
    found = snippet(text, frozenset(chosen))
    bare = re.sub(r"<mark>([^<>]*)</mark>", r"\1", found)
    assert not re.search("[<>]", bare)
    shown = unescape(bare).removeprefix("…").removesuffix("…")
    assert len(shown) <= LENGTH + 2
