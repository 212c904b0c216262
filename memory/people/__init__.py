"""People: how they sign in."""

from __future__ import annotations
