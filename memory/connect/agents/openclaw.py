"""OpenClaw: a plugin, two switches without which it does nothing, and an MCP server; all by its own commands."""

from __future__ import annotations

import json
import shlex
import shutil
from functools import partial

from memory.connect import files, own_files, programs, servers
from memory.connect.document import Document
from memory.connect.plan import Plan, Scope
from memory.connect.refusals import CannotConnect, Unreadable
from memory.connect.steps import Command, Step
from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject

NAME = "openclaw"
PROGRAM = "openclaw"
FOLDER = own_files.HERE / "openclaw"

_HOOKS = ("plugins", "entries", "memdock", "hooks")
_SWITCHES = ("allowConversationAccess", "allowPromptInjection")


def plan(scope: Scope) -> Plan:
    """Plan the commands. Raises CannotConnect for a project: OpenClaw has one gateway for all."""
    if scope.project:
        raise CannotConnect("OpenClaw has one gateway for all projects; leave --project out.")
    state = scope.place("OPENCLAW_STATE_DIR", ".openclaw")
    get = partial(_get, _read(scope))
    commands = tuple(_commands(get))
    is_installed = shutil.which(PROGRAM) is not None
    steps: tuple[Step, ...] = (*commands, own_files.skill(state / "skills")) if is_installed else ()
    refused = [name for name in _SWITCHES if get((*_HOOKS, name)) is False]
    return Plan(
        agent=NAME,
        steps=steps,
        paste=tuple(shlex.join(command.put) for command in commands),
        then=("openclaw gateway restart",),
        notes=tuple(f"{name} is switched off; MemDock leaves it so, and hears nothing through it." for name in refused)
        + (() if is_installed else ("There is no `openclaw` on PATH, so its commands are yours to run.",)),
        needs_token=True,
    )


def _commands(get: partial[Json]) -> list[Command]:
    server: JsonObject = {"command": programs.memdock(), "args": ["mcp"]}
    servers_key = ("mcp", "servers", servers.NAME)
    switches = [
        Command(
            put=(PROGRAM, "config", "set", ".".join((*_HOOKS, name)), "true"),
            take=(PROGRAM, "config", "unset", ".".join((*_HOOKS, name))),
            is_done=partial(_is_set, get, name),
        )
        for name in _SWITCHES
        if get((*_HOOKS, name)) is not False
    ]
    return [
        Command(
            put=(PROGRAM, "plugins", "install", str(FOLDER)),
            take=(PROGRAM, "plugins", "uninstall", "memdock", "--force"),
            is_done=lambda: bool(get((*_HOOKS[:3],))),
        ),
        *switches,
        Command(
            put=(PROGRAM, "mcp", "set", servers.NAME, json.dumps(server)),
            take=(PROGRAM, "mcp", "unset", servers.NAME),
            is_done=lambda: servers.is_ours(fields.record(get(servers_key))),
        ),
    ]


def _read(scope: Scope) -> Document | None:
    """Read OpenClaw's configuration; JSON5 that we cannot read is its own affair: then every command is run."""
    path = scope.place("OPENCLAW_STATE_DIR", ".openclaw") / "openclaw.json"
    try:
        return Document(files.read(path).text, is_strict=False)
    except (CannotConnect, Unreadable):
        return None


def _get(document: Document | None, path: tuple[str, ...]) -> Json:
    return document.get(path) if document else None


def _is_set(get: partial[Json], name: str) -> bool:
    return get((*_HOOKS, name)) is True
