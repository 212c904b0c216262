"""From an agent's finished turn to an entry of the journal."""

from __future__ import annotations
