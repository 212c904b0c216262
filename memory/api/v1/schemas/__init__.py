"""The JSON shapes of version 1, by noun; each knows how to be made of a row."""

from __future__ import annotations
