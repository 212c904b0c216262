"""One module a noun; function views."""

from __future__ import annotations
