"""Journals, sessions and documents as a memory plugin."""

from __future__ import annotations
