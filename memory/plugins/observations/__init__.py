"""Saved memories and prompts as a memory plugin."""

from __future__ import annotations
