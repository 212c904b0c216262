"""OpenCode: a plugin of one file, an MCP server in its configuration, and a skill."""

from __future__ import annotations

from pathlib import Path

from memory.connect import own_files, programs, servers
from memory.connect.plan import Plan, Scope
from memory.connect.steps import Edit
from memory.transcripts.conversation import JsonObject

NAME = "opencode"

_LISTING_MS = 30_000
_CONFIGURATIONS = ("opencode.jsonc", "opencode.json")


def plan(scope: Scope) -> Plan:
    """Plan for the person's own configuration, which is at the same place on every system, or for a project's."""
    own = scope.place("XDG_CONFIG_HOME", ".config") / "opencode"
    folder = scope.project / ".opencode" if scope.project else own
    command = programs.BARE if scope.project else programs.memdock()
    server: JsonObject = {"type": "local", "command": [command, "mcp"], "enabled": True, "timeout": _LISTING_MS}
    return Plan(
        agent=NAME,
        steps=(
            own_files.plugin(folder / "plugins" / "memdock.js", own_files.HERE / "opencode" / "memdock.js"),
            Edit(_configuration(scope.project or own), servers.part(("mcp",), server, is_strict=False)),
            own_files.skill(folder / "skills"),
        ),
        then=("Start OpenCode again.",),
        needs_token=True,
    )


def _configuration(folder: Path) -> Path:
    """Return the file that is there; OpenCode reads both, a new one has no comments."""
    return next((path for name in _CONFIGURATIONS if (path := folder / name).exists()), folder / _CONFIGURATIONS[-1])
