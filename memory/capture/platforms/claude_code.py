"""Claude Code: its hooks, and its transcript for what they do not tell."""

from __future__ import annotations

from memory.capture.platforms.hooks import place, read
from memory.journal.anchors import Kind

anchor_kind: Kind = "transcript"
agent_name = "Claude Code"

__all__ = ["agent_name", "anchor_kind", "place", "read"]
