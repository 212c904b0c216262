"""The `.engram` directory of a repository: a manifest, and chunks that are never rewritten."""

from __future__ import annotations

import json
from collections.abc import Iterator

from memory.disk import DiskError, Missing, Tree
from memory.engram.exchange.documents import JsonDocument
from memory.engram.exchange.report import Note, Tally

DIRECTORY = ".engram"
MANIFEST = "manifest.json"
CHUNKS = "chunks"
SUFFIX = ".jsonl.gz"

_LARGEST_MANIFEST = 64 * 1024 * 1024


def is_one(tree: Tree, path: str = "") -> bool:
    """Tell whether a folder of a tree is such a directory. Raises DiskError."""
    return any(item.name in {MANIFEST, CHUNKS} for item in tree.scan(path))


def documents(tree: Tree, tally: Tally, *, prefix: str = "") -> list[JsonDocument]:
    """Return the chunks in the order of the manifest, then those that it misses; what is not as it should be is noted.

    `prefix` leads from the tree to the directory, and ends in `/` unless it is empty.
    """
    listed = _listed(tree, f"{prefix}{MANIFEST}", tally)
    there = _there(tree, f"{prefix}{CHUNKS}", tally)
    for name in listed:
        if name not in there:
            tally.skipped.append(Note(f"chunk {name}", "The manifest names it, but there is no such file."))
    unlisted = sorted(there - set(listed))
    for name in unlisted:
        tally.problems.append(Note(f"chunk {name}", "The manifest does not name it; it is imported all the same."))
    found = [name for name in listed if name in there] + unlisted
    return [JsonDocument.at(tree, f"{prefix}{CHUNKS}/{name}{SUFFIX}", name=f"chunk {name}") for name in found]


def is_named_rightly(name: str, digest: str) -> bool:
    """Tell whether a chunk's name is the start of its digest."""
    return name.removeprefix("chunk ") == digest[:8]


def _listed(tree: Tree, path: str, tally: Tally) -> list[str]:
    """Return the ids that the manifest names, each once."""
    try:
        content = tree.read(path, limit=_LARGEST_MANIFEST).data
        entries = json.loads(content.decode("utf-8-sig")).get("chunks") or []
        return list(dict.fromkeys(_ids(entries)))
    except Missing:
        tally.problems.append(Note(MANIFEST, "There is none; every chunk that is there is imported."))
    except DiskError as exc:
        tally.problems.append(Note(MANIFEST, str(exc)))
    except (ValueError, RecursionError, AttributeError, TypeError):
        tally.problems.append(Note(MANIFEST, "It is no manifest of Engram; every chunk that is there is imported."))
    return []


def _ids(entries: list[object]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            yield entry["id"].encode(errors="replace").decode()


def _there(tree: Tree, path: str, tally: Tally) -> set[str]:
    try:
        items = tree.scan(path)
    except Missing:
        return set()
    except DiskError as exc:
        tally.problems.append(Note(CHUNKS, str(exc)))
        return set()
    return {item.name.removesuffix(SUFFIX) for item in items if item.name.endswith(SUFFIX) and item.kind != "dir"}
