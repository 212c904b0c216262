from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.tokens import fold, query_terms, spans, terms

MIXED = st.text(
    alphabet=st.one_of(st.sampled_from("aAzZ09_-./\\:@#<>!端口错配서버éñйЖ\u0301ﬁ½ \n\t\x1b[\0"), st.characters())
)


def finds(query: str, text: str) -> bool:
    """Whether every term of the query, whole or in parts, is among the text's terms."""
    known = set(terms(text))
    asked = query_terms(query)
    return bool(asked) and all(term.text in known or (term.parts and known.issuperset(term.parts)) for term in asked)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("ms_portviewer skill release-desktop-client", "release-desktop-client"),
        ("ms_portviewer skill release-desktop-client", "desktop-client"),
        ("ms_portviewer skill release-desktop-client", "portviewer"),
        ("Fixed src/api/v2/lease_manager.ts", "src/api/v2/lease_manager.ts"),
        ("Fixed src/api/v2/lease_manager.ts", "lease_manager.ts"),
        ("Fixed src/api/v2/lease_manager.ts", "lease_manager"),
        ("Fixed src/api/v2/lease_manager.ts", "leaseManager"),
        ("Ticket HAR-968 is done", "har-968"),
        ("Upgraded to 0.24.11", "0.24.11"),
        ("KeyError: 'berth_id'", "KeyError"),
        ("KeyError: 'berth_id'", "keyerror berth_id"),
        ("队列端口错配导致任务无人消费", "端口错配"),
        ("队列端口错配导致任务无人消费", "端口"),
        ("队列端口错配导致任务无人消费", "配"),
        ("修复lease_manager.ts的错误", "lease_manager.ts"),
        ("서버를 다시 시작했다", "서버"),
        ("Перезапустили ёмкий контейнер", "емкий"),
        ("Se reinició el índice", "reinicio indice"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),  # noqa: RUF001
        ("The caches were released", "cached release"),
        ("It retries and stopped", "retry stopping"),
        ("Notifications of the migration", "notify migrated"),
        ("We decided on encryption", "decision encrypted"),
        ("Validation and authentication", "validate authenticate"),
        ("Решили менять реплики серверов", "решил реплика сервер"),
        ("Moved KeyError out of leaseManager", "keyerror leasemanager"),
    ],
)
def test_finds_what_people_type_for_it(text: str, query: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- session:secret turn:1 db:/secret.jsonl -->",
        "<system-reminder>secret</system-reminder>",
        "<task-notification>a\nsecret</task-notification>",
        '<skill-loaded name="secret">',
    ],
)
def test_leaves_out_what_harnesses_and_anchors_say(text: str) -> None:
    assert "secret" not in terms(f"before {text} after")
    assert terms(f"before {text} after") == terms("before after")


def test_reads_through_colours() -> None:
    assert terms("\x1b[31mred\x1b[0m alert") == ["red", "alert"]


def test_keeps_what_follows_a_block_that_is_never_closed() -> None:
    assert "kept" in terms("<system-reminder> kept")


def test_lets_small_words_count_less() -> None:
    weights = {term.text: term.weight for term in query_terms("where is the lease")}
    assert weights["leas"] == 1 > weights["where"] == weights["the"]


def test_asks_for_each_thing_once_and_in_order() -> None:
    assert [term.text for term in query_terms("port lease port")] == ["port", "leas"]


@given(MIXED)
def test_asks_only_for_what_the_index_would_hold(text: str) -> None:
    known = set(terms(text))
    assert all({term.text, *term.parts} <= known for term in query_terms(text))


@given(MIXED)
def test_makes_terms_that_need_no_quoting(text: str) -> None:
    assert all(re.fullmatch(r"\w{1,400}", term) for term in terms(text))


@given(
    st.lists(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1), min_size=1), st.data()
)
def test_finds_a_text_by_any_of_its_words(words: list[str], data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(words))
    if query_terms(word):
        assert finds(word, " ".join(words))


@given(MIXED)
def test_folds_once_and_for_all(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(MIXED)
def test_tells_places_inside_the_text(text: str) -> None:
    wanted = frozenset(terms(text))
    assert all(0 <= span.start < span.end <= len(text) and span.term in wanted for span in spans(text, wanted))
