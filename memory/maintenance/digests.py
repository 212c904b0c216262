"""What the journals of a project are at a moment, as MemSearch computes it: equal digests mean that nothing is new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from memory.disk import DiskError, Missing, Tree
from memory.maintenance.places import Place

EMPTY = "sha256:empty"
LARGEST = 64 * 1024 * 1024
"""Bytes of one file that count; MemSearch reads all of them, but no journal is so large."""

_PIECE = 1024 * 1024
_DEEPEST = 16  # folders in folders; journals lie in none


def digest(place: Place) -> str:
    """Return `sha256:` and the SHA-256 over every `*.md` below a folder: path, NUL, bytes, NUL, in order of their paths.

    Raises DiskError where the folder cannot be read. Links are not followed (MemSearch reads linked files).
    """
    try:
        with Tree(place.root) as tree:
            tree.scan(place.path)
            return _digest(tree, place.path)
    except Missing:
        return EMPTY


def found(tree: Tree, folder: str, *, room: int = _DEEPEST) -> Iterator[tuple[str, ...]]:
    """Yield the path of every Markdown file below a folder, in parts. Raises DiskError for that folder only."""
    for item in tree.scan(folder):
        if not item.openable:
            continue
        if item.kind == "dir" and room:
            yield from ((item.name, *rest) for rest in _below(tree, f"{folder}/{item.name}", room - 1))
        elif item.kind == "file" and item.name.endswith(".md"):
            yield (item.name,)


def _below(tree: Tree, folder: str, room: int) -> Iterator[tuple[str, ...]]:
    try:
        yield from found(tree, folder, room=room)
    except DiskError:  # gone meanwhile, or closed to us: MemSearch passes it over too
        return


def _digest(tree: Tree, folder: str) -> str:
    total = hashlib.sha256()
    for parts in sorted(found(tree, folder)):
        path = "/".join(parts)
        try:
            file = tree.open(f"{folder}/{path}")
        except DiskError:
            continue
        with file:
            total.update(path.encode() + b"\0")
            left = LARGEST
            while left > 0 and (piece := file.read(min(_PIECE, left))):
                total.update(piece)
                left -= len(piece)
            total.update(b"\0")
    return f"sha256:{total.hexdigest()}"
