"""What a page prints: frozen dataclasses, built the same way for the page and for its fragments."""

from __future__ import annotations
