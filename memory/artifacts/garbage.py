"""Removes the bytes that nothing needs any more, a day after that was so."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import batched

from django.db import transaction
from django.db.models import Exists, OuterRef

from memory.artifacts import blobs
from memory.models import Artifact, Blob

GRACE = timedelta(days=1)
"""How long what was deleted can be brought back, and how long unknown bytes may belong to somebody who still writes."""

_PART = 500
_ANY = Artifact.objects.filter(blob=OuterRef("pk"))
_LIVE = _ANY.filter(deleted_at=None)

logger = logging.getLogger("memdock.artifacts")


@dataclass(frozen=True, slots=True)
class Collected:
    """How many artifacts and contents are gone, and how many bytes that freed."""

    artifacts: int
    blobs: int
    size: int


def collect(*, at: datetime) -> Collected:
    """Forget artifacts that were deleted a day ago, and the bytes that nothing has needed for a day.

    May be stopped anywhere and run again. What cannot be removed now is tried again the next time.
    """
    before = at - GRACE
    artifacts, _ = Artifact.objects.filter(deleted_at__lte=before).delete()
    _mark(at=at)
    _adopt(at=at)
    blobs.sweep(before=before)
    sizes = [_remove(blob, before=before) for blob in Blob.objects.filter(unreferenced_at__lte=before).order_by("pk")]
    return Collected(artifacts, sum(size is not None for size in sizes), sum(filter(None, sizes)))


def _mark(*, at: datetime) -> None:
    """Note since when nothing needs a content, and take that back where something does: whoever deletes a project, say,
    knows nothing of blobs.
    """
    Blob.objects.filter(~Exists(_LIVE), unreferenced_at=None).update(unreferenced_at=at)
    Blob.objects.filter(Exists(_LIVE)).exclude(unreferenced_at=None).update(unreferenced_at=None)


def _adopt(*, at: datetime) -> None:
    """Give files that nobody knows a row, so that they go as all others do, or are somebody's again by then."""
    for part in batched(blobs.digests(), _PART):
        known = set(Blob.objects.filter(digest__in=[digest for digest, _ in part]).values_list("digest", flat=True))
        rows = [
            Blob(digest=digest, byte_length=size, created_at=at, unreferenced_at=at)
            for digest, size in part
            if digest not in known
        ]
        Blob.objects.bulk_create(rows, ignore_conflicts=True)


def _remove(blob: Blob, *, before: datetime) -> int | None:
    """Remove a content and return its size; None where something needs it after all.

    Row and file go in one transaction, the file last: whoever stores the same content meanwhile waits for the row, finds
    neither, and writes both again (see actions.store). A crash after the file is gone brings the row back, and the next
    round, or the next who stores this, finds it without a file. The other way round, a file could go right after
    somebody relied on it.
    """
    try:
        with transaction.atomic():
            mine = Blob.objects.filter(~Exists(_ANY), pk=blob.pk, unreferenced_at__lte=before)
            if not mine.update(unreferenced_at=blob.unreferenced_at):  # holds the row until the end
                return None
            Blob.objects.filter(pk=blob.pk).delete()
            blobs.delete(blob.digest)
    except OSError as exc:
        logger.warning("%s cannot be removed now: %s", blob.digest, exc)
        return None
    return blob.byte_length
