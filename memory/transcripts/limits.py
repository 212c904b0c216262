"""How much of a conversation is read and shown."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one reading takes in and gives out: characters of texts, bytes of files."""

    text: int = 40_000
    """Characters of one text of a person or an agent."""
    output: int = 8_000
    """Characters of one tool's output: half of it from the head, half from the tail."""
    input: int = 8_000
    """Characters of one tool's input, as JSON."""
    turn: int = 200_000
    """Characters of one turn."""
    tools: int = 500
    """Tool calls of one turn; texts and attachments likewise."""
    total: int = 400_000
    """Characters of all turns together; those around the one asked for give way first."""
    line: int = 64 * MIB
    """Bytes of one line, or of one value in a database; longer ones are skipped."""
    decoded: int = 4096 * MIB
    """Bytes of one file after decompression; the rest is not read."""
    side_file: int = 16 * MIB
    """Bytes of a file in which an agent keeps one long output."""
    database: int = 4096 * MIB
    """Bytes of a database that is copied to be read."""


LIMITS = Limits()


def clipped(text: str, limit: int) -> str:
    """Keep the head and the tail of a text that is longer than `limit` characters, and say how much is missing."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[len(text) - half :]}"
