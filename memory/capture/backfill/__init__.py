"""Backfill: what agents kept of their conversations before MemDock was there becomes captures, once."""

from __future__ import annotations
