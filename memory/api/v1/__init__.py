"""MemDock's own JSON API, version 1: one module a noun, each with a router."""

from __future__ import annotations
