"""What observations said before: read from a source, told apart from what is here, and written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from memory.engram import drafts, naming
from memory.engram.exchange import values
from memory.engram.exchange.records import Unusable
from memory.engram.exchange.values import UNKNOWN_TIME, moment, text
from memory.engram.text import cut
from memory.models import Observation, ObservationVersion
from memory.transcripts.conversation import JsonObject

BATCH = 500


@dataclass(frozen=True, kw_only=True)
class VersionRecord:
    """A version of an observation. Engram tells title and content only; an export of MemDock tells the rest too."""

    observation: str
    number: int
    created_at: datetime
    replaced_at: datetime
    row: JsonObject

    @classmethod
    def of(cls, row: JsonObject) -> VersionRecord:
        """Read a version. Raises Unusable."""
        observation = values.identifier(row, "observation_sync_id")
        if not observation or not isinstance(row.get("content"), str):
            raise Unusable(
                f"a version of observation {observation}".strip(), "It does not tell of what and what it said."
            )
        created = moment(row, "created_at") or UNKNOWN_TIME
        return cls(
            observation=observation,
            number=values.count(row, "version"),
            created_at=created,
            replaced_at=moment(row, "replaced_at") or created,
            row=row,
        )

    @cached_property
    def content(self) -> str:
        return cut(text(self.row, "content")).text

    @property
    def identity(self) -> str:
        """Two versions of one observation with the same identity are one."""
        return _identity(text(self.row, "title"), self.content, self.created_at)


def identities(sync_ids: Iterable[str]) -> dict[str, set[str]]:
    """Return the identities of all versions that are here, by the observation's sync id. One query."""
    rows = ObservationVersion.objects.filter(observation__sync_id__in=set(sync_ids))
    found: dict[str, set[str]] = {}
    told = rows.values_list("observation__sync_id", "title", "content", "created_at")
    for sync_id, title, content, created_at in told.iterator():
        found.setdefault(sync_id, set()).add(_identity(title, content, created_at))
    return found


def write(records: Sequence[VersionRecord]) -> None:
    """Add versions to observations that are here; one whose number is taken comes last. Three queries."""
    if not records:
        return
    sync_ids = {record.observation for record in records}
    known = identities(sync_ids)
    owners = {row.sync_id: row for row in Observation.objects.filter(sync_id__in=sync_ids)}
    taken: dict[int, set[int]] = {}
    numbers = ObservationVersion.objects.filter(observation__in=owners.values())
    for pk, number in numbers.values_list("observation", "number"):
        taken.setdefault(pk, set()).add(number)
    new = [
        _version(record, owners[record.observation], taken)
        for record in records
        if record.observation in owners and record.identity not in known.get(record.observation, ())
    ]
    ObservationVersion.objects.bulk_create(new, batch_size=BATCH)


def _version(record: VersionRecord, owner: Observation, taken: dict[int, set[int]]) -> ObservationVersion:
    row, numbers = record.row, taken.setdefault(owner.pk, set())
    number = record.number if record.number and record.number not in numbers else max(numbers, default=0) + 1
    numbers.add(number)
    return ObservationVersion(
        observation=owner,
        number=number,
        type=drafts.type_name(text(row, "type") or owner.type),
        title=text(row, "title"),
        content=record.content,
        scope=naming.scope(text(row, "scope") or owner.scope),
        topic_key=drafts.topic(text(row, "topic_key")) if "topic_key" in row else owner.topic_key,
        replaced_by=text(row, "replaced_by")[:200],
        created_at=record.created_at,
        replaced_at=record.replaced_at,
    )


def _identity(title: str, content: str, created_at: datetime) -> str:
    digest = hashlib.sha256(f"{title}\0{content}".encode(errors="replace")).hexdigest()
    return f"{digest} {created_at.isoformat()}"
