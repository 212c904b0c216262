"""MCP over the standard streams of this process, for one client."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from memory.mcp import server
from memory.mcp.caller import Caller


def serve(caller: Caller) -> None:
    """Serve until standard input ends, or nobody reads standard output any more."""
    try:
        anyio.run(_serve, caller)
    except* BrokenPipeError:
        pass


async def _serve(caller: Caller) -> None:
    built = server.build(lambda context: caller)
    async with stdio_server() as (read, write):
        await built.run(read, write, built.create_initialization_options())
