"""Files and images that agents hand over: read once, kept once by their content, given out inert."""

from __future__ import annotations
