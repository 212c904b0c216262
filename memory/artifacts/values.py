"""Artifacts in Patchouli's words: the metadata that goes with one, and the value `artifact@1` that it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.api.shapes import iso
from memory.artifacts import blobs
from memory.artifacts.placement import Place
from memory.engram.redaction import redact_all
from memory.models import Artifact
from memory.service.values import Json

PROVIDER = "memdock"
"""Whose the bytes are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an artifact comes from; `revision` says which state of it, `extension` what else is known, by one name."""

    kind: str
    id: str
    revision: str
    source: str
    extension: tuple[str, dict[str, Json]]


def metadata(place: Place, origin: Origin, *, at: datetime) -> Json:
    """Return `{core, extensions}`, without private blocks."""
    now, (name, known) = iso(at), origin.extension
    told: Json = {
        "core": {
            "schema": "patchouli.artifact@1",
            "scope": {"tenant": None, "workspace": place.scope, "user": None, "session": place.session_id or None},
            "origin": {
                "provider": place.provider,
                "binding": "artifacts",
                "native_type": origin.kind,
                "native_id": origin.id,
                "native_revision": origin.revision,
            },
            "time": {
                "event_at": None,
                "source_created_at": None,
                "source_updated_at": None,
                "observed_at": now,
                "ingested_at": now,
            },
            "lifecycle": {"status": "active", "expires_at": None},
            "provenance": [
                {"kind": "imported", "actor": "plugin:artifacts", "source": origin.source, "recorded_at": now}
            ],
        },
        "extensions": {name: known},
    }
    return redact_all(told)


def value(row: Artifact) -> Json:
    """Return the value `artifact@1` of a row that was selected with its blob."""
    return {
        "media_type": row.media_type,
        "name": row.name or None,
        "byte_length": row.blob.byte_length if row.blob else None,
        "digest": row.blob.digest if row.blob else None,
        "placement": _placement(row),
        "metadata": row.metadata,
    }


def receipt(row: Artifact, source: str) -> Json:
    """Return what whoever handed an artifact over is told of it; `source` is how they named it.

    An artifact has one content, so its digest says which version it is. A row that was just made holds enum members,
    which are no strict JSON: hence the plain texts.
    """
    return {
        "ref": {"type": "artifact", "id": str(row.pk)},
        "version": version(row),
        "role": str(row.role),
        "source": {"kind": str(row.origin), "id": source},
    }


def version(row: Artifact) -> str:
    return row.blob.digest if row.blob else row.key


def _placement(row: Artifact) -> Json:
    if row.blob:
        return {"kind": "managed", "provider": PROVIDER, "key": blobs.key(row.blob.digest)}
    return {"kind": "indexed", "provider": PROVIDER, "locator": row.locator, "revision": None}
