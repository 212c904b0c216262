"""What a tool answers: one text, which is JSON wherever it says more than a sentence."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone

from memory.engram.text import LIMIT
from memory.mcp.places import Place

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The text that the model reads."""

    text: str
    is_error: bool = False


def told(value: object, *, is_error: bool = False) -> Answer:
    """Answer with JSON."""
    # A text that no client could be sent must not end the connection.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace").decode()
    return Answer(text, is_error=is_error)


def enveloped(place: Place, result: str, extra: Json | None = None) -> Answer:
    """Answer with a text for the model, the project that it is about, and what programs may want beside them."""
    envelope = {"project": place.name, "project_source": place.source, "project_path": place.path, "result": result}
    if place.warning:
        envelope["warning"] = place.warning
    return told(envelope | (extra or {}))


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def local(moment: datetime) -> str:
    """Return a moment in `ENGRAM_TIMEZONE`, or in the zone of this MemDock, as `YYYY-MM-DD HH:MM:SS`."""
    return timezone.localtime(moment, _zone()).strftime("%Y-%m-%d %H:%M:%S")


def truncation(content: str, full_size: int | None) -> Json:
    """Describe what was cut off a content; `full_size` is None where nothing was."""
    size = len(content.encode(errors="replace")) if full_size is None else full_size
    return {"original_bytes": size, "limit_bytes": LIMIT, "truncated": full_size is not None}


def cut_warning(full_size: int | None) -> str:
    """Return a line about a content that was cut, or ""."""
    if full_size is None:
        return ""
    return (
        f"\n⚠ WARNING: Content was truncated from {full_size} to {LIMIT} bytes. "
        "Consider splitting into smaller observations."
    )


def _zone() -> ZoneInfo | None:
    try:
        return ZoneInfo(os.environ["ENGRAM_TIMEZONE"])
    except (KeyError, ValueError, OSError):  # not set, or no zone of this machine
        return None
