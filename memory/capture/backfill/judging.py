"""What is to become of each turn of a conversation: new, known already, or left out with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum

from memory.capture.accept import SHORTEST
from memory.capture.backfill.captures import Captured
from memory.capture.backfill.conversations import Outline, ended
from memory.capture.backfill.journals import Written
from memory.capture.backfill.owners import Owner
from memory.capture.backfill.stores.base import Facts

QUIET = timedelta(minutes=5)
"""The last turn of a conversation counts as finished when nothing happened for so long (MemSearch's rule for OpenCode)."""

_MINUTE = timedelta(minutes=1)
_LATE = {"opencode": timedelta(minutes=10)}
"""How long after a turn's end its entry may be dated: OpenCode's plugin looks for finished turns now and then."""


class Verdict(StrEnum):
    NEW = "new"
    IN_JOURNALS = "in_journals"
    CAPTURED = "captured"
    UNFINISHED = "unfinished"
    NO_USER_TEXT = "no_user_text"
    TOO_SHORT = "too_short"
    SUBAGENT = "subagents"
    UNKNOWN_DIRECTORY = "unknown_directory"
    SWITCHED_OFF = "switched_off"


SAME = frozenset({Verdict.IN_JOURNALS, Verdict.CAPTURED})
TAKEN = SAME | {Verdict.NEW}
REASONS = {
    Verdict.UNFINISHED: "It had not ended.",
    Verdict.NO_USER_TEXT: "Nobody asked anything in it.",
    Verdict.TOO_SHORT: f"The question has {SHORTEST} characters or fewer.",
    Verdict.SUBAGENT: "Turns of sub-agents are not captured.",
    Verdict.SWITCHED_OFF: "Capture is switched off for this project.",
}
"""Why turns are left out; those of an unknown directory have a reason of their own."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for all turns of a conversation."""

    facts: Facts
    owner: Owner
    are_captured: bool
    are_subagents: bool
    zone: tzinfo
    at: datetime


def rules(facts: Facts, owner: Owner, *, zone: tzinfo, at: datetime) -> Rules:
    """Look up what a project's settings say. One query."""
    configuration = owner.configuration()
    return Rules(
        facts=facts,
        owner=owner,
        are_captured=configuration.flag("capture.enabled"),
        are_subagents=configuration.flag("capture.subagents"),
        zone=zone,
        at=at,
    )


class Known:
    """What is here of a conversation: its entries and captures, and the unique ids of all turns that are here."""

    def __init__(
        self, entries: Sequence[Written], captures: Sequence[Captured], *, written: Set[str], captured: Set[str]
    ) -> None:
        self.entries = entries
        self.captures = captures
        self._written = ({one.turn for one in entries} - {""}, written)
        self._captured = ({turn for one in captures for turn in one.turns}, captured)

    def is_written(self, turn: str) -> bool:
        return any(turn in ids for ids in self._written)

    def is_captured(self, turn: str) -> bool:
        return any(turn in ids for ids in self._captured)

    def has(self, turn: str) -> bool:
        return self.is_written(turn) or self.is_captured(turn)


def judged(outlines: Sequence[Outline], known: Known, rules: Rules) -> list[tuple[Outline, Verdict]]:
    """Say for each turn that is one of this conversation what is to become of it, in their order."""
    in_journals = _in_journals(outlines, known, rules)
    captured = _captured(outlines, known, rules)
    found: list[tuple[Outline, Verdict]] = []
    for one in outlines:
        if not one.is_wanted:
            continue
        if one.sketch.number in in_journals:
            found.append((one, Verdict.IN_JOURNALS))
        elif one.sketch.number in captured:
            found.append((one, Verdict.CAPTURED))
        else:
            found.append((one, _verdict(one, rules, is_last=one is outlines[-1])))
    return found


def _verdict(one: Outline, rules: Rules, *, is_last: bool) -> Verdict:
    if one.sketch.status == "running" or (is_last and not _is_over(one, rules)):
        return Verdict.UNFINISHED
    if not one.asked or rules.facts.is_unattended:
        return Verdict.NO_USER_TEXT
    if one.length <= SHORTEST:
        return Verdict.TOO_SHORT
    if rules.facts.is_of_subagent and not rules.are_subagents:
        return Verdict.SUBAGENT
    if not rules.owner.name:
        return Verdict.UNKNOWN_DIRECTORY
    return Verdict.NEW if rules.are_captured else Verdict.SWITCHED_OFF


def _is_over(one: Outline, rules: Rules) -> bool:
    """Tell whether the last turn can be taken as finished: a file alone does not say that nothing follows."""
    when = ended(one, rules.facts)
    is_quiet = when is None or not timedelta(0) <= rules.at - when < QUIET
    return is_quiet and (one.is_answered or one.sketch.status != "completed")


def _in_journals(outlines: Sequence[Outline], known: Known, rules: Rules) -> set[int]:
    """Return the numbers of the turns that entries stand for: by id, else the last one that was over by then."""
    by_id = {one.sketch.number for one in outlines if any(map(known.is_written, one.named))}
    named = {turn for one in outlines for turn in one.named}
    dated = [one for one in known.entries if one.turn not in named and not _is_exact(one)]
    own = [one for one in outlines if not (one.sketch.is_replayed or one.sketch.is_hidden)]
    return by_id | _by_time(own, dated, rules.zone)


def _is_exact(entry: Written) -> bool:
    """DSH numbers its turns and OpenCode names its messages: an id that is not here is another turn's."""
    return bool(entry.turn) and entry.platform in {"dsh", "opencode"}


def _by_time(outlines: Sequence[Outline], entries: Sequence[Written], zone: tzinfo) -> set[int]:
    undated = [one.sketch.number for one in outlines if one.sketch.ended is None]
    found = set(undated[: len(entries)])
    deadlines = Counter((when, one.platform) for one in entries if (when := one.deadline(zone)))
    over = [(one.sketch.ended, one.sketch.number) for one in outlines if one.sketch.ended]
    for (deadline, platform), count in deadlines.items():
        before = [(when, number) for when, number in over if when <= deadline]
        late = [number for when, number in before if deadline - when < _LATE.get(platform, _MINUTE)]
        found |= {number for _, number in before[-1:]} | set(late[-count:])
    return found


def _captured(outlines: Sequence[Outline], known: Known, rules: Rules) -> set[int]:
    """Return the numbers of the turns that were captured: by id, else the nearest with the same question."""
    found = {one.sketch.number for one in outlines if any(map(known.is_captured, one.named))}
    named = {turn for one in outlines for turn in one.named}
    for capture in known.captures:
        if capture.turns & named:
            continue
        alike = [one for one in outlines if one.asked == capture.asked != "" and one.sketch.number not in found]
        nearest = min(alike, key=lambda one: abs((ended(one, rules.facts) or capture.at) - capture.at), default=None)
        if nearest:
            found.add(nearest.sketch.number)
    return found
