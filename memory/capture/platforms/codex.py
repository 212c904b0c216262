"""Codex: its hooks and `notify`, and its rollout for what they do not tell."""

from __future__ import annotations

from memory.capture.platforms.hooks import place, read
from memory.journal.anchors import Kind

anchor_kind: Kind = "rollout"
agent_name = "Codex"

__all__ = ["agent_name", "anchor_kind", "place", "read"]
