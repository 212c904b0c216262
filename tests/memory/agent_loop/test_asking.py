"""What plugins are asked at the points of a loop, and what the agent is told of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from memory.agent_loop import asking, points
from memory.agent_loop.asking import Answer
from memory.models import Injection, Project, Session
from memory.plugins.journal.plugin import JournalPlugin
from memory.service.types import Request
from memory.service.values import Json
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.agent_loop.seen import CWD, RECALLED, SAID, choose, data, step
from tests.memory.service.parts import Picky, Plugin, serving

PRE_STEP = "agent/pre-step"


def ask(*plugins: Any, point: str = PRE_STEP, seen: dict[str, Any] | None = None, **settings: Any) -> Answer:
    observed = points.observation(point, step(SAID) if seen is None else seen)
    return asking.ask(observed, service=serving(*plugins, **settings))


def told(answer: Answer) -> list[Any]:
    """Return the results of the message, none where there is none."""
    if not answer.message:
        return []
    [block] = answer.message["content"]
    document = json.loads(block["text"])
    assert document["kind"] == "patchouli-memory-results"
    found: list[Any] = document["results"]
    return found


async def fail(_: Request) -> Json:
    raise RuntimeError("no disk")


async def hang(_: Request) -> Json:
    await asyncio.Event().wait()
    return None


def test_before_a_step_the_plugins_see_the_messages_that_enter_it(harbor: Project) -> None:
    plugin = Plugin("notes")

    answer = ask(plugin, seen=step(SAID, number=1))

    [request] = plugin.requests
    assert request.data == step(SAID, number=1)
    assert request.meta.attributes == {
        "point": PRE_STEP,
        "sessionId": "s1",
        "workspaceRoot": str(CWD),
        "turn": 1,
        "step": 1,
    }
    assert told(answer) == [{"pluginId": "notes", "data": "notes"}]


def test_several_plugins_make_one_message_without_the_one_that_failed(harbor: Project) -> None:
    answer = ask(Plugin("first"), Plugin("broken", fail), Plugin("last"))

    assert [one["pluginId"] for one in told(answer)] == ["first", "last"]


def test_a_plugin_that_does_not_answer_is_not_waited_for(harbor: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAIT_S", 0.05)

    answer = ask(Plugin("slow", hang), Plugin("quick"), routing={"slow": {"retrieve_timeout": 600}})

    assert [one["pluginId"] for one in told(answer)] == ["quick"]


def test_plugins_are_asked_once_a_message_of_a_person(harbor: Project) -> None:
    plugin = Plugin("notes")
    silent = {"role": "user", "source": {"kind": "user"}, "content": [{"type": "text", "text": " "}]}

    answers = [ask(plugin, seen=step(*messages, number=2)) for messages in ([], [RECALLED], [silent], [RECALLED, SAID])]

    assert [bool(answer.message) for answer in answers] == [False, False, False, True]
    assert len(plugin.requests) == 1


def test_every_step_asks_where_the_project_wants_that(harbor: Project) -> None:
    choose("recall.every_step", True, harbor)

    assert told(ask(Plugin("notes"), seen=step(number=7)))


def test_what_is_switched_off_asks_nobody(harbor: Project) -> None:
    plugin = Plugin("notes")
    choose("retrieve.pre_step", False, harbor)

    answer = ask(plugin)

    assert answer == Answer(reason="This is switched off for the project.")
    assert not plugin.requests


SEEN: dict[str, tuple[str, dict[str, Any]]] = {
    "session_start": ("agent/session-start", data(source="startup")),
    "turn_stopping": (
        "agent/turn-stopping",
        data(turn=1) | {"session": {"header": data()["session"]["header"], "events": []}},
    ),
    "tool_post_execute": ("tools/post-execute", data(execution={}, result={}, decision={})),
}


@pytest.mark.parametrize("switch", SEEN)
def test_the_other_points_ask_where_they_are_switched_on(harbor: Project, switch: str) -> None:
    point, seen = SEEN[switch]
    plugin = Plugin("notes")

    assert not ask(plugin, point=point, seen=seen).message
    choose(f"retrieve.{switch}", True, harbor)
    answer = ask(plugin, point=point, seen=seen)

    assert [request.data for request in plugin.requests] == [seen]
    assert answer.message
    assert json.loads(answer.message["content"][0]["text"])["point"] == point


def test_the_budget_of_the_project_holds(harbor: Project) -> None:
    async def much(_: Request) -> Json:
        return ["x" * 50] * 1000

    choose("recall.budget", 800, harbor)

    answer = ask(Plugin("notes", much))

    assert answer.message
    assert len(answer.message["content"][0]["text"]) <= 800


@pytest.fixture
def remembering(harbor: Project) -> Project:
    """The project with an entry that answers the question."""
    body = "- The importer skips rows that are blank: trim_rows drops them"
    make_tree(CWD, {"2026-02-03": make_entry_text(session="earlier", body=body)})
    return make_project(CWD)


def test_what_recall_tells_as_text_is_not_told_again(remembering: Project) -> None:
    """By default MemDock's own memories come as the text of `/recall`, and here only what others know."""
    alone, beside = ask(JournalPlugin()), ask(JournalPlugin(), Plugin("notes"))

    assert alone == Answer(reason="No plugin knew anything.")
    assert told(beside) == [{"pluginId": "notes", "data": "notes"}]


def test_as_json_all_plugins_tell(remembering: Project) -> None:
    choose("recall.form", "json", remembering)

    journal, notes = told(ask(JournalPlugin(), Plugin("notes")))

    assert journal["pluginId"] == "journal"
    assert "trim_rows" in json.dumps(journal["data"]["items"])
    assert notes == {"pluginId": "notes", "data": "notes"}


def test_a_plugin_that_routing_forbids_stays_silent(harbor: Project) -> None:
    picky = Picky("picky")

    assert not told(ask(picky, routing={"picky": {"operations": ["update"]}}))
    assert not picky.calls


def test_what_was_told_is_kept_with_its_session(harbor: Project) -> None:
    answer = ask(Plugin("notes"))

    row = Injection.objects.get()
    assert answer.message
    assert (row.query, row.text, row.reason) == (
        "Why does the importer skip blank rows?",
        answer.message["content"][0]["text"],
        "",
    )
    assert row.session == Session.objects.get(external_id="s1", project=harbor)


def test_that_nothing_was_known_is_kept_where_recall_does_not_say_so(harbor: Project) -> None:
    async def nothing(_: Request) -> Json:
        return {"items": [], "total": 0}

    ask(Plugin("notes", nothing))
    assert not Injection.objects.exists()
    choose("recall.form", "json", harbor)
    ask(Plugin("notes", nothing))

    assert Injection.objects.get().reason == "No plugin knew anything."
