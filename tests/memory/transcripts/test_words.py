"""Whose words a line holds: a person's, or those of a harness, a channel or a plugin in a person's guise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.transcripts.claude_code import words as claude
from memory.transcripts.codex import words as codex
from memory.transcripts.openclaw import words as openclaw

PLAIN = st.text(st.characters(exclude_characters="<[#:"), min_size=1).filter(str.strip)


@given(PLAIN)
def test_plain_words_are_left_alone_by_all(text: str) -> None:
    text = text.removeprefix("\ufeff")
    assert claude.spoken(text) == codex.spoken(text) == openclaw.spoken(text) == text


@given(st.text())
def test_only_a_head_is_ever_cut_from_what_a_person_said(text: str) -> None:
    for spoken in (claude.spoken(text), codex.spoken(text)):
        assert text.endswith(spoken)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("<system-reminder>a\nb</system-reminder>\nFix it.", "Fix it."),
        ("\ufeff <ide_opened_file>x</ide_opened_file> <ide_selection>y</ide_selection>Go.", "Go."),
        ("<system-reminder>only this</system-reminder>", ""),
        ("<system-reminder>never closed", "<system-reminder>never closed"),
        (
            "What does <system-reminder>x</system-reminder> mean?",
            "What does <system-reminder>x</system-reminder> mean?",
        ),
    ],
)
def test_claude_codes_context_before_the_words_is_cut(text: str, spoken: str) -> None:
    assert claude.spoken(text) == spoken


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Fix it.", "prompt"),
        ("Why does it say [Request interrupted by user]?", "prompt"),
        ("", "injected"),
        (" \n", "injected"),
        ("<command-name>/model</command-name>", "command"),
        ("<command-message>model</command-message>", "command"),
        ("<local-command-stdout>done</local-command-stdout>", "command-output"),
        ("<bash-stdout>x</bash-stdout>", "command-output"),
        ("[Request interrupted by user for tool use]", "interrupt"),
        ("\n<task-notification>x", "notification"),
        ("Stop hook feedback: no", "injected"),
        ("This session is being continued from", "injected"),
        ("Caveat: the messages below", "injected"),
    ],
)
def test_claude_codes_user_lines_have_kinds(text: str, kind: str) -> None:
    assert claude.kind(text) == kind


def test_a_command_is_shown_as_it_was_typed() -> None:
    line = "<command-message>review is running</command-message>\n<command-name>/review</command-name><command-args>12 </command-args>"
    assert claude.command(line) == "/review 12"
    assert claude.command("<command-name>/clear") == "/clear"


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>", ""),
        ("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>x</INSTRUCTIONS>\nGo.", "Go."),
        ("# AGENTS.md instructions for /p with no end", ""),
        ("# AGENTS.md is too long", "# AGENTS.md is too long"),
        ("<environment_context>x</environment_context><skill>y</skill> Go.", "Go."),
        ("<permissions instructions>x</permissions instructions>", ""),
        ('<codex_internal_context source="goal">x</codex_internal_context>Go.', "Go."),
        ("<skills>are plural</skills>", "<skills>are plural</skills>"),
    ],
)
def test_codexs_context_before_the_words_is_cut(text: str, spoken: str) -> None:
    assert codex.spoken(text) == spoken


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("[Wed 2026-01-07 09:12 UTC] Hello", "Hello"),
        ("[Wed 2026-01-07 09:12 GMT+8] Hello", "Hello"),
        ("[Wed] Hello", "[Wed] Hello"),
        ("Recent memories (use memory_search for full search):\n- a\n- b\n\nHello", "Hello"),
        ("Recent memories (use memory_search for full search):\n- a", ""),
        ("Sender (untrusted metadata):\n```json\n{}\n```\n\nHello", "\nHello"),
        ("System: [2026-01-07] Node started\nSystem: [x] y\nHello", "Hello"),
        ("Hello\n[message_id: 41]", "Hello"),
        ("Is this (untrusted metadata): yes?", "Is this (untrusted metadata): yes?"),
        ("Tell me about System: [x] y", "Tell me about System: [x] y"),
    ],
)
def test_openclaws_metadata_before_the_words_is_cut(text: str, spoken: str) -> None:
    assert openclaw.spoken(text) == spoken


def test_openclaws_directives_are_cut_from_answers() -> None:
    assert openclaw.said("[[reply_to_current]] Yes. [[audio_as_voice]]") == "Yes. "
    assert openclaw.said("[[reply_to:41]]No [[wiki link]]") == "No [[wiki link]]"
