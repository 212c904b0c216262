"""Texts as vectors: the bundled model, any OpenAI-shaped endpoint, or none."""

from __future__ import annotations
