"""The spool: deliveries that hooks left as files because no server answered them; the worker takes them in."""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from memory.capture import document
from memory.capture.accept import accept

logger = logging.getLogger("memdock.capture")

FOLDER = "spool"
REFUSED = "spool-refused"
"""What could not be read is put here, for a person to look at."""
KEPT = timedelta(days=30)
_BATCH = 50


def drain(*, at: datetime) -> int:
    """Take in what waits, oldest first; return how many files. A file goes only after its delivery is durable.

    A crash in between takes it in again, which changes nothing. Raises DatabaseError; then nothing is lost.
    """
    folder = settings.DATA_DIR / FOLDER
    files = sorted(path for path in folder.glob("*.json") if path.is_file()) if folder.is_dir() else []
    for path in files[:_BATCH]:
        _take(path, at=at)
    return len(files[:_BATCH])


def _take(path: Path, *, at: datetime) -> None:
    if datetime.fromtimestamp(path.stat().st_mtime, at.tzinfo) < at - KEPT:
        logger.warning("%s waited for more than %d days; it is dropped.", path.name, KEPT.days)
        path.unlink(missing_ok=True)
        return
    try:
        data = path.read_bytes()
        if len(data) > document.LARGEST:
            raise document.BadDocument("The file is too large.", "")
        parsed = document.parse(json.loads(data))
    except (ValueError, RecursionError) as exc:
        logger.warning("%s is no capture document (%s); it is kept in %s.", path.name, exc, REFUSED)
        refused = path.parent.parent / REFUSED
        refused.mkdir(mode=0o700, exist_ok=True)
        path.replace(refused / path.name)
        return
    accept(parsed, at=at)
    path.unlink(missing_ok=True)
