"""A hit opened in place: its whole section, and what stands around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links
from memory import refs
from memory.recall import expand
from memory.recall.expand import CannotExpand, Expansion, Neighbour, NotFound

SHOWN = 20_000
"""Characters of a section that are shown in place; the record's page has the rest."""


@dataclass(frozen=True, slots=True)
class Beside:
    """An entry of the same session."""

    url: str
    title: str
    date: date
    time: str


@dataclass(frozen=True, slots=True)
class Opened:
    """What is shown; where there is nothing, `note` says why."""

    url: str
    html: SafeString | str
    is_cut: bool
    note: str
    before: list[Beside]
    after: list[Beside]
    transcript_url: str = ""


def opened(ref: str) -> Opened:
    """Open what a ref names. At most four queries and one file."""
    try:
        return _opened(expand.expand(ref))
    except (NotFound, CannotExpand) as exc:
        return Opened("", "", is_cut=False, note=str(exc), before=[], after=[])


def _opened(found: Expansion) -> Opened:
    section = found.section
    if found.ref.startswith("entry:") and section.startswith("### "):
        section = section.partition("\n")[2]  # the row says when it was
    return Opened(
        url=refs.url(found.ref),
        html=markdown.render(section[:SHOWN]),
        is_cut=len(section) > SHOWN,
        note=found.note,
        before=_beside(found.before),
        after=_beside(found.after),
        transcript_url=_transcript_url(found),
    )


def _transcript_url(found: Expansion) -> str:
    """Return the address of the conversation; an entry names one, or has neighbours in its session."""
    kind, _, rest = found.ref.partition(":")
    if kind == "session":
        return links.to("session-transcript", rest)
    return links.to("entry-transcript", rest) if found.anchor or found.before or found.after else ""


def _beside(found: Iterable[Neighbour]) -> list[Beside]:
    return [Beside(refs.url(one.ref), one.title, one.date, one.time) for one in found]
