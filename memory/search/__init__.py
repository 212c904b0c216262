"""One search over everything that is remembered."""

from __future__ import annotations
