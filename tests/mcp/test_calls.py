"""What holds for every tool: its description, its arguments, and that nothing sent to it breaks anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now
from hypothesis import given
from hypothesis import strategies as st

from memory.mcp import calls, profiles
from memory.mcp.activity import Activity
from memory.mcp.arguments import schema
from memory.mcp.caller import Caller
from memory.mcp.profiles import UnknownTool
from memory.mcp.recovery import LIFE, Question, Recoveries
from memory.mcp.registry import TOOLS
from memory.models.token import Scope
from tests.mcp.callers import make_caller, read, refused, refused_as

ENGRAMS = {
    "mem_save": "title content observation type session_id scope topic_key project project_choice_reason "
    "recovery_token capture_prompt",
    "mem_search": "query type project all_projects scope match_mode limit response_format",
    "mem_context": "project scope max_bytes compact",
    "mem_stats": "project",
    "mem_timeline": "observation_id before after project",
    "mem_get_observation": "id project",
    "mem_update": "id title content type scope topic_key find replace expected_project",
    "mem_delete": "id hard_delete expected_project",
    "mem_session_summary": "content session_id project project_choice_reason recovery_token",
    "mem_session_start": "id directory",
    "mem_session_end": "id summary",
    "mem_suggest_topic_key": "type title content",
    "mem_capture_passive": "content session_id source",
    "mem_save_prompt": "content session_id project project_choice_reason recovery_token",
    "mem_current_project": "",
    "mem_judge": "judgment_id relation reason evidence confidence session_id",
    "mem_compare": "memory_id_a memory_id_b relation confidence reasoning model",
    "mem_doctor": "project check",
    "mem_review": "action observation_id id limit project",
    "mem_pin": "id",
    "mem_unpin": "id",
    "mem_list_projects": "",
    "mem_merge_projects": "from to",
}
OWN = {"memory_retrieve", "memory_expand", "memory_transcript"}

ODD: list[Any] = ["x" * 3_000_000, "a\0b", "\ud800", 5, -1, 2**70, 1.5, True, None, [], {"a": 1}, [["x"]], float("nan")]


def test_has_engrams_tools_with_their_parameters() -> None:
    assert set(TOOLS) == set(ENGRAMS) | OWN
    for name, parameters in ENGRAMS.items():
        assert set(parameters.split()) <= set(schema(TOOLS[name].arguments)["properties"]), name


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_is_described_in_words_that_every_client_knows(name: str) -> None:
    tool, said = TOOLS[name], schema(TOOLS[name].arguments)

    assert re.fullmatch(r"[a-z0-9_]{1,40}", name)
    assert len(tool.description) > 40
    assert set(said) <= {"type", "properties", "required"}
    for argument in said["properties"].values():
        assert set(argument) == {"type", "description"}
        assert argument["type"] in {"string", "integer", "number", "boolean"}


def test_profiles_choose_tools() -> None:
    agent, admin = profiles.chosen("agent", TOOLS), profiles.chosen("admin", TOOLS)
    assert admin == {"mem_delete", "mem_stats", "mem_timeline", "mem_merge_projects"}
    assert agent == set(TOOLS) - admin
    assert len(agent - OWN) == 19
    assert profiles.chosen("", TOOLS) == profiles.chosen("all", TOOLS) == profiles.chosen("agent, admin", TOOLS)
    assert profiles.chosen("mem_save,admin", TOOLS) == {"mem_save", *admin}
    with pytest.raises(UnknownTool, match="mem_sav"):
        profiles.chosen("mem_sav", TOOLS)


def test_a_tool_that_is_not_seen_cannot_be_called(db: None) -> None:
    caller = make_caller(tools=frozenset({"mem_stats"}))
    assert [tool.name for tool in calls.visible(caller)] == ["mem_stats"]
    assert refused(caller, "mem_save", title="A", content="B") == "Unknown tool: mem_save"
    assert refused(caller, "x" * 1000) == f"Unknown tool: {'x' * 60}"


def test_scopes_decide_what_may_be_called(db: None) -> None:
    reader, writer = make_caller(scope=Scope.READ), make_caller(scope=Scope.WRITE)

    assert {"mem_search", "memory_expand"} <= {tool.name for tool in calls.visible(reader)}
    assert not {"mem_save", "mem_pin"} & {tool.name for tool in calls.visible(reader)}
    body = refused_as(reader, "insufficient_scope", "mem_save", title="A", content="B")
    assert body["message"] == "mem_save needs a token of scope write; this one has read."
    assert {tool.name for tool in calls.visible(writer)} == set(TOOLS) - {"mem_merge_projects"}
    read(writer, "mem_save", title="A", content="B")


def odd_calls() -> Iterator[tuple[str, str]]:
    for name, tool in TOOLS.items():
        for argument in schema(tool.arguments)["properties"]:
            yield name, argument


@pytest.mark.parametrize(("name", "argument"), list(odd_calls()))
def test_survives_whatever_is_sent(agent: Caller, name: str, argument: str) -> None:
    usual = {"string": "x", "integer": 1, "number": 0.5, "boolean": True}
    properties = schema(TOOLS[name].arguments)["properties"]
    valid = {key: usual[one["type"]] for key, one in properties.items() if key in {"title", "content", "query", "id"}}
    for value in ODD:
        answer = calls.run(agent, name, valid | {argument: value})
        assert answer.text.encode()
        assert "MemDock failed" not in answer.text
        assert len(answer.text) < 200_000


@pytest.mark.django_db
@given(
    st.sampled_from(sorted(TOOLS)),
    st.dictionaries(
        st.text(max_size=12), st.none() | st.booleans() | st.integers() | st.floats() | st.text(), max_size=4
    ),
)
def test_answers_any_arguments(name: str, arguments: dict[str, Any]) -> None:
    assert "MemDock failed" not in calls.run(make_caller(), name, arguments).text


def test_takes_numbers_and_flags_as_models_write_them(agent: Caller) -> None:
    told = read(agent, "mem_save", title="Leases", content="x" * 400)
    read(agent, "mem_get_observation", id=str(told["id"]))
    read(agent, "mem_get_observation", id=float(told["id"]))
    assert read(agent, "mem_search", query="leases", all_projects="true", type=None)["project"] == ""
    assert refused(agent, "mem_get_observation", id="one").startswith("id: ")
    assert refused(agent, "mem_get_observation", id=True)


def test_reminds_whoever_saves_nothing() -> None:
    activity, key, start = Activity(), ("agent", "harbor"), now()

    def nudge(minutes: int) -> str:
        return activity.nudge(key, at=start + timedelta(minutes=minutes))

    for _ in range(5):
        activity.called(key, at=start)
    assert nudge(12) == ""  # few calls
    activity.called(key, at=start)
    assert nudge(9) == ""
    assert nudge(12) == (
        "\n\n⚠️ No mem_save calls for this project in 12 minutes. Did you make any decisions, fix bugs, or discover "
        "something worth persisting?"
    )
    assert activity.score(key, at=start) == (
        "Session activity: 6 tool calls, 0 saves — high activity with no saves, consider persisting important decisions"
    )
    activity.saved(key, at=start + timedelta(minutes=12))
    assert (nudge(21), nudge(22) != "") == ("", True)
    assert activity.score(key, at=start) == "Session activity: 6 tool calls, 1 save"
    activity.ended(key)
    assert nudge(40) == ""


def test_a_token_lives_for_five_minutes() -> None:
    recoveries, question, start = Recoveries(), Question("s1", "/work", ("harbor", "tide")), now()
    token = recoveries.issue(question, at=start)

    assert re.fullmatch(r"[0-9a-f]{32}", token)
    assert not recoveries.accept(token, Question("s2", "/work", ("harbor", "tide")), "tide", at=start)
    assert not recoveries.accept(token, Question("s1", "/work", ("harbor",)), "tide", at=start)
    assert recoveries.accept(token, question, "tide", at=start + LIFE - timedelta(seconds=1))
    assert not recoveries.accept(token, question, "harbor", at=start)
    assert not recoveries.accept(token, question, "tide", at=start + LIFE)
