"""What a content is, whatever it is called."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.artifacts import images, media
from memory.artifacts.errors import ArtifactError
from memory.artifacts.images import Size
from tests.memory.artifacts.parts import png

GIF = b"GIF89a" + struct.pack("<HH", 3, 4) + b"\0" * 20
JPEG_HEAD = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xfe\x00\x03c\xff\xc2\x00\x11\x08\x00\x05\x00\x07\x03"
WEBP = b"RIFF\x1a\0\0\0WEBP"
LOSSY = WEBP + b"VP8 " + b"\0" * 10 + struct.pack("<HH", 9, 8 | 0x4000)
LOSSLESS = WEBP + b"VP8L\x0d\0\0\0\x2f" + struct.pack("<I", 9 | 7 << 14) + b"\0" * 9
EXTENDED = WEBP + b"VP8X\x0a\0\0\0" + b"\0" * 4 + b"\x05\0\0\x06\0\0"


@pytest.mark.parametrize(
    ("told", "head", "kept"),
    [
        ("image/png", png(), "image/png"),
        ("image/png", b"<html><script>", "application/octet-stream"),
        ("text/html", png(), "image/png"),
        ("text/plain", b"%PDF-1.7", "application/pdf"),
        ("application/pdf", b"<html>", "application/octet-stream"),
        ("image/svg+xml", b"<?xml?><svg>", "image/svg+xml"),
        ("image/svg+xml", b"<html>", "application/octet-stream"),
        ("image/avif", b"anything", "application/octet-stream"),
        ("text/markdown", b"# Tides", "text/markdown"),
        ("text/html", b"\x7fELF\0\0", "application/octet-stream"),
        ("application/json", b"\0", "application/octet-stream"),
        ("application/zip", b"PK\3\4\0", "application/zip"),
        ("", b"# Tides", "application/octet-stream"),
        ("", GIF, "image/gif"),
        ("", b"", "application/octet-stream"),
    ],
)
def test_bytes_decide_what_browsers_show(told: str, head: bytes, kept: str) -> None:
    assert media.checked(told, head) == kept


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("text/plain", "text/plain"),
        (" Text/Markdown; charset=utf-8", "text/markdown"),
        ("application/vnd.api+json", "application/vnd.api+json"),
    ],
)
def test_reads_a_media_type_without_its_parameters(told: str, kept: str) -> None:
    assert media.parsed(told) == kept


@pytest.mark.parametrize(
    "told", ["text", "text/", "/plain", "a/b/c", "text/pl ain", "é/x", "text/plain\nX: y", "a" * 300 + "/b"]
)
def test_refuses_what_is_no_media_type(told: str) -> None:
    with pytest.raises(ArtifactError, match="type/subtype"):
        media.parsed(told)


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (png(width=300, height=200), Size(300, 200)),
        (GIF, Size(3, 4)),
        (JPEG_HEAD, Size(7, 5)),
        (LOSSY, Size(9, 8)),
        (LOSSLESS, Size(10, 8)),
        (EXTENDED, Size(6, 7)),
    ],
)
def test_reads_the_size_of_an_image(head: bytes, size: Size) -> None:
    assert images.size(head) == size
    assert images.size(head[:20]) in {None, size}


@given(
    start=st.sampled_from([png(), GIF, JPEG_HEAD, LOSSY, LOSSLESS, EXTENDED]),
    cut=st.integers(0, 40),
    rest=st.binary(max_size=300),
)
def test_any_bytes_have_a_size_or_none(start: bytes, cut: int, rest: bytes) -> None:
    found = images.size(start[:cut] + rest)
    assert found is None or (found.width > 0 and found.height > 0)
