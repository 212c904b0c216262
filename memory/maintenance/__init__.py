"""Upkeep: what MemSearch calls maintenance. Journals are summed up in PROJECT.md, USER.md and skill candidates."""

from __future__ import annotations
