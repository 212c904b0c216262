"""What an import did, or would do (the JSON of `memdock import`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MOST_NOTES = 1000
"""Notes of one kind that are kept; how many more there were is said in the last one."""

NOUNS = ("sessions", "observations", "prompts", "relations")
_OUTCOMES = ("new", "updated", "same")


@dataclass(frozen=True, slots=True)
class Note:
    """What could not be taken, or not as it was, and why; both may hold text that somebody else wrote."""

    what: str
    why: str


@dataclass(slots=True)
class Tally:
    """How many rows of each kind came to what: keys are a noun and `new`, `updated` or `same`."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    skipped: list[Note] = field(default_factory=list)
    problems: list[Note] = field(default_factory=list)

    def count(self, noun: str, outcome: str) -> None:
        self.counts[noun, outcome] += 1

    def add(self, other: Tally) -> None:
        """Take over what another tally says."""
        self.counts.update(other.counts)
        self.skipped += other.skipped
        self.problems += other.problems


@dataclass(slots=True)
class Report:
    """One import; `unresolved` are relations that wait for a memory, `journals` is what `memdock add` reports."""

    source: str
    kind: str
    dry_run: bool
    tally: Tally = field(default_factory=Tally)
    unresolved: int = 0
    journals: dict[str, Any] | None = None

    def count(self, noun: str, outcome: str) -> int:
        return self.tally.counts[noun, outcome]

    def as_json(self) -> dict[str, Any]:
        """Return it as contract section 2 has it, with `journals` where a `.memsearch` was read."""
        counted = {noun: {outcome: self.count(noun, outcome) for outcome in _OUTCOMES} for noun in NOUNS}
        counted["relations"]["unresolved"] = self.unresolved
        return {
            "source": self.source,
            "kind": self.kind,
            "dry_run": self.dry_run,
            **counted,
            "skipped": _told(self.tally.skipped),
            "problems": _told(self.tally.problems),
            **({"journals": self.journals} if self.journals is not None else {}),
        }

    def lines(self) -> Iterable[str]:
        """Yield what a person reads."""
        yield f"{self.source} ({self.kind})" + (": nothing is written, this is what would be" if self.dry_run else "")
        for noun in NOUNS:
            told = ", ".join(f"{self.count(noun, outcome):,} {outcome}" for outcome in _OUTCOMES)
            waiting = f", {self.unresolved:,} wait for a memory" if noun == "relations" and self.unresolved else ""
            yield f"  {noun}: {told}{waiting}"
        for name, notes in (("skipped", self.tally.skipped), ("problem", self.tally.problems)):
            yield from (f"  {name}: {one['what']}: {one['why']}" for one in _told(notes))


def _told(notes: list[Note]) -> list[dict[str, str]]:
    told = [{"what": note.what, "why": note.why} for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        told.append({"what": "more", "why": f"{len(notes) - MOST_NOTES:,} further ones are not listed."})
    return told
