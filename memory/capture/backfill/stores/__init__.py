"""Where agents keep conversations, one module an agent: which there are, and what each says of itself."""

from __future__ import annotations
