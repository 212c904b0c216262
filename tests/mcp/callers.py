"""Callers of tools in this process, and what they read."""

from __future__ import annotations

import json
from typing import Any

from memory.audit import Actor
from memory.mcp import calls
from memory.mcp.caller import Caller
from memory.mcp.registry import TOOLS


def make_caller(**over: Any) -> Caller:
    """Return a caller that works for the project harbor, and whose directory is not known."""
    values: dict[str, Any] = {
        "actor": Actor(user=None, label="agent"),
        "tools": frozenset(TOOLS),
        "project": "harbor",
    }
    return Caller(**values | over)


def use(caller: Caller, tool: str, /, **given: Any) -> str:
    """Call a tool; return the text of an answer that is no error."""
    answer = calls.run(caller, tool, given)
    assert not answer.is_error, answer.text
    return answer.text


def read(caller: Caller, tool: str, /, **given: Any) -> dict[str, Any]:
    """Call a tool; return the JSON of an answer that is no error."""
    told: dict[str, Any] = json.loads(use(caller, tool, **given))
    return told


def said(caller: Caller, tool: str, /, **given: Any) -> str:
    """Call a tool; return the text for the model in the envelope of its answer."""
    result: str = read(caller, tool, **given)["result"]
    return result


def refused(caller: Caller, tool: str, /, **given: Any) -> str:
    """Make sure that a call is refused; return the text."""
    answer = calls.run(caller, tool, given)
    assert answer.is_error, answer.text
    return answer.text


def refused_as(caller: Caller, code: str, tool: str, /, **given: Any) -> dict[str, Any]:
    """Make sure that a call is refused with this code; return the JSON."""
    body: dict[str, Any] = json.loads(refused(caller, tool, **given))
    assert body["error_code"] == code, body
    assert body["message"] and body["hint"]
    return body
