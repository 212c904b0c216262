"""Journals on disk, and what Milvus has of them."""

from __future__ import annotations

from pathlib import Path

from django.utils import timezone

from memory.models import Project
from memory.projects import sync
from memory.projects.collection import collection
from memory.search.backends.milvus.collections import Collection
from memory.search.backends.milvus.connection import opened
from tests.makers import make_entry_text, make_tree

DAY = "2026-03-14"


def write_day(tree: Path, *bodies: str, day: str = DAY) -> Path:
    """Write a day with one entry a body; return the project's directory."""
    text = "".join(make_entry_text(f"09:{n:02}", turn=str(n), body=f"- {body}") for n, body in enumerate(bodies))
    return make_tree(tree, {day: f"# {day}\n\n## Session 09:00\n\n{text}"})


def read_again(project: Project) -> None:
    sync.sync(project, at=timezone.now())


def ids(tree: Path) -> set[str]:
    """The ids of all chunks that Milvus has of a project."""
    with opened() as client:
        kept = Collection(client, collection(tree))
        kept.load()
        return {key for own in kept.ids().values() for key in own}


def contents(tree: Path) -> list[str]:
    """The last line of each chunk that Milvus has of a project, by place."""
    with opened() as client:
        Collection(client, collection(tree)).load()
        fields = ["content", "source", "start_line"]
        rows = client.query(collection(tree), filter='chunk_hash != ""', output_fields=fields)
    return [row["content"].splitlines()[-1] for row in sorted(rows, key=lambda row: (row["source"], row["start_line"]))]
