"""Files, images and facts as a memory plugin."""

from __future__ import annotations
