"""The bytes of artifacts, named by what they are: below the data directory, or on the storage "artifacts" of STORAGES."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from memory.artifacts.files import PrivateFiles
from memory.artifacts.staging import Staged

FOLDER = "artifacts"
"""In the data directory."""
_FOLDER = "objects/sha256"
_ALIAS = "artifacts"
_DIGEST = re.compile(r"[0-9a-f]{64}")


def put(found: Staged) -> None:
    """Keep bytes; they are there, whole and for good, when this returns. Raises OSError.

    Our own folder is written anew where they are there already: that costs little, and mends a damaged file.
    """
    place, name = _storage(), _name(found.digest)
    if not isinstance(place, PrivateFiles) and has(found.digest, found.length):
        return
    found.file.seek(0)
    saved = place.save(name, File(found.file, name))
    if saved != name:  # somebody was faster, and the storage keeps both
        place.delete(saved)


def has(digest: str, length: int) -> bool:
    """Tell whether bytes are there, as many as there should be."""
    try:
        return _storage().size(_name(digest)) == length
    except OSError:
        return False


def opened(digest: str) -> File[bytes]:
    """Open bytes for reading; the caller closes them. Raises OSError."""
    return _storage().open(_name(digest))


def delete(digest: str) -> None:
    """Remove bytes, if they are there. Raises OSError."""
    _storage().delete(_name(digest))


def digests() -> Iterator[tuple[str, int]]:
    """Return what is on the storage, digest and size, whether anybody knows of it or not."""
    place = _storage()
    for folder in _listed(place, _FOLDER)[0]:
        for name in _listed(place, f"{_FOLDER}/{folder}")[1]:
            if _DIGEST.fullmatch(folder + name):
                digest = f"sha256:{folder}{name}"
                yield digest, place.size(_name(digest))


def sweep(*, before: datetime) -> None:
    """Remove what was being written before a moment and never came to its end."""
    if isinstance(place := _storage(), PrivateFiles):
        place.sweep(before=before)


def key(digest: str) -> str:
    """Return the key of bytes as Patchouli has it: `sha256/<64 hex digits>`."""
    return digest.replace(":", "/")


def _name(digest: str) -> str:
    found = digest.removeprefix("sha256:")
    return f"{_FOLDER}/{found[:2]}/{found[2:]}"


def _listed(place: Storage, folder: str) -> tuple[list[str], list[str]]:
    try:
        return place.listdir(folder)
    except FileNotFoundError:
        return [], []


def _storage() -> Storage:
    if _ALIAS in storages.backends:
        return storages[_ALIAS]
    return _own(Path(settings.DATA_DIR) / FOLDER)


@cache
def _own(location: Path) -> PrivateFiles:
    return PrivateFiles(location)
