"""Clients of the SDK: over the streams of a real `memdock mcp`, and over HTTP."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests import loops
from tests.places import ROOT

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent whose client speaks to a server."""

    client: Client

    async def names(self) -> set[str]:
        return {tool.name for tool in (await self.client.list_tools()).tools}

    async def call(self, name: str, /, **given: Any) -> tuple[str, bool]:
        """Call a tool; return its text, and whether it is an error."""
        result = await self.client.call_tool(name, given)
        (content,) = result.content
        assert content.type == "text"
        return content.text, bool(result.is_error)

    async def use(self, name: str, /, **given: Any) -> str:
        """Call a tool; return the text of an answer that is no error."""
        text, is_error = await self.call(name, **given)
        assert not is_error, text
        return text

    async def read(self, name: str, /, **given: Any) -> dict[str, Any]:
        """Call a tool; return the JSON of an answer that is no error."""
        told: dict[str, Any] = json.loads(await self.use(name, **given))
        return told

    async def refused(self, name: str, /, **given: Any) -> str:
        text, is_error = await self.call(name, **given)
        assert is_error, text
        return text


type Scene = Callable[[Agent], Awaitable[None]]


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "memsite.cli", "mcp", *options]


def environment(**variables: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "CLAUDE_PROJECT_DIR": ""} | variables


def on_stdio(scene: Scene, *options: str, directory: str, mode: str = "auto", **variables: str) -> None:
    """Play a scene with a `memdock mcp` that was started in a directory."""
    program, *arguments = command(*options)
    server = StdioServerParameters(command=program, args=arguments, env=environment(**variables), cwd=directory)
    loops.run(_play(scene, Client(stdio_client(server), mode=mode)))


def over_http(scene: Scene, url: str, token: str, *, mode: str = "auto") -> None:
    """Play a scene with a web server that is there already."""

    async def played() -> None:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE_S) as http:
            await _play(scene, Client(streamable_http_client(url, http_client=http), mode=mode))

    loops.run(played())


async def _play(scene: Scene, client: Client) -> None:
    with anyio.fail_after(PATIENCE_S):
        async with client:
            await scene(Agent(client))
