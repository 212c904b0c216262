"""The day files of projects as Milvus knows them: which collection, which source, which text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from memory.disk import DiskError, Missing, Tree
from memory.journal.sync import DIRECTORY, READ_LIMIT
from memory.models import Journal, Project
from memory.projects.collection import collection
from memory.search.backends.milvus.chunks import Chunk, chunk
from memory.transcripts import redaction

LONGEST_SOURCE = 1024
"""Bytes of a path that MemSearch's schema has room for."""

_DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md", re.ASCII)
_ENTRY = re.compile(r"^(?=### \d\d:\d\d|## )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Home:
    """A project's place in Milvus; `directory` is the real path of its journals."""

    project: str
    collection: str
    memory_dir: str

    @property
    def directory(self) -> str:
        return f"{self.memory_dir.rstrip('/')}/{DIRECTORY}"

    def source(self, path: str) -> str:
        """Return the source of a journal, whose path counts from the memory directory."""
        return f"{self.memory_dir.rstrip('/')}/{path}"

    def owns(self, source: str) -> bool:
        """Tell whether a source is a day file of this project; MemSearch indexes other markdown as well."""
        folder, _, name = source.rpartition("/")
        return folder == self.directory and bool(_DAY_FILE.fullmatch(name))


def home(*, name: str, root: str, memory_dir: str) -> Home:
    """Return where Milvus keeps a project that has a memory directory."""
    return Home(name, collection(Path(root) if root else Path(memory_dir).parent), memory_dir)


def versions() -> Iterator[tuple[Home, dict[str, str]]]:
    """Yield each project's place and the hashes of its journals by source, as the rows know them. Two queries."""
    projects = Project.objects.exclude(memory_dir="").order_by("pk")
    rows = Journal.objects.order_by("project_id").values_list("project_id", "path", "content_hash")
    hashes = {pk: list(own) for pk, own in groupby(rows, key=lambda row: row[0])}
    for project in projects:
        place = home(name=project.name, root=project.root, memory_dir=project.memory_dir)
        own = ((place.source(path), kept) for _, path, kept in hashes.get(project.pk, []))
        yield place, {source: kept for source, kept in own if len(source.encode()) <= LONGEST_SOURCE}


def read(place: Home, source: str) -> list[Chunk] | None:
    """Return the chunks of a day file as it is on disk, None where it is gone or cannot be read now."""
    try:
        with Tree(Path(place.memory_dir)) as tree:
            data = tree.read(source.removeprefix(f"{place.memory_dir.rstrip('/')}/"), limit=READ_LIMIT).data
    except DiskError:
        return None
    return chunk(public(data.decode("utf-8", "replace")), source)


def is_gone(place: Home, source: str) -> bool:
    """Tell whether a day file was deleted; a whole folder that is missing may come back."""
    try:
        with Tree(Path(place.memory_dir)) as tree:
            tree.stat(DIRECTORY)
            tree.stat(f"{DIRECTORY}/{source.rpartition('/')[2]}")
    except Missing:
        return Path(place.directory).is_dir()
    except DiskError:
        return False
    return False


def public(text: str) -> str:
    """Take private blocks out of each entry, and leave every entry on its line."""
    if "<private" not in text.casefold():
        return text
    return "".join(map(_public, _ENTRY.split(text)))


def _public(part: str) -> str:
    kept = redaction.clean(part)
    return kept + "\n" * (part.count("\n") - kept.count("\n"))
