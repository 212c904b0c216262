"""Gathers rows into parts, each of which is written in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from memory.engram.exchange import values
from memory.engram.exchange.jsonstream import Member
from memory.engram.exchange.records import (
    Deletion,
    ObservationRecord,
    PromptRecord,
    RelationRecord,
    SessionRecord,
    Unusable,
    session_key,
)
from memory.engram.exchange.versions import VersionRecord
from memory.models.prompt import TombstoneKind
from memory.transcripts.conversation import Json, JsonObject

SECTIONS = {
    "sessions": "a session",
    "observations": "an observation",
    "observation_versions": "a version of an observation",
    "prompts": "a prompt",
    "relations": "a relation",
    "prompt_tombstones": "a deleted prompt",
    "tombstones": "a deletion",
    "mutations": "a change",
}
"""The arrays that are read, and what one element of each is called; every other key is passed over."""

_LENIENT_MUTATION = 2
"""A payload is JSON in a string, and sometimes that once more."""


@dataclass(slots=True)
class Part:
    """Rows that are written together; `size` counts them as they were read."""

    sessions: list[SessionRecord] = field(default_factory=list)
    observations: list[ObservationRecord] = field(default_factory=list)
    versions: list[VersionRecord] = field(default_factory=list)
    prompts: list[PromptRecord] = field(default_factory=list)
    relations: list[RelationRecord] = field(default_factory=list)
    deletions: list[Deletion] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)
    size: int = 0

    @property
    def of_sessions(self) -> list[ObservationRecord | PromptRecord]:
        """The rows that name a session."""
        return [*self.observations, *self.prompts]

    def session_ids(self) -> set[str]:
        return {row.id for row in self.sessions} | {row.session_id for row in self.of_sessions}

    def projects(self) -> set[str]:
        """Return the projects that the rows name, as they spell them."""
        return {row.project for row in self.sessions} | {row.project for row in self.of_sessions}


def gather(members: Iterable[Member], *, limit: int) -> Iterator[Part]:
    """Yield parts of at most `limit` rows, the last one always, be it empty."""
    part = Part()
    for section, value in members:
        if section not in SECTIONS or value is None:
            continue
        if part.size == limit:
            yield part
            part = Part()
        part.size += 1
        _take(part, section, value)
    yield part


def _take(part: Part, section: str, value: Json) -> None:
    try:
        if not isinstance(value, dict):
            raise Unusable(SECTIONS[section], "It is not an object.")
        _READERS[section](part, value)
    except Unusable as exc:
        part.unusable.append(exc)


def _session(part: Part, row: JsonObject) -> None:
    part.sessions.append(SessionRecord.of(row))


def _observation(part: Part, row: JsonObject) -> None:
    part.observations.append(ObservationRecord.of(row))


def _version(part: Part, row: JsonObject) -> None:
    part.versions.append(VersionRecord.of(row))


def _prompt(part: Part, row: JsonObject) -> None:
    part.prompts.append(PromptRecord.of(row))


def _relation(part: Part, row: JsonObject) -> None:
    part.relations.append(RelationRecord.of(row))


def _prompt_tombstone(part: Part, row: JsonObject) -> None:
    part.deletions.append(_deletion(row, TombstoneKind.PROMPT, values.identifier(row, "sync_id"), is_final=True))


def _tombstone(part: Part, row: JsonObject) -> None:
    """Take a deletion as Engram's `sync_delete_tombstones` and MemDock's export have it."""
    kind = values.text(row, "entity")
    if kind not in TombstoneKind.values:
        raise Unusable("a deletion", f"Nobody knows what a “{kind[:60]}” is.")
    is_final = kind != TombstoneKind.OBSERVATION or row.get("hard_delete") is not False
    part.deletions.append(_deletion(row, TombstoneKind(kind), _key(row, kind, "entity_key"), is_final=is_final))


def _mutation(part: Part, row: JsonObject) -> None:
    """Take one step of Engram's journal: a row that was written, or its end."""
    entity, op, payload = values.text(row, "entity"), values.text(row, "op"), _payload(row)
    if op == "upsert" and entity in _UPSERTS:
        times = {name: row.get("occurred_at") for name in ("created_at", "updated_at")}
        _UPSERTS[entity](part, times | {name: value for name, value in payload.items() if value is not None})
    elif op == "delete" and entity in TombstoneKind.values:
        key = _key(payload, entity, "id" if entity == TombstoneKind.SESSION else "sync_id") or _key(
            row, entity, "entity_key"
        )
        is_final = entity != TombstoneKind.OBSERVATION or values.flag(payload, "hard_delete")
        told = {"deleted_at": row.get("occurred_at")} | payload
        part.deletions.append(_deletion(told, TombstoneKind(entity), key, is_final=is_final))
    else:
        raise Unusable("a change", f"Nobody knows how to {op[:20] or 'apply'} a “{entity[:60]}”.")


def _deletion(row: JsonObject, kind: TombstoneKind, key: str, *, is_final: bool) -> Deletion:
    deleted_at = values.moment(row, "deleted_at")
    if not key or deleted_at is None:
        raise Unusable(f"deletion of {kind} {key}".strip(), "It does not say what was deleted and when.")
    return Deletion(
        kind=kind,
        key=key,
        session_id=session_key(row, "session_id"),
        project=values.text(row, "project"),
        source_inbox_id=values.identifier(row, "source_inbox_id", longest=300),
        deleted_at=deleted_at,
        is_final=is_final,
    )


def _key(row: JsonObject, kind: str, name: str) -> str:
    return session_key(row, name) if kind == TombstoneKind.SESSION else values.identifier(row, name)


def _payload(row: JsonObject) -> JsonObject:
    found = row.get("payload")
    for _ in range(_LENIENT_MUTATION):
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except (ValueError, RecursionError):
                break
    if not isinstance(found, dict):
        raise Unusable(f"change {values.identifier(row, 'entity_key')}".strip(), "Its payload is not a JSON object.")
    return found


type _Reader = Callable[[Part, JsonObject], None]

_UPSERTS: dict[str, _Reader] = {
    "session": _session,
    "observation": _observation,
    "prompt": _prompt,
    "relation": _relation,
}
_READERS: dict[str, _Reader] = {
    "sessions": _session,
    "observations": _observation,
    "observation_versions": _version,
    "prompts": _prompt,
    "relations": _relation,
    "prompt_tombstones": _prompt_tombstone,
    "tombstones": _tombstone,
    "mutations": _mutation,
}
