"""Checks of the artifacts: whether their bytes are there and what they were, and how much room they take."""

from __future__ import annotations

import hashlib

from memory.artifacts import blobs, quota
from memory.doctor.check import Check, State
from memory.models import Blob

_NEARLY = 0.9
_PIECE = 1024 * 1024


def room() -> list[Check]:
    """Tell how much room artifacts take. Two queries."""
    used, most = quota.total(), quota.limit()
    state: State = "warn" if used > most * _NEARLY else "ok"
    hint = f"Delete some, or raise {quota.TOTAL}." if state == "warn" else ""
    return [Check("artifacts", "Artifacts", state, f"They take {used / 1e6:,.1f} of {most / 1e6:,.0f} MB.", hint)]


def kept() -> list[Check]:
    """Read the bytes of every artifact, and look for bytes that nobody knows."""
    rows = list(Blob.objects.filter(unreferenced_at=None).order_by("pk"))
    bad = {row.digest: words for row in rows if (words := _trouble(row))}
    known = set(Blob.objects.values_list("digest", flat=True))
    orphans = sum(digest not in known for digest, _ in blobs.digests())
    left = f" {orphans:,} files belong to none; they are removed within two days." if orphans else ""
    if not bad:
        return [Check("artifact-files", "Files of artifacts", "ok", f"All {len(rows):,} are sound.{left}")]
    digest, words = next(iter(bad.items()))
    text = f"{len(bad):,} of {len(rows):,} are not what they were: {digest} {words}.{left}"
    hint = "Hand the same files over again, or bring them back from a backup."
    return [Check("artifact-files", "Files of artifacts", "bad", text, hint)]


def _trouble(row: Blob) -> str:
    try:
        with blobs.opened(row.digest) as file:
            digest = hashlib.sha256()
            while piece := file.read(_PIECE):
                digest.update(piece)
    except FileNotFoundError:
        return "is missing"
    except OSError as exc:
        return f"cannot be read ({exc.strerror or type(exc).__name__})"
    return "" if f"sha256:{digest.hexdigest()}" == row.digest else "is damaged"
