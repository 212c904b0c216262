"""Hands turns of the past to the outbox, some at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched

from memory.capture import accept, rendering
from memory.capture.backfill.conversations import Outline, Reading
from memory.capture.backfill.judging import Rules, Verdict
from memory.capture.backfill.report import tokens
from memory.capture.document import Document
from memory.capture.platforms.base import Ended

PART = 50
"""Turns of one transaction; live turns come in between two of them."""


@dataclass(slots=True)
class Queued:
    """What became of turns, by their number, and about how many tokens their summaries take."""

    tokens: int = 0
    verdicts: dict[int, Verdict] = field(default_factory=dict)


def queue(new: Sequence[Outline], reading: Reading, rules: Rules, *, dry_run: bool) -> Queued:
    """Read the words of new turns and queue them, or in a dry run only weigh them.

    A turn that somebody else captured in between is known; one that is no longer there had not ended.
    """
    document = _document(reading, rules)
    found = Queued(verdicts={one.sketch.number: Verdict.UNFINISHED for one in new})
    for part in batched(_turns(new, reading), PART):
        taken = {} if dry_run else accept.backfill(document, part, project=rules.owner.name, at=rules.at)
        for ended in part:
            told = taken.get(ended.turn.id[:300])
            is_new = told is None or told.state == "queued"
            found.verdicts[ended.turn.number] = Verdict.NEW if is_new else Verdict.CAPTURED
            found.tokens += tokens(rendering.render(ended.turn)) if is_new else 0
    return found


def _turns(new: Sequence[Outline], reading: Reading) -> Iterator[Ended]:
    path = str(reading.location.root / reading.location.path)
    return (Ended(turn=turn, anchor_path=path) for turn in reading.turns(list(new)))


def _document(reading: Reading, rules: Rules) -> Document:
    facts = rules.facts
    return Document(
        platform=reading.location.platform,
        session=facts.session,
        cwd=facts.cwd,
        parent=facts.parent,
        origin="subagent" if facts.is_of_subagent else "",
    )
