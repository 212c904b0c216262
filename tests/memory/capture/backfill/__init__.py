"""Tests of what is taken in from agents' own session stores."""

from __future__ import annotations
