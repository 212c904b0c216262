"""MCP over streamable HTTP with the SDK: stateless, with JSON replies."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from memory.api.asgi import Receive, Scope, Send
from memory.mcp import server
from memory.mcp.caller import Caller

_CALLER = "memdock.caller"
_SERVER = server.build(lambda context: context.request.scope[_CALLER])  # type: ignore[attr-defined]  # a Starlette one


async def answer(caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request of a caller.

    The SDK's manager has tasks, which live as long as its `run()`, in one event loop. Made anew for each request, it
    needs no lifespan, which Daphne does not have, and neither a request that is cancelled nor another loop breaks it.
    """
    manager = StreamableHTTPSessionManager(_SERVER, json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request({**scope, "headers": _accepting(scope["headers"]), _CALLER: caller}, receive, send)


def _accepting(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Let a client that names no type accept any, as HTTP has it; the SDK would refuse it."""
    is_named = any(name.lower() == b"accept" for name, _ in headers)
    return [*headers] if is_named else [*headers, (b"accept", b"*/*")]
