"""Hooks of Claude Code and Codex: the ends of a turn, and the rest from the transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.capture import document, work
from memory.capture.accept import Accepted, accept
from memory.models import Capture, Observation, Session, Setting
from tests.makers import make_project, make_tree

pytestmark = pytest.mark.django_db(transaction=True)

SESSION = "9c1e7a52-0000-4000-8000-000000000001"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(make_tree(tmp_path / "harbor"))
    Setting.objects.create(project=None, key="capture.summarizer", value="extractive")
    return tmp_path / "harbor"


@pytest.fixture
def transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where Claude Code keeps the transcript of the session."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    folder = tmp_path / "claude" / "projects" / "-harbor"
    folder.mkdir(parents=True)
    return folder / f"{SESSION}.jsonl"


def hook(root: Path, event: dict[str, Any], *, transcript: Path | None = None, **given: Any) -> Accepted:
    platform = given.pop("platform", "claude-code")
    common = {"session_id": SESSION, "cwd": str(root), "transcript_path": str(transcript or "")}
    data = {
        "platform": platform,
        "session": {"id": given.pop("session", SESSION), "cwd": str(root), **given.pop("facts", {})},
        "transcript": str(transcript) if transcript else None,
        "events": [common | event],
    }
    return accept(document.parse(data | given), at=timezone.now())


def prompt(text: str = "why does the importer skip rows?", ident: str = "p-1") -> dict[str, Any]:
    return {"hook_event_name": "UserPromptSubmit", "prompt_id": ident, "prompt": text}


def stop(answer: str = "It trims them.", ident: str = "p-1") -> dict[str, Any]:
    event = {"hook_event_name": "Stop", "prompt_id": ident, "stop_hook_active": False}
    return event | {"last_assistant_message": answer}


def lines(answer: str) -> list[dict[str, Any]]:
    common = {"sessionId": SESSION, "timestamp": "2026-11-30T09:00:00Z", "isSidechain": False}
    asked = {"role": "user", "content": "why does the importer skip rows?"}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -x"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "3 passed"}
    return [
        common | {"type": "user", "uuid": "u-1", "parentUuid": None, "promptId": "p-1", "message": asked},
        common | {"type": "assistant", "uuid": "u-2", "parentUuid": "u-1", "message": {"id": "m1", "content": [call]}},
        common | {"type": "user", "uuid": "u-3", "parentUuid": "u-2", "message": {"content": [result]}},
        common
        | {
            "type": "assistant",
            "uuid": "u-4",
            "parentUuid": "u-3",
            "message": {"id": "m2", "content": [{"type": "text", "text": answer}], "stop_reason": "end_turn"},
        },
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def journal(root: Path) -> str:
    return "".join(path.read_text() for path in (root / ".memsearch" / "memory").glob("*.md"))


def test_prompt_and_stop_make_a_turn_that_the_transcript_completes(root: Path, transcript: Path) -> None:
    write(transcript, lines("It trims them."))
    assert hook(root, prompt(), transcript=transcript).captures == ()

    (taken,) = hook(root, stop(), transcript=transcript).captures
    work.step(at=timezone.now())

    assert taken.state == "queued"
    assert f"<!-- session:{SESSION} turn:u-1 transcript:{transcript} -->" in journal(root)
    assert "- Claude Code used Bash\n" in journal(root)
    assert Capture.objects.get().state == "written"


def test_an_answer_that_the_transcript_lacks_is_taken_from_the_hook(root: Path, transcript: Path) -> None:
    write(transcript, lines("It trims them.")[:3])
    hook(root, prompt(), transcript=transcript)
    hook(root, stop(), transcript=transcript)

    work.step(at=timezone.now())

    assert "- Answer: It trims them.\n" in journal(root)
    assert "- Claude Code used Bash\n" in journal(root)


def test_without_a_transcript_prompt_and_answer_are_the_turn(root: Path) -> None:
    hook(root, prompt())
    hook(root, stop())

    work.step(at=timezone.now())

    assert "turn:p-1 transcript: -->\n- User asked: why does the importer skip rows?\n- Answer: It trims them." in (
        journal(root)
    )


def test_a_stop_that_comes_again_is_the_same_turn(root: Path) -> None:
    hook(root, prompt())
    hook(root, stop())

    (taken,) = hook(root, stop("Other words.")).captures

    assert taken.state == "captured"
    assert Capture.objects.count() == 1


def test_a_failed_turn_keeps_what_was_asked_and_the_error(root: Path) -> None:
    hook(root, prompt())
    hook(root, {"hook_event_name": "StopFailure", "prompt_id": "p-1", "error": "rate_limit"})

    capture = Capture.objects.get()
    assert "why does the importer" in capture.rendered
    assert "rate_limit" in capture.rendered
    assert "The turn ended early: error." in capture.rendered


def test_a_sub_agent_is_not_captured_but_its_learnings_are(root: Path) -> None:
    hook(root, prompt())
    said = "## Key Learnings:\n\n1. The berth table has to be locked before the tide table is read\n"
    event = {"hook_event_name": "SubagentStop", "agent_id": "a1", "last_assistant_message": said}
    facts = {"origin": "subagent", "parent_session": SESSION}

    (taken,) = hook(root, event, session=f"{SESSION}/a1", facts=facts).captures

    assert (taken.state, taken.reason) == ("skipped", "Turns of sub-agents are not captured.")
    assert Observation.objects.get().type == "passive"


def test_a_compaction_is_archived_once(root: Path) -> None:
    event = {"hook_event_name": "PostCompact", "trigger": "auto", "compact_summary": "We were fixing the importer."}

    hook(root, event)
    hook(root, event)

    saved = Observation.objects.get()
    assert (saved.topic_key, saved.type) == ("session/compaction-recovery", "session_summary")
    assert saved.content == "We were fixing the importer."


def test_codex_tells_a_turn_by_notify_alone(root: Path) -> None:
    event = {
        "type": "agent-turn-complete",
        "thread-id": SESSION,
        "turn-id": "t-1",
        "input-messages": ["why does the importer skip rows?"],
        "last-assistant-message": "It trims them.",
    }

    (first,) = hook(root, event, platform="codex").captures
    (second,) = hook(root, event, platform="codex").captures
    work.step(at=timezone.now())

    assert (first.state, second.state) == ("queued", "captured")
    assert "turn:t-1 rollout: -->\n- User asked: why does the importer skip rows?" in journal(root)


def test_the_end_of_a_session_is_noted_and_a_later_event_opens_it_again(root: Path) -> None:
    hook(root, {"hook_event_name": "SessionEnd", "reason": "other"}, final=True)
    assert Session.objects.get(key=SESSION).ended_at

    hook(root, prompt())

    assert Session.objects.get(key=SESSION).ended_at is None
