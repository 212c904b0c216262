"""Layer 3 of recall: the conversation that a memory was made from, as the agent itself kept it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from memory import refs
from memory.journal import queries as journals
from memory.models import Entry, Session
from memory.recall.expand import CannotExpand, NotFound
from memory.sessions import queries as sessions
from memory.transcripts import find, reading
from memory.transcripts.conversation import Transcript
from memory.transcripts.databases import copied_once
from memory.transcripts.moments import deadline

CONTEXT = 3
"""Turns on each side of the one that is asked for."""
MOST = 20

_LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Recalled:
    """Some turns of a conversation, for a ref."""

    ref: str
    transcript: Transcript


def transcript(ref: str, *, context: int = CONTEXT) -> Recalled:
    """Read the turns around the one that an entry was made from, or the last ones of a session.

    Raises NotFound, CannotExpand for a ref without a conversation, and `memory.transcripts.places.Unavailable` with
    the reason in words where the agent's file cannot be had. At most two queries.
    """
    kind, _, rest = ref.partition(":")
    if kind == "entry":
        return of_entry(_entry(rest), context=context)
    if kind == "session":
        return of_session(_session(rest), context=context)
    raise CannotExpand("Only entries and sessions come from a conversation.")


@copied_once()
def of_entry(row: Entry, *, context: int = CONTEXT, skip: int | None = None) -> Recalled:
    """Read the turns around an entry's own, by its id or else by its time; with `skip` those after so many turns."""
    if not (row.anchor_path or row.session):
        raise CannotExpand("This entry names no conversation.")
    session = row.session.external_id if row.session else ""
    found = reading.read(
        find.locate(platform=row.platform, path=row.anchor_path, session=session),
        turn=row.turn,
        time=deadline(row.platform, row.date, row.time, timezone.get_default_timezone()),
        context=min(context, MOST),
        skip=skip,
    )
    return Recalled(refs.entry(row), found)


@copied_once()
def of_session(row: Session, *, context: int = CONTEXT, skip: int | None = None) -> Recalled:
    """Read the last turns of a session; with `skip` those after so many turns."""
    located = find.locate(platform=row.platform, path="", session=row.external_id)
    return Recalled(refs.session(row), reading.read(located, context=min(context, MOST), skip=skip))


def _entry(rest: str) -> Entry:
    is_id = rest.isascii() and rest.isdigit() and int(rest) <= _LARGEST_ID
    row = journals.entries().filter(pk=int(rest)).first() if is_id else None
    if row is None:
        raise NotFound("There is no such entry.")
    return row


def _session(rest: str) -> Session:
    row = sessions.find(rest) if rest else None
    if row is None:
        raise NotFound("There is no such session.")
    return row
