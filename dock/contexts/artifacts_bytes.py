"""The bytes of an artifact for who wants them: whole, or as an image that a page may show."""

from __future__ import annotations

from dataclasses import dataclass
from mimetypes import guess_extension
from typing import BinaryIO, cast

from dock.contexts.artifacts_record import may_be_shown
from memory.artifacts import blobs, media
from memory.artifacts.staging import HEAD
from memory.models import Artifact


@dataclass(frozen=True, slots=True)
class Served:
    """An open file, which the caller closes, its size in bytes, what it is called and what it is."""

    file: BinaryIO
    size: int
    name: str
    media_type: str


def whole(row: Artifact) -> Served | None:
    """Open an artifact for downloading; None where it is deleted, or its bytes are not what they should be."""
    if row.deleted_at or row.blob is None or not blobs.has(row.blob.digest, row.blob.byte_length):
        return None
    try:
        file = cast("BinaryIO", blobs.opened(row.blob.digest))
    except OSError:  # it went just now
        return None
    return Served(file, row.blob.byte_length, _name(row), media.UNKNOWN)


def picture(row: Artifact) -> Served | None:
    """Open an image that a page may show, with the type that its bytes say; None for anything else."""
    found = whole(row)
    if found is None:
        return None
    head = found.file.read(HEAD)
    if may_be_shown(row, head) is None:
        found.file.close()
        return None
    found.file.seek(0)
    return Served(found.file, found.size, found.name, media.sniffed(head))


def _name(row: Artifact) -> str:
    return row.name or f"artifact-{row.pk}{guess_extension(row.media_type) or ''}"
