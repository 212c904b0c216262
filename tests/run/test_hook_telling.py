"""What hooks tell an agent, what they ask for it, and what never leaves the process."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.transcripts import redaction
from memsite.hook.redaction import redacted
from tests.run.hook_agent import NOT_TOLD, PROMPT, SESSION, TOLD, Agent
from tests.run.hook_server import HookServer


@pytest.mark.parametrize(("platform", "event"), TOLD)
def test_what_the_server_tells_is_printed_as_the_agent_understands_it(
    agent: Agent, hook_server: HookServer, platform: str, event: str
) -> None:
    hook_server.recall, hook_server.inbox = (
        "The importer trims: ä €.",
        [{"id": 7, "text": "Review a skill.", "about": ""}],
    )

    printed = agent.fire(platform, event)

    text = "The importer trims: ä €.\n\n[memdock message 7] Review a skill."
    context = f"<memdock-context>\n{text}\n</memdock-context>"
    assert printed == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
    assert hook_server.paths() == ["/recall", "/agent-inbox", "/agent-inbox/7/ack", "/events"]
    assert hook_server.asked[0][2] == {
        "session": SESSION,
        "cwd": str(agent.project),
        "query": PROMPT if event == "UserPromptSubmit" else "",
    }
    assert set(hook_server.tokens) == {"Bearer mdk_w_token"}
    assert agent.spool() == []


@pytest.mark.parametrize(("platform", "event"), NOT_TOLD)
def test_at_other_events_nothing_is_printed(agent: Agent, hook_server: HookServer, platform: str, event: str) -> None:
    hook_server.recall = "Never at the end of a turn."

    assert agent.fire(platform, event) == {}
    assert hook_server.paths() == ["/events"]


def test_private_blocks_leave_neither_for_the_spool_nor_for_the_server(agent: Agent, hook_server: HookServer) -> None:
    hook_server.events_status = 503
    said = "the importer <private>a <PRIVATE>pass</private> word</private> is slow <private>secret to the end"

    agent.fire("claude-code", "UserPromptSubmit", prompt=said, **{"<private>key</private>": 1})

    (document,) = agent.kept()
    assert document["events"][0]["prompt"] == "the importer [REDACTED] is slow [REDACTED]"
    assert hook_server.asked[0][2]["query"] == "the importer [REDACTED] is slow [REDACTED]"
    assert "key" not in json.dumps(hook_server.asked) and "secret" not in agent.spool()[0].read_text()


@given(st.lists(st.sampled_from(["<private>", "</private>", "<Private x='1'>", "a ", "<b>", "ä\n"]), max_size=12))
def test_hook_and_server_cut_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert redacted(text) == redaction.clean(text)


@pytest.mark.parametrize("prompt", ["short", "/compact everything"])
def test_what_is_no_question_is_not_looked_up(agent: Agent, hook_server: HookServer, prompt: str) -> None:
    agent.fire("codex", "UserPromptSubmit", prompt=prompt)

    assert hook_server.paths() == ["/agent-inbox", "/events"]


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_a_conversation_that_goes_on_is_told_nothing_again(agent: Agent, hook_server: HookServer, source: str) -> None:
    hook_server.recall = "It has this already."

    assert agent.fire("claude-code", "SessionStart", source=source) == {}
    assert hook_server.paths() == ["/events"]


def test_a_long_question_and_a_long_answer_are_cut(agent: Agent, hook_server: HookServer) -> None:
    hook_server.recall = "x" * 20_000

    printed = agent.fire("codex", "UserPromptSubmit", prompt="why " * 2000)

    assert len(hook_server.asked[0][2]["query"]) == 2000
    assert len(printed["hookSpecificOutput"]["additionalContext"]) < 10_000


def test_a_server_that_does_not_answer_is_not_waited_for(agent: Agent, hook_server: HookServer) -> None:
    hook_server.may_answer.clear()
    del agent.environment["MEMDOCK_HOOK_WAIT"]

    assert agent.fire("claude-code", "UserPromptSubmit") == {}

    assert len(agent.spool()) == 1
    assert "/agent-inbox" not in hook_server.paths()
