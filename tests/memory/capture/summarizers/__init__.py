"""Summarizers."""

from __future__ import annotations
