"""`memdock hook PLATFORM EVENT`: what an agent runs at its events. The standard library only, and never in its way.

Reads the agent's JSON from standard input, keeps it in the spool, asks what the agent should be told, prints that, and
tries to deliver what it kept. Whatever goes wrong, the agent goes on: exit 0, and at most one line on stderr.
"""

from __future__ import annotations

from memsite.hook.command import main

__all__ = ["main"]
