"""Runs one call of a tool; whatever happens, the model reads one answer."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.timezone import now

from memory.mcp import refusals
from memory.mcp.answers import Answer
from memory.mcp.caller import Call, Caller
from memory.mcp.refusals import Refusal
from memory.mcp.registry import TOOLS
from memory.mcp.tool import Tool

_SHOWN = 60


def visible(caller: Caller) -> list[Tool]:
    """Return the tools that a caller sees: those of its profile which it may call."""
    return [tool for tool in TOOLS.values() if tool.name in caller.tools and caller.scope.covers(tool.needs)]


def run(caller: Caller, name: str, given: Mapping[str, object]) -> Answer:
    """Call a tool with whatever was sent; never raises."""
    tool = TOOLS.get(name) if name in caller.tools else None
    if tool is None:
        return Refusal(f"Unknown tool: {name[:_SHOWN]}").answer()
    try:
        _check_scope(caller, tool)
        return tool.run(Call(caller, now()), tool.arguments.model_validate(given))
    except Exception as exc:  # noqa: BLE001 - a model can go on after an answer, not after a broken connection
        return refusals.answer(exc, failing=tool.failing)


def _check_scope(caller: Caller, tool: Tool) -> None:
    if not caller.scope.covers(tool.needs):
        message = f"{tool.name} needs a token of scope {tool.needs}; this one has {caller.scope}."
        raise Refusal(message, "insufficient_scope")
