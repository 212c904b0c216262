"""A real DSH, from wheels, against a real MemDock."""

from __future__ import annotations
