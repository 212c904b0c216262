"""What is here already of the rows that come in, by their ids; each reading costs a few queries, however many rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q

from memory.engram.exchange import versions
from memory.engram.exchange.owners import Owners
from memory.engram.exchange.parts import Part
from memory.models import Change, Observation, Prompt, Relation, Session, Tombstone
from memory.models.observation import Judgment
from memory.models.prompt import TombstoneKind


@dataclass(slots=True)
class SessionFacts:
    """A session with everything that an import may set; `pk` is 0 before it is written."""

    id: str
    key: str
    owner: str
    started_at: datetime
    last_activity_at: datetime
    pk: int = 0
    directory: str = ""
    title: str = ""
    summary: str = ""
    mode: str = ""
    ended_at: datetime | None = None
    is_derived: bool = False
    is_stub: bool = False


@dataclass(slots=True)
class ObservationFacts:
    """How new an observation is, and what became of it."""

    updated_at: datetime
    revision_count: int
    duplicate_count: int = 1
    deleted_at: datetime | None = None
    is_pinned: bool = False
    pk: int = 0
    project: int = 0

    @property
    def rank(self) -> tuple[datetime, int]:
        return self.updated_at, self.revision_count


@dataclass(slots=True)
class RelationFacts:
    updated_at: datetime
    is_orphaned: bool = False


@dataclass(frozen=True, slots=True)
class Grave:
    """A deletion; what is older than it stays deleted, and is not even taken in where it `is_final`."""

    deleted_at: datetime
    is_final: bool


@dataclass(slots=True)
class Known:
    """What is here. Planning brings it to what will be here, so that a dry run can go on from there."""

    sessions: dict[str, SessionFacts] = field(default_factory=dict)
    derived: dict[tuple[str, str], SessionFacts] = field(default_factory=dict)
    """Sessions that only journals know, by project and id."""
    taken: set[str] = field(default_factory=set)
    """Keys of sessions."""
    observations: dict[str, ObservationFacts] = field(default_factory=dict)
    versions: dict[str, set[str]] = field(default_factory=dict)
    """Identities of versions, by the observation's id."""
    prompts: dict[str, int] = field(default_factory=dict)
    """Primary keys of prompts, 0 before they are written."""
    inboxes: set[tuple[str, str]] = field(default_factory=set)
    """Sessions with their clients' own ids of prompts."""
    relations: dict[str, RelationFacts] = field(default_factory=dict)
    graves: dict[tuple[str, str], Grave] = field(default_factory=dict)
    unpinned: set[str] = field(default_factory=set)
    """Observations from which somebody took the pin off here."""
    gone: set[tuple[str, str]] = field(default_factory=set)
    """What a plan deleted for good; only a dry run meets it again."""

    def remember(self, later: Known) -> None:
        """Take over what a plan left behind."""
        for name in ("sessions", "observations", "prompts", "relations", "graves"):
            getattr(self, name).update(getattr(later, name))
        for name in ("taken", "inboxes", "unpinned", "gone"):
            getattr(self, name).update(getattr(later, name))
        self.gone -= {(TombstoneKind.OBSERVATION, key) for key in later.observations}
        for kind, key in self.gone:
            (self.observations if kind == TombstoneKind.OBSERVATION else self.prompts).pop(key, None)


def read(part: Part, owners: Owners) -> Known:
    """Return what is here of a part. About nine queries."""
    known = Known()
    _read_sessions(known, part, owners)
    _read_observations(known, part)
    _read_prompts(known, part)
    _read_relations(known, part)
    _read_graves(known, part)
    return known


def _read_sessions(known: Known, part: Part, owners: Owners) -> None:
    ids = part.session_ids() | {one.key for one in part.deletions if one.kind == TombstoneKind.SESSION}
    rows = [*_sessions(Q(key__in=ids)), *_sessions(Q(project__in=owners.pks(), external_id__in=ids))]
    hidden = {row.id for row in rows if row.is_derived}
    if hidden:  # by journals of another project: then the registered one has a longer key
        rows += _sessions(Q(external_id__in=hidden, is_derived=False))
    for row in rows:
        known.taken.add(row.key)
        if row.is_derived:
            known.derived[row.owner, row.id] = row
            continue
        if row.id not in known.sessions or row.key == row.id:
            known.sessions[row.id] = row
        if row.key in ids:
            known.sessions[row.key] = row


_SESSION = (
    *("external_id", "key", "project__name", "started_at", "last_activity_at", "pk", "directory", "title", "summary"),
    *("ownership_mode", "ended_at", "is_derived", "is_stub"),
)
"""The columns of SessionFacts, in their order."""


def _sessions(condition: Q) -> Iterator[SessionFacts]:
    rows = Session.objects.filter(condition).order_by("pk").values_list(*_SESSION)
    return (SessionFacts(*row) for row in rows)


def _read_observations(known: Known, part: Part) -> None:
    ids = {row.sync_id for row in part.observations}
    ids |= {end for row in part.relations for end in (row.source, row.target)}
    ids |= {row.observation for row in part.versions}
    ids |= {one.key for one in part.deletions if one.kind == TombstoneKind.OBSERVATION}
    columns = ("updated_at", "revision_count", "duplicate_count", "deleted_at", "is_pinned", "pk", "project")
    for sync_id, *facts in Observation.objects.filter(sync_id__in=ids).values_list("sync_id", *columns):
        known.observations[sync_id] = ObservationFacts(*facts)
    if part.versions:
        known.versions = versions.identities(row.observation for row in part.versions)
    pinned = {row.sync_id for row in part.observations if row.is_pinned}
    here = known.observations.items()
    loose = {f"observation:{facts.pk}": id_ for id_, facts in here if id_ in pinned and not facts.is_pinned}
    if loose:
        unpinned = Change.objects.filter(kind="observation.unpinned", ref__in=loose).values_list("ref", flat=True)
        known.unpinned.update(loose[ref] for ref in unpinned)


def _read_prompts(known: Known, part: Part) -> None:
    ids = {row.sync_id for row in part.prompts}
    ids |= {one.key for one in part.deletions if one.kind == TombstoneKind.PROMPT}
    known.prompts.update(Prompt.objects.filter(sync_id__in=ids).values_list("sync_id", "pk"))
    if any(row.source_inbox_id for row in part.prompts):
        rows = Prompt.objects.exclude(source_inbox_id="").filter(
            session__in=[facts.pk for facts in known.sessions.values()]
        )
        known.inboxes.update(rows.values_list("session__external_id", "source_inbox_id"))


def _read_relations(known: Known, part: Part) -> None:
    rows = Relation.objects.filter(sync_id__in={row.sync_id for row in part.relations})
    for sync_id, updated_at, judgment in rows.values_list("sync_id", "updated_at", "judgment_status"):
        known.relations[sync_id] = RelationFacts(updated_at, judgment == Judgment.ORPHANED)


def _read_graves(known: Known, part: Part) -> None:
    keys = part.session_ids() | {row.sync_id for row in part.of_sessions}
    keys |= {end for row in part.relations for end in (row.source, row.target)}
    keys |= {one.key for one in part.deletions}
    for row in Tombstone.objects.filter(key__in=keys):
        known.graves[row.kind, row.key] = Grave(row.deleted_at, is_final(row))


def is_final(row: Tombstone) -> bool:
    """Tell a deletion for good from one that was heard of before its observation: that one names no session."""
    return row.kind != TombstoneKind.OBSERVATION or bool(row.session_key)
