"""DSH's plugin, driven without a DSH."""

from __future__ import annotations
