"""Which module knows which agent's store."""

from __future__ import annotations

from types import ModuleType
from typing import cast

from memory.capture.backfill.stores import claude_code, codex, dsh, openclaw, opencode
from memory.capture.backfill.stores.base import Store

_MODULES: dict[str, ModuleType] = {
    "claude-code": claude_code,
    "codex": codex,
    "openclaw": openclaw,
    "opencode": opencode,
    "dsh": dsh,
}

PLATFORMS = tuple(_MODULES)


def of(platform: str) -> Store:
    """Return what knows the store of an agent, one of PLATFORMS."""
    return cast("Store", _MODULES[platform])
