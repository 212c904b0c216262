"""Reads some turns of a conversation: those around the one that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory import disk
from memory.disk import Tree
from memory.transcripts import registry
from memory.transcripts.conversation import Transcript, Turn, Way
from memory.transcripts.drafts import Sketch
from memory.transcripts.limits import LIMITS, Limits
from memory.transcripts.lines import Tally
from memory.transcripts.places import Location, Unavailable
from memory.transcripts.readers import Pass
from memory.transcripts.sizes import fitted

_PREFIX = 8


@dataclass(frozen=True, slots=True)
class Shown:
    """What is left out unless a person asks for it. The turn that is asked for is always there, whatever it is."""

    thinking: bool = False
    inactive: bool = False
    replayed: bool = False

    def allows(self, sketch: Sketch) -> bool:
        return (
            not sketch.is_hidden
            and (sketch.is_active or self.inactive)
            and (not sketch.is_replayed or self.replayed)
        )  # fmt: skip


@dataclass(slots=True)
class _Outline:
    """A conversation without its words, and which turn an id names."""

    sketches: list[Sketch] = field(default_factory=list)
    exact: int | None = None
    close: int | None = None


def read(
    location: Location,
    *,
    turn: str = "",
    time: datetime | None = None,
    context: int = 3,
    skip: int | None = None,
    shown: Shown = Shown(),
    limits: Limits = LIMITS,
) -> Transcript:
    """Return the turn asked for with `context` turns on both sides; raise `Unavailable` where that cannot be read.

    `turn` is the id of a turn or of any line in it. Where there is none, or it is not found, the last turn counts that
    was over at `time` (aware; `moments.deadline`). Where that does not help either, the last turns are returned. With
    `skip` it is as many turns after that number of them, wherever the one asked for is.
    """
    with _opened(location, limits) as passes:
        tally = Tally()
        outline = _outlined(location, passes, tally, turn)
        asked, way = _asked(outline, time)
        visible = [sketch for sketch in outline.sketches if shown.allows(sketch) or sketch is asked]
        chosen = _around(visible, asked, context) if skip is None else visible[skip : skip + 2 * context + 1]
        turns = _words(passes, chosen, shown)
    kept, is_cut = fitted(turns, _center(chosen, asked, skip), limits.total)
    return Transcript(
        platform=location.platform,
        session=location.session,
        turns=kept,
        asked=asked.number if asked else None,
        found_by=way,
        total=len(visible),
        is_start=not visible or (bool(kept) and kept[0].number == visible[0].number),
        is_end=not visible or (bool(kept) and kept[-1].number == visible[-1].number),
        truncated=is_cut or any(turn.is_truncated for turn in kept),
        notes=tally.sentences(),
        skipped=sum(sketch.number < kept[0].number for sketch in visible) if kept else 0,
    )


@contextmanager
def _opened(location: Location, limits: Limits) -> Iterator[Pass]:
    reader = registry.reader(location.platform)
    try:
        with Tree(location.root) as tree, reader.opened(tree, location, limits) as passes:
            yield passes
    except disk.Missing as error:
        raise Unavailable("gone", "The file is gone.") from error
    except disk.Refused as error:
        raise Unavailable("refused", str(error)) from error


def _outlined(location: Location, passes: Pass, tally: Tally, turn: str) -> _Outline:
    """Go through the whole conversation once. An id names a turn exactly, or in Claude Code by its first 8 signs."""
    outline = _Outline()
    prefix = turn[:_PREFIX] if location.platform == "claude-code" and len(turn) >= _PREFIX else ""
    for draft in passes(tally):
        outline.sketches.append(draft.sketch)
        if turn and turn in draft.ids:
            outline.exact = outline.exact or draft.sketch.number
        if prefix and any(ident.startswith(prefix) for ident in draft.ids):
            outline.close = draft.sketch.number
    if not outline.sketches and not tally.is_recognized:
        raise Unavailable("unknown", "The file is in an unknown format: nothing in it is a conversation of this agent.")
    return outline


def _asked(outline: _Outline, time: datetime | None) -> tuple[Sketch | None, Way]:
    number = outline.exact or outline.close
    if number is not None:
        return outline.sketches[number - 1], "id"
    if time is not None:
        over = [sketch for sketch in outline.sketches if sketch.ended and sketch.ended <= time and not sketch.is_hidden]
        own = [sketch for sketch in over if not sketch.is_replayed] or over
        if own:
            return own[-1], "time"
    return None, "none"


def _around(visible: list[Sketch], asked: Sketch | None, context: int) -> list[Sketch]:
    if asked is None:
        return visible[-(2 * context + 1) :]
    at = visible.index(asked)
    return visible[max(0, at - context) : at + context + 1]


def _center(chosen: list[Sketch], asked: Sketch | None, skip: int | None) -> int | None:
    """Return the number of the turn that stays when there is not room for all."""
    if skip is not None:
        return chosen[0].number if chosen else None
    return asked.number if asked else None


def _words(passes: Pass, chosen: list[Sketch], shown: Shown) -> list[Turn]:
    """Go through it again, up to the last turn that is wanted, and keep the words of these."""
    wanted = {sketch.number: sketch for sketch in chosen}
    turns: list[Turn] = []
    for draft in passes(Tally()) if wanted else ():
        if sketch := wanted.get(draft.sketch.number):
            turn = draft.freeze(sketch)
            turns.append(turn if shown.thinking else replace(turn, thinking=()))
        if len(turns) == len(wanted):
            break
    return turns
