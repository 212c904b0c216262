"""The agent's loop: what is told to memory plugins, asked of them, and kept for them."""

from __future__ import annotations
