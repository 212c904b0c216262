"""The agents whose conversations can be read."""

from __future__ import annotations

from memory.transcripts.claude_code.files import CLAUDE_CODE
from memory.transcripts.codex.files import CODEX
from memory.transcripts.dsh.files import DSH
from memory.transcripts.openclaw.files import OPENCLAW
from memory.transcripts.opencode.files import OPENCODE
from memory.transcripts.places import Unavailable
from memory.transcripts.readers import Reader

READERS: dict[str, Reader] = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "openclaw": OPENCLAW,
    "opencode": OPENCODE,
    "dsh": DSH,
}


def reader(platform: str) -> Reader:
    """Return the reader of a platform; raise `Unavailable` for one that there is none for."""
    if platform not in READERS:
        raise Unavailable(
            "unknown", "The conversation is in an unknown format: no agent that MemDock can read wrote it."
        )
    return READERS[platform]
