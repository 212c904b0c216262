"""Search as agents know it."""

from __future__ import annotations

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.engram import observations, search, sessions
from memory.models import Observation, Project

pytestmark = pytest.mark.django_db


def remember(title: str, content: str = "", *, project: str = "harbor", **more: str) -> Observation:
    at = timezone.now()
    sessions.register(id=f"s-{project}", project=project, at=at)
    return observations.save(
        session_id=f"s-{project}", title=title, content=content or title, at=at, **more
    ).observation


def titles(q: str, **options: object) -> list[str]:
    return [found.observation.title for found in search.search(q=q, **({"project": None} | options))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "q",
    [
        "lease manager",
        "LEASE",
        '"lease" "4242"',
        "leas",
        "igurat",
        "manager 4242 config",
        "--port=42",
        "ea",
        "*",
        "src/lease",
        "listens listen",
        "harbor",
        "zimmer",
        "bash",
        "lease-port",
    ],
)
def test_finds_what_engram_would(q: str) -> None:
    """Engram finds every memory that has each term anywhere, as a part of a word or of several columns."""
    remember(
        "Lease manager *",
        "It listens: --port=4242, a configuration in src/lease_manager.ts",
        type="zimmer",
        tool_name="bash",
        topic_key="config/lease-port",
    )
    remember("Crane schedule", "Moved to nine", project="gate")
    assert titles(q)[:1] == ["Lease manager *"]


def test_finds_other_forms_of_a_word() -> None:
    remember("Leases were renewed")
    assert titles("renewing lease") == titles("renewing lease", match_mode="all") == ["Leases were renewed"]


@pytest.mark.parametrize(("q", "found"), [("端口错配", 1), ("端口", 1), ("配", 1), ("泊位", 0)])
def test_finds_parts_of_texts_without_blanks(q: str, found: int) -> None:
    remember("队列端口错配导致任务无人消费")
    assert len(titles(q)) == found


def test_wants_every_term_and_falls_back_to_the_most() -> None:
    remember("Tide tables", "潮汐")
    remember("Berth and invoice", "泊位 发票")
    assert titles("潮汐 泊位 发票")[0] == "Berth and invoice"
    assert set(titles("潮汐 泊位 发票")) == {"Tide tables", "Berth and invoice"}
    assert titles("泊位 发票") == ["Berth and invoice"]
    assert titles("潮汐 泊位", match_mode="all") == []
    assert set(titles("潮汐 泊位", match_mode="any")) == {"Tide tables", "Berth and invoice"}


def test_finds_parts_of_words_beside_whole_ones() -> None:
    remember("Config of the port")
    remember("Reconfigured ports twice")
    assert titles("config port") == ["Config of the port", "Reconfigured ports twice"]


def test_finds_what_was_saved_last_at_once_and_nothing_that_is_deleted() -> None:
    row = remember("Tide tables")
    assert titles("tide") == ["Tide tables"]
    observations.delete(pk=row.pk, at=timezone.now())
    assert titles("tide") == titles("ide tabl") == []


def test_restricts_by_project_type_and_scope() -> None:
    remember("Tide one", type="Decision")
    remember("Tide two", scope="personal", project="gate")
    gate = Project.objects.get(name="gate")
    assert titles("tide", project=gate) == ["Tide two"]
    assert titles("tide", project=Project(pk=0, name="nobody")) == []
    assert titles("tide", type="Decision") == ["Tide one"]
    assert titles("tide", type="decision") == []
    assert titles("tide", scope="PERSONAL") == titles("tide", scope="personal") == ["Tide two"]
    assert titles("tide", scope="unheard of") == ["Tide one"]


def test_puts_the_memories_of_a_topic_first() -> None:
    remember("config/ports config/ports", "config/ports")
    remember("Ports", "4242", topic_key="Config/Ports")
    first, second = search.search(q="config/ports")
    assert (first.observation.title, first.rank) == ("Ports", search.TOPIC_RANK)
    assert second.rank > first.rank


def test_gives_as_many_as_asked_and_20_at_most() -> None:
    for number in range(25):
        remember(f"Tide {number}", f"text {number}")
    assert [len(titles("tide", limit=limit)) for limit in (1, 0, -5, 15, 1000)] == [1, 10, 10, 15, 20]
    assert len({found.observation.pk for found in search.search(q="tide", limit=20)}) == 20


def test_ranks_the_better_answer_lower() -> None:
    remember("Notes of the week", "Among many other things somebody spoke about the lease for a moment" * 5)
    remember("Lease", "Lease of the crane")
    first, second = search.search(q="lease")
    assert (first.observation.title, second.observation.title) == ("Lease", "Notes of the week")
    assert first.rank < second.rank < 0


@pytest.mark.parametrize(
    "q", ["tier1-test AND unicode", "2026-03-14", "auth-bug", 'a "b', "NEAR(tide)", "tide*", "-tide"]
)
def test_takes_operators_for_words(q: str) -> None:
    remember("Tide tables", "On 2026-03-14: tier1-test AND unicode auth-bug a b NEAR(tide) tide* -tide")
    assert titles(q) == ["Tide tables"]


@settings(max_examples=60)
@given(q=st.text(max_size=60), mode=st.sampled_from(["", "all", "any"]))
def test_takes_any_text(db: None, q: str, mode: search.MatchMode) -> None:
    Observation.objects.filter(pk=0).exists()
    assert isinstance(search.search(q=q, match_mode=mode), list)


def test_takes_very_long_questions() -> None:
    remember("Tide tables")
    words = [f"word{number}" for number in range(3000)]
    assert titles(" ".join(words), match_mode="all") == titles(" ".join(words)) == []
    assert titles(" ".join(["tide", *words[:40]]), match_mode="any") == ["Tide tables"]


@settings(max_examples=60)
@given(data=st.data(), words=st.lists(st.text("abcde./-%_ñ泊位", min_size=1, max_size=8), min_size=1, max_size=6))
def test_finds_any_part_of_any_word(db: None, data: st.DataObject, words: list[str]) -> None:
    row = remember("Title", " ".join(words), project=f"p{Observation.objects.count()}")
    parts = []
    for word in data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=3)):
        start = data.draw(st.integers(0, len(word) - 1))
        parts.append(word[start : data.draw(st.integers(start + 1, len(word)))])
    for mode in ("", "all", "any"):
        found = search.search(q=" ".join(parts), project=row.project, match_mode=mode)
        assert [one.observation.pk for one in found] == [row.pk]
