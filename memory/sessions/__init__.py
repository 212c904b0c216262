"""Conversations of agents."""

from __future__ import annotations
