"""Capture: from events to the journal."""

from __future__ import annotations
