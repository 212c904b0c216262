"""The newest journals, as they are shown to a model."""

from __future__ import annotations

from memory.disk import DiskError, Tree
from memory.documents import decoding
from memory.engram.redaction import redact
from memory.maintenance import digests
from memory.maintenance.places import Place

MOST_FILES = 12
LARGEST = 8 * 1024 * 1024
"""Bytes of a file that is shown."""
CUT = "[older journal entries left out]\n"


def recent(place: Place, *, most: int) -> str:
    """Return the newest files by their times, the newest last, each below its path; what is too much goes at the front.

    Private blocks are taken out. Raises DiskError where the folder cannot be read.
    """
    with Tree(place.root) as tree:
        texts = [_text(tree, place.path, path) for path in _newest(tree, place.path)]
    text = "\n".join(one for one in texts if one)
    if len(text) <= most:
        return text
    return CUT + text[len(text) - max(0, most - len(CUT)) :]


def _newest(tree: Tree, folder: str) -> list[str]:
    paths = ["/".join(parts) for parts in digests.found(tree, folder)]
    times = []
    for path in paths:
        try:
            times.append((tree.stat(f"{folder}/{path}").modified_ns, path))
        except DiskError:
            continue
    return [path for _, path in sorted(times)[-MOST_FILES:]]


def _text(tree: Tree, folder: str, path: str) -> str:
    """Return a file below its path. One that is too large is left out whole: its private blocks could not be told."""
    try:
        content = tree.read(f"{folder}/{path}", limit=LARGEST)
    except DiskError:
        return ""
    if content.size > LARGEST:
        return f"<!-- source:{path} -->\n[larger than 8 MB, left out]\n"
    return f"<!-- source:{path} -->\n{redact(decoding.decode(content.data)[0])}\n"
