"""The name of the Milvus collection that MemSearch keeps for a project."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

_NAME_BYTES = 40


def collection(root: Path) -> str:
    """Return the collection of the project in `root`, which need not exist; links are followed.

    The rule is MemSearch's `derive-collection.sh`, which all its plugins share.
    """
    # Not `Path.resolve`: before Python 3.13 that raises on links that go round in a circle.
    return of_path(os.path.realpath(root))


def of_path(path: str) -> str:
    """Return the collection for an absolute path that holds no links and no `..`."""
    raw = b"/" + os.fsencode(path).lstrip(b"/")  # POSIX keeps two leading slashes, `realpath -m` does not
    return f"ms_{_name(raw.rsplit(b'/', 1)[1])}_{hashlib.sha256(raw).hexdigest()[:8]}"


def _name(basename: bytes) -> str:
    # Byte by byte, as `tr` works: only ASCII is lowered. The cut comes last and may leave an underscore at the end.
    slug = re.sub(rb"[^a-z0-9]+", b"_", basename.lower()).strip(b"_")
    return slug[:_NAME_BYTES].decode("ascii")
