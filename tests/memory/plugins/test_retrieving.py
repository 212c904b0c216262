"""Questions to our own plugins, through the service: what recall and search know, and of the scope's project only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.engram import observations, prompts, sessions
from memory.models import Project, Setting
from memory.plugins.journal.plugin import JournalPlugin
from memory.plugins.observations.plugin import ObservationsPlugin
from memory.recall import relevance
from memory.search import index
from memory.search.query import search
from memory.search.types import Filters
from memory.service.types import Outcome
from tests import loops
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.plugins.conftest import DAY
from tests.memory.service.parts import serving

QUESTION = "tide gauge millimetres"


@pytest.fixture
def saved(harbor: Project) -> Project:
    """The project with a memory and a prompt about the same thing."""
    at = timezone.now()
    sessions.register(id="s9", project="harbor", directory=harbor.root, at=at)
    observations.save(session_id="s9", title="Tide gauge unit", content="The gauge sends millimetres", at=at)
    prompts.save(session_id="s9", content="Why are tide gauge millimetres wrong?", at=at)
    index.follow()
    return harbor


def retrieve(data: Any, scope: str, **attributes: Any) -> list[Outcome]:
    meta = {"source": {"type": "agent-loop", "id": "loop"}, "scope": scope, "attributes": attributes}

    async def ask() -> list[Outcome]:
        service = serving(JournalPlugin(), ObservationsPlugin())
        return await service.retrieve({"meta": meta, "data": data})

    found: list[Outcome] = []

    async def scene() -> None:
        found.extend(await ask())

    loops.run(scene())
    assert [one.plugin_id for one in found] == ["journal", "observations"]
    return found


def refs(outcome: Outcome) -> list[str] | None:
    assert outcome.is_ok, outcome
    value: Any = outcome.as_json()["value"]
    return None if value is None else [item["ref"] for item in value["items"]]


def said(text: str, *, kind: str = "user") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}], "source": {"kind": kind}}


def test_a_question_finds_what_the_search_finds(saved: Project) -> None:
    hits = search(QUESTION, filters=Filters(project="harbor")).items
    journal, memories = retrieve({"query": QUESTION}, saved.root)

    assert refs(journal) == [hit.ref for hit in hits if hit.kind in {"entry", "session", "document"}]
    assert refs(memories) == [hit.ref for hit in hits if hit.kind in {"observation", "prompt"}]
    assert refs(journal)
    assert len(refs(memories) or []) == 2
    value: Any = journal.as_json()["value"]
    item = value["items"][0]
    assert item["title"].startswith("The tide gauge reports")
    assert item["project"] == "harbor"
    assert "<mark>" not in item["text"]


@pytest.mark.parametrize("data", [QUESTION, {"query": QUESTION}, {"messages": [said(QUESTION)]}])
def test_a_question_is_a_text_a_query_or_what_a_person_said_last(
    saved: Project, data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relevance, "WEAK", 0.0)  # how sure a hit is depends on whether vectors are there yet
    journal, memories = retrieve(data, saved.root)

    assert refs(journal)
    assert refs(memories)


def test_what_tools_and_recall_said_is_no_question(saved: Project) -> None:
    messages = [said(QUESTION), said("something else entirely about lanterns"), said(QUESTION, kind="plugin")]

    unasked: list[Any] = [{"messages": messages}, {"messages": []}, {"query": " "}, {"events": []}, None, 7, [QUESTION]]
    for data in unasked:
        assert [refs(one) for one in retrieve(data, saved.root)] == [None, None]


def test_a_number_of_hits_may_be_asked_for(saved: Project) -> None:
    _, memories = retrieve({"query": QUESTION, "limit": 1}, saved.root)

    value: Any = memories.as_json()["value"]
    assert (len(value["items"]), value["total"]) == (1, 2)


def test_an_unknown_scope_is_told_nothing(saved: Project, tmp_path: Path) -> None:
    impostor = tmp_path / "elsewhere" / "harbor"
    impostor.mkdir(parents=True)

    for scope in ("/nowhere", str(impostor), "lighthouse", "s9", "*", "harbor-old"):
        assert [refs(one) for one in retrieve({"query": QUESTION}, scope)] == [None, None]


def test_another_project_is_never_told_of_whatever_the_question_says(saved: Project, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "lighthouse", {DAY: make_entry_text(body="- Painted the lantern room", session="l1")})
    make_project(root)

    for query in (QUESTION, f"project:harbor {QUESTION}", f"{QUESTION} project:harbor lantern"):
        told = [ref for one in retrieve({"query": query}, str(root)) for ref in refs(one) or []]
        foreign = {hit.ref for hit in search(QUESTION, filters=Filters(project="harbor")).items}
        assert not foreign & set(told)


def test_recall_leaves_out_what_is_not_sure_and_the_session_that_asks(saved: Project) -> None:
    unsure = {"messages": [said("what did we decide about the wages of lighthouse keepers in the gauge office")]}
    assert [refs(one) for one in retrieve(unsure, saved.root)] == [None, None]

    _, memories = retrieve({"messages": [said(QUESTION)]}, saved.root, sessionId="s9")
    assert refs(memories) is None
    _, memories = retrieve({"query": QUESTION}, saved.root, sessionId="s9")
    assert refs(memories)


def test_where_recall_is_off_only_a_question_is_answered(saved: Project) -> None:
    Setting.objects.create(project=saved, key="recall.enabled", value=False)

    assert [refs(one) for one in retrieve({"messages": [said(QUESTION)]}, saved.root)] == [None, None]
    assert all(refs(one) for one in retrieve({"query": QUESTION}, saved.root))
