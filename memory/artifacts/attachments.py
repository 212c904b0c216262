"""Images in the events of a turn: which ones there are, and where their bytes come from.

DSH tells of an image by its attachment and keeps the bytes below `$DSH_HOME/attachments/v1`, named by what they are:
`objects/<first two>/<64 hex digits>`. Source: deepseek-harness-runtime-bin 0.2.1rc2. Others may send them along as base64.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TypeGuard

from memory.artifacts import media
from memory.artifacts.errors import ArtifactError
from memory.artifacts.staging import Staged, check
from memory.disk import DiskError, Tree
from memory.service.values import Json
from memory.transcripts import roots

_BY_CONTENT = re.compile(r"sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Image:
    """An attachment as an event tells it; `data` is base64, "" where the bytes are elsewhere."""

    id: str
    media_type: str
    length: int
    width: int
    height: int
    name: str
    data: str


def images(events: Json) -> list[Image]:
    """Find every `{"type": "image", "attachment": …}` with a valid attachment, at any depth, each attachment once."""
    found: dict[str, Image] = {}
    for image in _scanned(events):
        if image.data or image.id not in found:
            found[image.id] = image
    return list(found.values())


def opened(image: Image) -> IO[bytes]:
    """Open the bytes of an image. Raises ArtifactError where they are not to be had."""
    check(image.length)
    return _inline(image.data) if image.data else _stored(image.id)


def compare(image: Image, found: Staged) -> None:
    """Raise ArtifactError unless the bytes are an image, of the length and the content that were told."""
    if found.length != image.length:
        raise ArtifactError(f"it has {found.length:,} bytes, not {image.length:,}")
    if _BY_CONTENT.fullmatch(image.id) and found.digest != image.id:
        raise ArtifactError("its bytes are not those that its id names")
    if media.sniffed(found.head) not in media.IMAGES:
        raise ArtifactError("its bytes are no PNG, JPEG, WebP or GIF image")


def _scanned(events: Json) -> Iterator[Image]:
    left: list[Json] = [events]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left.extend(reversed(value))
        elif isinstance(value, dict):
            image = _image(value)
            if image:
                yield image
            else:
                left.extend(reversed(value.values()))


def _image(value: dict[str, Json]) -> Image | None:
    told = value.get("attachment")
    if value.get("type") != "image" or not isinstance(told, dict):
        return None
    key, kind = told.get("attachmentId"), told.get("mediaType")
    name, data = told.get("name", ""), value.get("data", "")
    length, width, height = told.get("bytes"), told.get("width"), told.get("height")
    if not isinstance(key, str) or not key or kind not in media.IMAGES or not isinstance(name, str):
        return None
    if not _is_number(length, 0) or not _is_number(width, 1) or not _is_number(height, 1):
        return None
    return Image(key, str(kind), length, width, height, name, data if isinstance(data, str) else "")


def _is_number(value: Json, least: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _inline(data: str) -> IO[bytes]:
    check(len(data) // 4 * 3 - 2)
    try:
        return BytesIO(b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        raise ArtifactError("its data is no base64") from None


def _stored(attachment_id: str) -> IO[bytes]:
    if match := _BY_CONTENT.fullmatch(attachment_id):
        for folder in _folders():
            try:
                with Tree(folder) as tree:
                    return tree.open(f"objects/{match[1][:2]}/{match[1]}")
            except DiskError:
                continue
    raise ArtifactError("its bytes are neither in the event nor in DSH's attachment store")


def _folders() -> list[Path]:
    """Return where DSH may keep attachments: beside the sessions that MemDock reads, and nowhere else."""
    return [sessions.parent / "attachments" / "v1" for sessions in roots.known("dsh")]
