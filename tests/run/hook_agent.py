"""An agent that runs hooks: what it hands over at each event, and what is left of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.waiting import DEADLINE

SESSION = "9c1e7a52-0000-4000-8000-000000000001"
PROMPT = "why does the importer skip rows?"

EVENTS: dict[str, dict[str, dict[str, Any]]] = {
    "claude-code": {
        "SessionStart": {"source": "startup", "model": "claude-x"},
        "UserPromptSubmit": {"prompt_id": "6f0c", "permission_mode": "default", "prompt": PROMPT},
        "Stop": {"prompt_id": "6f0c", "stop_hook_active": False, "last_assistant_message": "It trims them."},
        "StopFailure": {"error": "server_error", "last_assistant_message": "API Error: …"},
        "SubagentStop": {
            "agent_id": "a13d",
            "agent_type": "Explore",
            "agent_transcript_path": "/home/u/.claude/projects/-shop/9c/subagents/agent-a13d.jsonl",
            "last_assistant_message": "Found three …",
        },
        "PreCompact": {"trigger": "auto", "custom_instructions": None},
        "PostCompact": {"trigger": "auto", "compact_summary": "1. Primary request …"},
        "SessionEnd": {"reason": "other"},
    },
    "codex": {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"turn_id": "01a2", "prompt": PROMPT},
        "Stop": {"turn_id": "01a2", "stop_hook_active": False, "last_assistant_message": None},
        "SubagentStop": {"turn_id": "01a2", "agent_id": "b1", "agent_type": "worker"},
        "PreCompact": {"turn_id": "01a2", "trigger": "manual"},
        "PostCompact": {"turn_id": "01a2", "trigger": "manual"},
        "SessionEnd": {"reason": "other"},
    },
}
ALL = [(platform, event) for platform, events in EVENTS.items() for event in events]
TOLD = [one for one in ALL if one[1] in {"SessionStart", "UserPromptSubmit"}]
NOT_TOLD = [one for one in ALL if one not in TOLD]


@dataclass
class Agent:
    """An agent that runs hooks in a project, with MemDock's data elsewhere."""

    project: Path
    data: Path
    environment: dict[str, str] = field(default_factory=dict)

    def given(self, platform: str, event: str, **over: Any) -> dict[str, Any]:
        common = {
            "session_id": SESSION,
            "transcript_path": str(self.project / "t.jsonl"),
            "cwd": str(self.project),
            "hook_event_name": event,
        }
        return common | EVENTS[platform][event] | over

    def run(self, platform: str, event: str, given: bytes, *arguments: str, **variables: str) -> dict[str, Any]:
        """Run a hook to its end; return what it printed, which is always one JSON object and nothing else."""
        command = [sys.executable, "-m", "memsite.cli", "hook", platform, event, *arguments]
        done = subprocess.run(
            command,
            input=given,
            env=self.variables(**variables),
            cwd=self.project,
            capture_output=True,
            timeout=DEADLINE,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.endswith(b"\n") and done.stdout.count(b"\n") == 1
        printed: dict[str, Any] = json.loads(done.stdout)
        return printed

    def fire(self, platform: str, event: str, **over: Any) -> dict[str, Any]:
        return self.run(platform, event, json.dumps(self.given(platform, event, **over)).encode())

    def variables(self, **over: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMDOCK_", "CLAUDE_"))}
        return kept | {"MEMDOCK_DATA_DIR": str(self.data)} | self.environment | over

    def spool(self) -> list[Path]:
        return sorted((self.data / "spool").glob("*"))

    def kept(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in self.spool()]
