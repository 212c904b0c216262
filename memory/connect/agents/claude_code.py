"""Claude Code: hooks in its settings, an MCP server and a skill."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memory.connect import hooks, own_files, programs, servers, steps
from memory.connect.plan import Plan, Scope
from memory.connect.steps import Edit, Outcome
from memory.transcripts.conversation import JsonObject

NAME = "claude-code"
PROGRAM = "claude"

_SECONDS = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "Stop": 10,
    "StopFailure": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "PostCompact": 10,
    "SessionEnd": 10,
}
_FIRST_WITH_ARGUMENTS = (2, 1, 139)
"""Below this version `args` is not known, and only `command` would run."""


def plan(scope: Scope) -> Plan:
    """Plan for the person's own settings, or for those that a project shares: there without absolute paths."""
    command = programs.BARE if scope.project else programs.memdock()
    config = scope.project / ".claude" if scope.project else scope.place("CLAUDE_CONFIG_DIR", ".claude")
    server: JsonObject = {"type": "stdio", "command": command, "args": ["mcp"], "env": {}}
    edit = Edit(_servers(scope, config), servers.part(("mcpServers",), server, is_strict=True))
    return Plan(
        agent=NAME,
        steps=(
            Edit(config / "settings.json", hooks.part(NAME, _handlers(command))),
            edit if scope.project else _LiveEdit(edit, command),
            own_files.skill(config / "skills"),
        ),
        then=("Start Claude Code in the project and accept the trust dialog of the folder, once.",),
        needs_token=True,
    )


def _servers(scope: Scope, config: Path) -> Path:
    if scope.project:
        return scope.project / ".mcp.json"
    return config / ".claude.json" if os.environ.get("CLAUDE_CONFIG_DIR") else scope.home / ".claude.json"


def _handlers(command: str) -> dict[str, JsonObject]:
    known = programs.version(PROGRAM)
    is_old = known is not None and known < _FIRST_WITH_ARGUMENTS
    return {event: _handler(command, event, seconds, is_old=is_old) for event, seconds in _SECONDS.items()}


def _handler(command: str, event: str, seconds: int, *, is_old: bool) -> JsonObject:
    if is_old:
        return {"type": "command", "command": f'"{command}" hook {NAME} {event}', "timeout": seconds}
    return {"type": "command", "command": command, "args": ["hook", NAME, event], "timeout": seconds}


@dataclass(frozen=True, slots=True)
class _LiveEdit:
    """`~/.claude.json`, which Claude Code rewrites all the time: changed by its own command where that is there."""

    edit: Edit
    command: str

    def look(self, *, is_removal: bool) -> Outcome:
        return self.edit.look(is_removal=is_removal)

    def do(self, *, is_removal: bool, at: datetime) -> Outcome:
        outcome = self.look(is_removal=is_removal)
        if outcome.state == "unchanged" or not (program := shutil.which(PROGRAM)):
            return self.edit.do(is_removal=is_removal, at=at)
        if is_removal or (outcome.state == "changed" and self.edit.look(is_removal=True).state != "unchanged"):
            steps.run((program, "mcp", "remove", "--scope", "user", servers.NAME))
        if not is_removal:
            steps.run((program, "mcp", "add", "--scope", "user", servers.NAME, "--", self.command, "mcp"))
        rest = self.edit.do(is_removal=is_removal, at=at)  # what its command writes in another way
        return replace(outcome, backup=rest.backup)
