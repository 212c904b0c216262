"""What happens to artifacts: they are kept, deleted by people, and brought back."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from memory import audit, changes, refs
from memory.artifacts import blobs, quota, values
from memory.artifacts.errors import Gone
from memory.artifacts.placement import Place
from memory.artifacts.staging import Staged
from memory.artifacts.values import Origin
from memory.audit import Actor
from memory.changes import Note
from memory.engram.redaction import redact
from memory.models import Artifact, Blob

_LONGEST_NAME = 400
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What is to be kept: where it belongs and comes from, and what it is called."""

    place: Place
    origin: Origin
    role: str
    media_type: str
    name: str


def store(arrival: Arrival, found: Staged, *, at: datetime) -> Artifact:
    """Keep an artifact; the same content from the same place again is the same one, seen again.

    The file comes first, then the row: a crash in between leaves a file that nobody knows, which garbage collection
    finds, and never a row without its bytes. Raises ArtifactError where there is no room, and OSError.
    """
    quota.check(arrival.place.project, found.digest, found.length)
    blobs.put(found)
    return _store(arrival, found, at=at)


@transaction.atomic(durable=True)
def delete(*, pk: int, actor: Actor, at: datetime) -> Artifact:
    """Delete an artifact so that it can be restored for a day. Raises Gone."""
    if not Artifact.objects.filter(pk=pk, deleted_at=None).update(deleted_at=at):
        raise Gone("this artifact is deleted already")
    return _told("artifact.deleted", pk, actor, at=at)


@transaction.atomic(durable=True)
def restore(*, pk: int, actor: Actor, at: datetime) -> Artifact:
    """Bring a deleted artifact back; one that is there stays. Raises Gone where its bytes were collected."""
    # The blob first, as everywhere: whoever collects it waits here, or was faster.
    Blob.objects.filter(artifacts=pk).update(unreferenced_at=None)
    if Artifact.objects.filter(pk=pk).exclude(deleted_at=None).update(deleted_at=None):
        return _told("artifact.restored", pk, actor, at=at)
    row = Artifact.objects.filter(pk=pk).select_related("project").first()
    if row is None:
        raise Gone("this artifact is gone for good")
    return row


@transaction.atomic(durable=True)
def _store(arrival: Arrival, found: Staged, *, at: datetime) -> Artifact:
    blob = _held(found, at=at)
    if not blobs.has(found.digest, found.length):  # collected between our writing and our holding of its row
        blobs.put(found)
    key = _key(arrival, found)
    known = Artifact.objects.filter(key=key).first()
    row = (known and _again(known, arrival, at=at)) or _new(key, arrival, blob, at=at)
    row.blob = blob
    if known is None or known.deleted_at:
        note = Note("artifact.stored", refs.artifact(row), row.name)
        changes.append([note], project=arrival.place.project, at=at)
    return row


def _held(found: Staged, *, at: datetime) -> Blob:
    """Return the row of a content, made where it is missing; nobody collects it until the transaction ends."""
    rows = Blob.objects.filter(digest=found.digest)
    if not rows.update(unreferenced_at=None):
        made = Blob(digest=found.digest, byte_length=found.length, created_at=at)
        Blob.objects.bulk_create([made], ignore_conflicts=True)
        rows.update(unreferenced_at=None)
    return rows.get()


def _new(key: str, arrival: Arrival, blob: Blob, *, at: datetime) -> Artifact:
    place, origin = arrival.place, arrival.origin
    return Artifact.objects.create(
        key=key,
        scope=place.scope,
        project=place.project,
        session=place.session,
        origin=origin.kind,
        native_id=redact(origin.id),
        role=arrival.role,
        media_type=arrival.media_type,
        name=_name(arrival.name),
        blob=blob,
        metadata=values.metadata(place, origin, at=at),
        created_at=at,
        seen_at=at,
    )


def _again(known: Artifact, arrival: Arrival, *, at: datetime) -> Artifact | None:
    """Note that an artifact was handed over once more; None where it was forgotten just now.

    What a person deleted is back, since the agent still uses it.
    """
    said: dict[str, object] = {"role": arrival.role, "media_type": arrival.media_type, "name": _name(arrival.name)}
    if arrival.place.session:
        said["session_id"] = arrival.place.session.pk
    Artifact.objects.filter(pk=known.pk).update(seen_at=at, deleted_at=None, **said)
    return Artifact.objects.filter(pk=known.pk).first()


def _key(arrival: Arrival, found: Staged) -> str:
    names = [arrival.place.scope, arrival.origin.kind, arrival.origin.id, found.digest]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()


def _name(told: str) -> str:
    """Return a name that is one: of one line, without folders and private blocks."""
    last = re.split(r"[/\\]", redact(told).rstrip("/\\"))[-1]
    return _CONTROL.sub("\ufffd", last)[:_LONGEST_NAME]


def _told(kind: str, pk: int, actor: Actor, *, at: datetime) -> Artifact:
    row = Artifact.objects.select_related("project").get(pk=pk)
    changes.append([Note(kind, refs.artifact(row), row.name)], project=row.project, at=at)
    audit.record(actor, kind, refs.artifact(row), at=at, name=row.name)
    return row
