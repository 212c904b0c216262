"""What is to be written of a part, once it is known what is here."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from memory.engram.exchange.known import ObservationFacts, SessionFacts
from memory.engram.exchange.records import Deletion, ObservationRecord, PromptRecord, RelationRecord
from memory.engram.exchange.report import Tally
from memory.engram.exchange.versions import VersionRecord


@dataclass(slots=True)
class ObservationWrite:
    """A row to insert, or where one `is_known` to put over that one, which may have been deleted."""

    record: ObservationRecord
    facts: ObservationFacts
    is_known: bool = False
    was_deleted: bool = False


@dataclass(slots=True)
class Plan:
    """Writes by id, in the order in which they came. `facts` are what will be here."""

    sessions: dict[str, SessionFacts] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    """Sessions that were active later than is known."""
    started: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    observations: dict[str, ObservationWrite] = field(default_factory=dict)
    versions: list[VersionRecord] = field(default_factory=list)
    pinned: list[ObservationFacts] = field(default_factory=list)
    deleted: list[ObservationFacts] = field(default_factory=list)
    erased: dict[str, datetime] = field(default_factory=dict)
    """Observations to delete for good, and when that was done elsewhere."""
    prompts: dict[str, PromptRecord] = field(default_factory=dict)
    lost_prompts: list[int] = field(default_factory=list)
    relations: dict[str, RelationRecord] = field(default_factory=dict)
    orphaned: set[str] = field(default_factory=set)
    graves: list[Deletion] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    """Observations that came after they were known to be deleted: now they say so themselves."""
    stubs: set[str] = field(default_factory=set)
    waiting: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Relations and their ends, one of which is not here."""
    tally: Tally = field(default_factory=Tally)

    def __bool__(self) -> bool:
        """Tell whether anything is to be written."""
        return any(
            (
                *(self.sessions, self.observations, self.pinned, self.deleted, self.erased, self.prompts),
                *(self.lost_prompts, self.relations, self.graves, self.versions),
            )
        )
