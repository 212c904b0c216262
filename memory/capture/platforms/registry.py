"""Which module reads which agent."""

from __future__ import annotations

from types import ModuleType
from typing import cast

from memory.capture.platforms import claude_code, codex, dsh, openclaw, opencode, plain
from memory.capture.platforms.base import Platform

_MODULES: dict[str, ModuleType] = {
    "claude-code": claude_code,
    "codex": codex,
    "dsh": dsh,
    "openclaw": openclaw,
    "opencode": opencode,
}


def of(name: str) -> Platform:
    """Return the reader of an agent; any other agent speaks the plain shape."""
    return cast("Platform", _MODULES.get(name, plain))
