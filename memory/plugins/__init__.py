"""The memory plugins that MemDock brings along; each comes in through the same door as one of somebody else."""

from __future__ import annotations
