"""Connecting agents: what gets into their configuration, and out of it again."""

from __future__ import annotations
