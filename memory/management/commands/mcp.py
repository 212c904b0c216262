"""`memdock mcp`: the tools of the memory for one agent, over standard input and output."""

from __future__ import annotations

import argparse
import os
import signal

from django.core.management.base import CommandParser

from memory.audit import Actor
from memory.management.base import MemdockCommand
from memory.mcp import profiles
from memory.mcp.caller import Caller, working_directory
from memory.mcp.registry import TOOLS
from memory.projects import bindings, names

_AGENT = Actor(user=None, label="agent on stdio")


class Command(MemdockCommand):
    help = "serve the tools of the memory to one agent (MCP over stdio)"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--tools", type=_tools, default="all", help="agent, admin or names of tools, with commas between them (all)"
        )
        parser.add_argument("--project", type=_project, default="", help="the project, whatever the directory says")

    def handle(self, *args: object, tools: frozenset[str], project: str, **options: object) -> None:
        from memory.mcp import stdio  # the SDK takes a second to load, which no other command's help shall wait for

        # A thread that waits for the next line cannot be interrupted; nothing that was committed is lost.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # An agent that MemDock itself started, to summarise, must not remember that.
        own = bool(os.environ.get("MEMDOCK_DISABLE"))
        stdio.serve(
            Caller(
                actor=_AGENT,
                tools=frozenset() if own else tools,
                directory=working_directory(),
                project=project,
            )
        )


def _tools(text: str) -> frozenset[str]:
    try:
        return profiles.chosen(text, TOOLS)
    except profiles.UnknownTool as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc


def _project(text: str) -> str:
    try:
        return bindings.plain_name(text) if text.strip() else ""
    except names.InvalidName as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc
