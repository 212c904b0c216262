"""How each agent is connected: one module an agent, one for all that speak only MCP."""

from __future__ import annotations
