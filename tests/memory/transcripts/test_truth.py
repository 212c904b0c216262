"""Every turn of every fixture: words, tools, states, and nothing that must not be seen."""

from __future__ import annotations

import hashlib
from typing import Any

from memory.transcripts.conversation import Attachment, Tool, Turn
from memory.transcripts.limits import LIMITS
from memory.transcripts.reading import Shown
from tests import untouched
from tests.memory.transcripts.homes import Home, Truth


def test_reads_every_turn_as_it_was(any_home: Home) -> None:
    for session in any_home.truth["sessions"]:
        transcript = any_home.all_of(session)
        expected = any_home.turns(session)
        assert [_read(turn) for turn in transcript.turns] == [_expected(turn) for turn in expected], session["path"]
        assert transcript.is_start
        assert transcript.is_end
        assert not transcript.truncated


def test_reads_tool_outputs_to_the_last_sign(any_home: Home) -> None:
    for session in any_home.truth["sessions"]:
        for turn, truth in zip(any_home.all_of(session).turns, any_home.turns(session), strict=True):
            for tool, expected in zip(turn.tools, truth["tools"], strict=True):
                assert _output(tool, cut="output" not in expected) == _expected_output(expected)


def test_links_calls_to_the_conversations_they_started(home: Home) -> None:
    links = [
        (tool.subagent, expected["subagent"])
        for session in home.truth["sessions"]
        for turn, truth in zip(home.all_of(session).turns, home.turns(session), strict=True)
        for tool, expected in zip(turn.tools, truth["tools"], strict=True)
        if "subagent" in expected and session["platform"] != "dsh"  # whose calls do not say what they started
    ]
    assert len(links) == 3
    assert all(link and link in expected for link, expected in links)


def test_cuts_long_outputs_and_tells_their_size(home: Home) -> None:
    long = [
        (tool, expected)
        for session in home.truth["sessions"]
        for turn, truth in zip(home.all_of(session, limits=LIMITS).turns, home.turns(session), strict=False)
        for tool, expected in zip(turn.tools, truth["tools"], strict=True)
        if "output_chars" in expected
    ]
    assert len(long) == 7
    for tool, expected in long:
        assert tool.output is not None
        assert tool.output_size == expected["output_chars"]
        assert len(tool.output) < LIMITS.output + 100
        assert tool.output.startswith(expected["output_head"])
        assert tool.output.endswith(expected["output_tail"])


def test_shows_nothing_by_default_that_is_not_the_conversation(any_home: Home) -> None:
    for session in any_home.truth["sessions"]:
        shown = repr(any_home.all_of(session, shown=Shown()))
        assert [leak for leak in session["forbidden"] if leak["marker"] in shown] == []
        assert "LEAK-" not in shown


def test_shows_nothing_that_must_never_be_seen_even_when_asked(any_home: Home) -> None:
    seen = 0
    for session in any_home.truth["sessions"]:
        shown = repr(any_home.all_of(session))
        assert [leak for leak in session["forbidden"] if leak["scope"] == "never" and leak["marker"] in shown] == []
        seen += sum(leak["marker"] in shown for leak in session["forbidden"])
    assert seen  # what a person may ask for is there


def test_hides_what_was_taken_back_or_copied(home: Home) -> None:
    for session in home.truth["sessions"]:
        turns = home.all_of(session, shown=Shown()).turns
        expected = [turn for turn in home.turns(session) if turn["active"] and not turn.get("replayed")]
        assert [turn.user for turn in turns] == [turn["user"] for turn in expected]
        assert not any(turn.thinking for turn in turns)


def test_leaves_every_file_as_it_was(home: Home) -> None:
    before = untouched.below(home.path)
    for session in home.truth["sessions"]:
        home.all_of(session)
    assert untouched.below(home.path) == before


def _read(turn: Turn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "trigger": turn.trigger,
        "user": turn.user,
        "user_more": list(turn.user_more),
        "assistant": list(turn.assistant),
        "thinking": list(turn.thinking),
        "tools": [(tool.name, tool.input, tool.is_error) for tool in turn.tools],
        "attachments": list(turn.attachments),
        "status": turn.status,
        "active": turn.is_active,
        "replayed": turn.is_replayed,
    }


def _expected(turn: Truth) -> dict[str, Any]:
    same = ("trigger", "user", "user_more", "assistant", "thinking", "status", "active")
    return {
        "id": str(turn["id"] or ""),
        "tools": [(tool["name"], tool["input"], tool["error"]) for tool in turn["tools"]],
        "attachments": [Attachment(**attachment) for attachment in turn["attachments"]],
        "replayed": turn.get("replayed", False),
    } | {key: turn[key] for key in same}


def _output(tool: Tool, *, cut: bool) -> tuple[int, str | None]:
    text = tool.output
    return tool.output_size, hashlib.sha256(text.encode()).hexdigest() if cut and text is not None else text


def _expected_output(tool: Truth) -> tuple[int, str | None]:
    if "output" in tool:
        return len(tool["output"] or ""), tool["output"]
    return tool["output_chars"], tool["output_sha256"]
