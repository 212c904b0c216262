"""What happens in an agent's loop, for the memory plugins: they are told, they are asked, and the model may use them.

It adds no prompts, chooses no memories and reads no files. Source of the semantics: dsh-patchouli's agent-loop adapter.
"""

from __future__ import annotations

NAME = "dsh-patchouli-agent-loop"
"""Patchouli's name of the adapter, by which its plugins and routings know the calls."""
