"""Media types: what somebody says a content is, held against what it looks like."""

from __future__ import annotations

import re

from memory.artifacts.errors import ArtifactError

UNKNOWN = "application/octet-stream"
IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")

_LONGEST = 200
_NAME = r"[a-z0-9][a-z0-9!#$&^_.+-]*"
_TYPE = re.compile(rf"({_NAME}/{_NAME})\s*(?:;[\x20-\x7e]*)?")
_TEXT = re.compile(r"text/.+|.+\+xml|.+\+json|application/(?:json|xml|javascript|ecmascript|x-javascript)")
_SHOWN = re.compile(r"image/.+|application/pdf")
_DRAWING = "image/svg+xml"


def parsed(told: str) -> str:
    """Return a media type in lower case, without parameters. Raises ArtifactError for what is none."""
    found = _TYPE.fullmatch(told.strip().lower())
    if not found or len(found[1]) > _LONGEST:
        raise ArtifactError("its media type is not of the form type/subtype")
    return found[1]


def checked(told: str, head: bytes) -> str:
    """Return the type that a content gets: for what browsers show by themselves its first bytes decide, not the word.

    An image or a PDF is one by its bytes, whatever it is called; what is only called so, or is called text and is
    none, is of unknown type. `told` is "" where nobody says anything.
    """
    if found := sniffed(head):
        return found
    is_text = b"\0" not in head
    if told == _DRAWING and is_text and b"<svg" in head:
        return told
    if _SHOWN.fullmatch(told) or (_TEXT.fullmatch(told) and not is_text):
        return UNKNOWN
    return told or UNKNOWN


def sniffed(head: bytes) -> str:
    """Return the type of an image or a PDF by its first bytes, "" for anything else."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return "application/pdf" if head.startswith(b"%PDF-") else ""
