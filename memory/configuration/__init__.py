"""How MemSearch and MemDock are set up: what its files say, and what a person chose in MemDock."""

from __future__ import annotations
