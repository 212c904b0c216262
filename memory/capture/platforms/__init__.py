"""How each agent's events become turns: one module an agent."""

from __future__ import annotations
