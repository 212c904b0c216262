"""Codex: hooks in a file of their own, an MCP server in its configuration, and a skill."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from memory.connect import files, hooks, own_files, programs, toml
from memory.connect.plan import Plan, Scope
from memory.connect.refusals import CannotConnect, Unreadable
from memory.connect.steps import Edit
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject

NAME = "codex"

_SECONDS = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "Stop": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "PostCompact": 10,
    "SessionEnd": 3,  # Codex allows no more there
}
_FIRST_WITH_HOOKS = (0, 116, 0)
_FIRST_WITH_HOOKS_ON = (0, 130, 0)
_STARTUP_SECONDS = 30

_TRUST = "Open Codex, type /hooks and trust the MemDock entries: until then it runs none of them. Restart its sessions."
_NOTIFY = (
    'Without trust, `notify = ["memdock", "hook", "codex", "notify"]` above the first table of config.toml captures '
    'turns. Codex has one such slot; a command that is there goes behind it: [..., "notify", "--then", "theirs"].'
)


def plan(scope: Scope) -> Plan:
    """Plan for the person's own configuration, or for a project that Codex trusts."""
    config = scope.project / ".codex" if scope.project else scope.place("CODEX_HOME", ".codex")
    command = programs.BARE if scope.project else programs.memdock()
    server: JsonObject = {"command": command, "args": ["mcp"], "startup_timeout_sec": _STARTUP_SECONDS}
    skills = scope.project / ".agents" / "skills" if scope.project else config / "skills"
    return Plan(
        agent=NAME,
        steps=(
            Edit(config / "hooks.json", hooks.part(NAME, _handlers(scope))),
            Edit(config / "config.toml", toml.part(server)),
            own_files.skill(skills),
        ),
        then=(_TRUST,),
        notes=tuple(_notes(config)),
        needs_token=True,
    )


def _handlers(scope: Scope) -> dict[str, JsonObject]:
    """Return a handler an event. Their order and words stay from release to release: Codex trusts exactly those."""
    is_bare = bool(scope.project or shutil.which(programs.BARE))
    command = programs.BARE if is_bare else programs.memdock()
    return {event: _handler(command, event, seconds) for event, seconds in _SECONDS.items()}


def _handler(command: str, event: str, seconds: int) -> JsonObject:
    """Codex runs a line in the session's shell: a bare word means the same in each, a path must be quoted."""
    line = f"{shlex.quote(command)} hook {NAME} {event}"
    handler: JsonObject = {"type": "command", "command": line, "timeout": seconds}
    if command != programs.BARE and os.name == "nt":
        handler["commandWindows"] = f'& "{command}" hook {NAME} {event}'
    return handler | {"statusMessage": "MemDock"} if event == "SessionStart" else handler


def _notes(config: Path) -> Iterator[str]:
    known = programs.version("codex")
    if known and known < _FIRST_WITH_HOOKS:
        yield f"This Codex ({'.'.join(map(str, known))}) has no hooks that MemDock can use. {_NOTIFY}"
    elif known and known < _FIRST_WITH_HOOKS_ON:
        yield "This Codex runs hooks only with `codex_hooks = true` (later: `hooks = true`) under [features]."
    else:
        yield _NOTIFY
    settings = _settings(config)
    if fields.record(settings.get("features")).get("hooks") is False:
        yield "Hooks are switched off in config.toml (features.hooks = false); MemDock leaves that as it is."
    if isinstance(settings.get("hooks"), dict):
        yield "config.toml has hooks too; Codex reads both files and says so at its start."


def _settings(config: Path) -> JsonObject:
    try:
        return toml.read(files.read(config / "config.toml").text)
    except (CannotConnect, Unreadable):  # the step says so
        return {}
