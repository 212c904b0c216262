"""What turns a rendered turn into a few lines: one module a way."""

from __future__ import annotations
