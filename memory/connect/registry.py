"""Which agents can be connected."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from memory.connect.agents import claude_code, clients, codex, dsh, openclaw, opencode, others
from memory.connect.plan import Plan, Scope

AGENTS: dict[str, Callable[[Scope], Plan]] = {
    "dsh": dsh.plan,
    "claude-code": claude_code.plan,
    "codex": codex.plan,
    "opencode": opencode.plan,
    "openclaw": openclaw.plan,
    **{name: partial(clients.plan, name) for name in clients.CLIENTS},
    "mcp": others.any_client,
    "engram": others.engram,
}
