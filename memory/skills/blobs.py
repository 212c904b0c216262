"""Old texts out of the store's own git: single objects, read without running git."""

from __future__ import annotations

import re
import zlib

from memory.disk import DiskError, Tree
from memory.skills import store

_HASH = re.compile(r"gitblob:([0-9a-f]{2})([0-9a-f]{38})")


def read(tree: Tree, content_hash: str) -> bytes | None:
    """Return the file with this hash, None where the store has no loose object of it; what it holds is checked."""
    found = _HASH.fullmatch(content_hash)
    if not found:
        return None
    try:
        packed = tree.read(f"{store.FOLDER}/.git/objects/{found[1]}/{found[2]}", limit=store.LIMIT).data
        whole = zlib.decompressobj().decompress(packed, store.LIMIT + 64)
    except (DiskError, zlib.error):
        return None
    data = whole.partition(b"\0")[2]
    return data if store.blob_hash(data) == content_hash else None
