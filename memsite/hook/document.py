"""The capture document of an event (contract section 6), and which events are left alone."""

from __future__ import annotations

import os
from pathlib import Path

from memsite.hook.given import Json
from memsite.hook.places import data_dir
from memsite.hook.redaction import without_private

_GUARDS = ("MEMSEARCH_DISABLE", "MEMSEARCH_NO_WATCH", "MEMSEARCH_DSH_SUMMARIZE")


def is_guarded(given: Json) -> bool:
    """Tell whether this is an agent that MemDock or MemSearch runs itself, or one that is to be left alone."""
    if os.environ.get("MEMDOCK_DISABLE", "") not in {"", "0"} or "MEMSEARCH_IN_STOP_WORKER" in os.environ:
        return True
    if any(os.environ.get(name) == "1" for name in _GUARDS):
        return True
    try:
        return Path(str(given.get("cwd") or Path.cwd())).resolve().is_relative_to(data_dir().resolve())
    except (OSError, ValueError):
        return False


def as_document(platform: str, event: str, given: Json) -> Json:
    """Make the capture document (contract section 6); private blocks do not leave this process."""
    session = str(given.get("session_id") or given.get("thread-id") or "")
    cwd = given.get("cwd") or str(Path.cwd())
    if platform == "claude-code":  # where the session started; the other one follows every `cd`
        cwd = os.environ.get("CLAUDE_PROJECT_DIR") or cwd
    facts: Json = {"id": session, "cwd": str(cwd)}
    transcript = given.get("transcript_path")
    if event.startswith("Subagent") and given.get("agent_id"):
        facts |= {"id": f"{session}/{given['agent_id']}", "parent_session": session, "origin": "subagent"}
        transcript = given.get("agent_transcript_path") or transcript
    document: Json = {
        "platform": platform,
        "session": facts,
        "final": event == "SessionEnd" and given.get("reason") != "resume",
        "transcript": transcript if isinstance(transcript, str) else None,
        "events": [given if event == "notify" else {"hook_event_name": event} | given],
    }
    return {key: without_private(value) for key, value in document.items()}


def is_worth_keeping(document: Json, event: str, given: Json) -> bool:
    """Leave out what names no session, and the helper with which Claude Code compacts."""
    return bool(document["session"]["id"]) and not (event == "SubagentStop" and given.get("agent_type") == "")
