"""Plain builders for tests of artifacts: images, requests of an agent's loop, and what comes of them."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from pathlib import Path
from threading import Event
from typing import Any

from memory.artifacts import ingest
from memory.models import Artifact
from memory.service.types import Request

TOOL, TURN = "tool/memory-update", "session/turn-end"


def png(*, width: int = 2, height: int = 1, colour: int = 0) -> bytes:
    """Return a whole PNG image of one colour."""
    rows = (b"\0" + bytes([colour]) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def image_block(data: bytes, key: str = "att-1", *, is_inline: bool = True, **over: Any) -> dict[str, Any]:
    """Return an image as an event tells it."""
    attachment = {"attachmentId": key, "mediaType": "image/png", "bytes": len(data), "width": 2, "height": 1}
    told: dict[str, Any] = {"type": "image", "attachment": attachment | over}
    return told | ({"data": b64encode(data).decode()} if is_inline else {})


def resource(path: str | Path, **over: Any) -> dict[str, Any]:
    return {"kind": "workspace-file", "path": str(path), **over}


def request(data: Any, root: Path | str, *, scope: str = "", **attributes: Any) -> dict[str, Any]:
    """Return an update of an agent's loop in a workspace, as it comes over the wire."""
    meta = {
        "source": {"type": "agent-loop", "id": "loop"},
        "scope": scope or str(root),
        "attributes": {"point": TOOL, "sessionId": "s1", "workspaceRoot": str(root), **attributes},
    }
    return {"meta": meta, "data": data}


def take(data: Any, root: Path | str, **over: Any) -> dict[str, Any]:
    """Take an update in, and return what the agent is told."""
    found = ingest.take(Request.parse(request(data, root, **over)), Event())
    assert isinstance(found, dict)
    return found


def take_files(root: Path, *paths: str | Path, **over: Any) -> dict[str, Any]:
    return take({"resources": [resource(path) for path in paths]}, root, **over)


def stored(receipt: dict[str, Any]) -> Artifact:
    """Return the row that a receipt speaks of."""
    return Artifact.objects.select_related("blob", "project", "session").get(pk=receipt["ref"]["id"])
