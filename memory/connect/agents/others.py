"""What is only said, as nobody knows the file: any MCP client, and the clients of Engram."""

from __future__ import annotations

import json

from memory.connect import programs
from memory.connect.agents.clients import address
from memory.connect.plan import Plan, Scope


def any_client(scope: Scope) -> Plan:
    """Say both ways of an MCP client: a process, or HTTP with a token."""
    command = programs.BARE if scope.project else programs.memdock()
    process = {"mcpServers": {"memdock": {"command": command, "args": ["mcp"]}}}
    headers = {"Authorization": "Bearer ${MEMDOCK_TOKEN}"}
    http = {"mcpServers": {"memdock": {"type": "http", "url": address(), "headers": headers}}}
    return Plan(
        agent="mcp",
        paste=(json.dumps(process), json.dumps(http)),
        notes=(
            "The first starts a process and needs no token: take it unless the client runs on another machine.",
            "The second needs a token in MEMDOCK_TOKEN: memdock token create NAME --scope write.",
        ),
    )


def engram(scope: Scope) -> Plan:
    """Say what leads the clients of Engram to MemDock, which answers as Engram does."""
    url = address().removesuffix("/mcp")
    port = url.rpartition(":")[2]
    server = {"mcpServers": {"engram": {"command": programs.memdock(), "args": ["mcp", "--tools=agent"]}}}
    return Plan(
        agent="engram",
        paste=(f"export ENGRAM_URL={url}", f"export ENGRAM_PORT={port}", json.dumps(server)),
        notes=(
            "ENGRAM_URL is read by the OpenCode plugin and by dsh-gentle-engram, which then start no server themselves.",
            "ENGRAM_PORT is read by the hooks of Claude Code, which speak to 127.0.0.1 only; stop `engram serve` first.",
            "The last line takes the place of `engram mcp` in any MCP client; the names of the tools are the same.",
            "Where ENGRAM_HTTP_TOKEN is set for MemDock, set the same for dsh-gentle-engram; the other clients send none.",
            "`memdock import ~/.engram/engram.db` brings in what Engram remembers.",
        ),
    )
