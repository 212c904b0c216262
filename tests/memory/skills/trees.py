"""A candidate as MemSearch writes it, and the reading of a tree in one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memory.disk import Tree
from memory.problems import Problem
from memory.skills import store
from memory.skills.store import Candidate

type Write = Callable[..., None]

SKILL = b'---\nname: tide\ndescription: "Read tide tables"\n---\n\n# Tide *tables*\n\n1. Read.\n'
RECORD: dict[str, object] = {
    "name": "tide",
    "status": "candidate",
    "description": "Read tide tables",
    "content_hash": store.blob_hash(SKILL),
    "occurrences": 3,
    "sources": [".memsearch/memory/2026-01-05.md"],
    "reason": "Seen three times.",
    "installed_paths": [],
    "created_at": "2026-01-05T18:20:07.120450Z",
    "updated_at": "2026-01-06T18:20:07.120450Z",
}


def read(root: Path, slug: str = "tide") -> Candidate:
    with Tree(root) as tree:
        return store.read(tree, slug)


def read_all(root: Path) -> tuple[list[Candidate], list[Problem]]:
    with Tree(root) as tree:
        return store.read_all(tree)
