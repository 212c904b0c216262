"""Clients that reach MemDock over MCP alone: one entry in one file each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memory.connect import programs, servers
from memory.connect.plan import Plan, Scope
from memory.connect.refusals import CannotConnect
from memory.connect.steps import Edit
from memory.transcripts.conversation import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Where a client keeps its servers, and in what words; `project` is a path below a project's root."""

    own: Callable[[Scope], list[Path]]
    project: str = ""
    key: str = "mcpServers"
    kind: str = ""
    is_strict: bool = False
    http: str = ""


def _cursor(scope: Scope) -> list[Path]:
    return [scope.home / ".cursor" / "mcp.json"]


def _vscode(scope: Scope) -> list[Path]:
    return [_application_data(scope) / "Code" / "User" / "mcp.json"]


def _gemini(scope: Scope) -> list[Path]:
    return [scope.home / ".gemini" / "settings.json"]


def _windsurf(scope: Scope) -> list[Path]:
    usual, other = (scope.home / ".codeium" / name / "mcp_config.json" for name in ("windsurf", "."))
    return [other if other.exists() and not usual.exists() else usual]


def _claude_desktop(scope: Scope) -> list[Path]:
    """Return the usual place, and that of the Windows Store's build where it is installed."""
    packages = Path(os.environ.get("LOCALAPPDATA") or scope.home / "AppData" / "Local") / "Packages"
    stored = [path / "LocalCache" / "Roaming" / "Claude" for path in sorted(packages.glob("Claude_*"))]
    folders = stored or [_application_data(scope) / "Claude"]
    return [folder / "claude_desktop_config.json" for folder in folders]


def _application_data(scope: Scope) -> Path:
    if os.name == "nt":
        return Path(os.environ.get("APPDATA") or scope.home / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return scope.home / "Library" / "Application Support"
    return scope.place("XDG_CONFIG_HOME", ".config")


CLIENTS = {
    "cursor": Client(
        own=_cursor,
        project=".cursor/mcp.json",
        http='{"url": "URL", "headers": {"Authorization": "Bearer ${env:MEMDOCK_TOKEN}"}}',
    ),
    "vscode": Client(
        own=_vscode,
        project=".vscode/mcp.json",
        key="servers",
        kind="stdio",
        http='{"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${input:memdock-token}"}} with '
        '"inputs": [{"type": "promptString", "id": "memdock-token", "description": "MemDock token", "password": true}]',
    ),
    "gemini": Client(
        own=_gemini,
        project=".gemini/settings.json",
        http='{"httpUrl": "URL", "headers": {"Authorization": "Bearer $MEMDOCK_TOKEN"}, "timeout": 10000}',
    ),
    "windsurf": Client(
        own=_windsurf, http='{"serverUrl": "URL", "headers": {"Authorization": "Bearer ${env:MEMDOCK_TOKEN}"}}'
    ),
    "claude-desktop": Client(own=_claude_desktop, is_strict=True),
}


def plan(name: str, scope: Scope) -> Plan:
    """Plan an entry that starts `memdock mcp`. Raises CannotConnect where a client has no files in projects."""
    client = CLIENTS[name]
    if scope.project and not client.project:
        raise CannotConnect(f"{name} has one configuration for all projects; leave --project out.")
    paths = [scope.project / client.project] if scope.project else client.own(scope)
    command = programs.BARE if scope.project else programs.memdock()
    kind: JsonObject = {"type": client.kind} if client.kind else {}
    server: JsonObject = kind | {"command": command, "args": ["mcp"]}
    part = servers.part((client.key,), server, is_strict=client.is_strict)
    return Plan(
        agent=name,
        steps=tuple(Edit(path, part) for path in paths),
        then=("Quit the client and start it again.",),
        notes=(_over_http(client),) if client.http else (),
    )


def _over_http(client: Client) -> str:
    return f"From another machine or a container, the entry is {client.http.replace('URL', address())}."


def address() -> str:
    """Return where this MemDock answers MCP over HTTP."""
    base = os.environ.get("MEMDOCK_URL") or f"http://127.0.0.1:{os.environ.get('MEMDOCK_PORT') or 7437}"
    return f"{base.rstrip('/')}/mcp"
