"""Takes deliveries in: what is answered for is durable, and a turn that comes again is the same turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction

from memory import changes, refs
from memory.capture import compactions, learnings, rendering
from memory.capture.document import Document
from memory.capture.platforms import registry
from memory.capture.platforms.base import Ended, Event, Platform, Reading
from memory.changes import Note
from memory.configuration import memsearch
from memory.configuration.memsearch import Configuration
from memory.engram import holding, naming, registration
from memory.engram.errors import EngramError
from memory.engram.registration import Wanted
from memory.models import Capture, PendingEvent, Project, Session
from memory.models.capture import CaptureState
from memory.models.project import NO_PROJECT
from memory.projects import detection
from memory.transcripts.conversation import Turn

SHORTEST = 10
"""Characters of a question that is worth an entry (MemSearch's dsh plugin: more than 10)."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one turn: queued now, captured before, or skipped with the reason."""

    turn: str
    state: Literal["queued", "captured", "skipped"]
    reason: str = ""
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to a delivery (contract section 6)."""

    session: str
    next_seq: int
    stored: int
    captures: tuple[Taken, ...] = ()


def accept(document: Document, *, at: datetime) -> Accepted:
    """Take a delivery. The same one again changes nothing; gaps and any order of batches are fine."""
    project = _project(document.cwd)
    accepted, reading = _accept(
        document, project, memsearch.effective(_row(project)), registry.of(document.platform), at=at
    )
    # Each of these is a transaction of its own and is saved once: after a crash here they come again.
    for compaction in reading.compactions:
        compactions.archive(compaction, accepted.session, at=at)
    for text in reading.learnings:
        learnings.archive(text, document.parent or accepted.session, source="subagent-stop", at=at)
    return accepted


@transaction.atomic(durable=True)
def backfill(document: Document, ended: Sequence[Ended], *, project: str, at: datetime) -> dict[str, Taken]:
    """Take turns that an agent finished long ago into a project; live turns go before them. Return them by turn.

    The same ones again change nothing. Each turn has an end, and the session is dated by its turns.
    """
    session = _session(document, project, at=at)
    owner = naming.project_of(project)
    configuration, platform = memsearch.effective(owner), registry.of(document.platform)
    taken = [_take(one, session, document, configuration, platform, past_of=owner, at=at) for one in ended]
    _date(session, [one.turn for one in ended], is_new=session.started_at == at)
    return {one.turn: one for one in taken}


def cursor(session: str) -> int:
    """Return the next event that is expected of a session, 0 for an unknown one. One query."""
    found = holding.registered(session)
    return found.capture_seq if found else 0


def _project(cwd: str) -> str:
    """Return the name of the directory's project; a directory that tells none belongs to "no project"."""
    if not cwd:
        return NO_PROJECT
    try:
        return detection.current(cwd).project or NO_PROJECT
    except EngramError:
        return NO_PROJECT


def _row(name: str) -> Project | None:
    return Project.objects.filter(name=name).first()


@transaction.atomic(durable=True)
def _accept(
    document: Document, project: str, configuration: Configuration, platform: Platform, *, at: datetime
) -> tuple[Accepted, Reading]:
    session = _session(document, project, at=at)
    pending = [Event(row.seq, row.data, row.key) for row in session.pending_events.order_by("seq")]
    fresh = _fresh(platform.place(document, after=session.capture_seq), pending)
    reading = platform.read(sorted([*pending, *fresh], key=lambda event: event.seq), document)
    taken = [_take(one, session, document, configuration, platform, at=at) for one in reading.ended]
    stored = sum(bool(event.key) or event.seq >= session.capture_seq for event in fresh)
    _keep(session, fresh, reading.open_from, at=at)
    if session.ended_at and _speaks_again(session.ended_at, reading, fresh):
        session.ended_at = None
    _progress(session, document, fresh, at=at)
    return Accepted(session.external_id, session.capture_seq, stored, tuple(taken)), reading


def _session(document: Document, project: str, *, at: datetime) -> Session:
    """Return the session, held."""
    wanted = Wanted(project=project, directory=document.cwd, platform=document.platform, at=at)
    found = holding.session(document.session) or registration.start(holding.key(document.session), wanted)
    found.directory, found.platform = found.directory or document.cwd, found.platform or document.platform
    return found


def _fresh(placed: Sequence[Event], pending: Sequence[Event]) -> list[Event]:
    """Leave out what waits already; what belongs to a turn that was captured is told by the turn."""
    seqs, keys = {event.seq for event in pending}, {event.key for event in pending if event.key}
    once: dict[int | str, Event] = {}
    for event in placed:
        if event.seq not in seqs and (not event.key or event.key not in keys):
            once.setdefault(event.key or event.seq, event)
    return list(once.values())


def _take(
    ended: Ended,
    session: Session,
    document: Document,
    configuration: Configuration,
    platform: Platform,
    *,
    past_of: Project | None = None,
    at: datetime,
) -> Taken:
    turn = ended.turn.id[:300]
    known = Capture.objects.filter(session=session, turn=turn).first()
    if known:
        return Taken(turn, "captured", ref=refs.capture(known))
    asked = rendering.question(ended.turn)
    is_untold = ended.is_in_transcript and not asked  # the transcript knows what was asked
    unwanted = _unwanted(document, configuration, has_place=bool(document.cwd or past_of))
    reason = ended.skip or unwanted or ("" if is_untold else _dull(asked))
    capture = Capture.objects.create(
        project=past_of or _owner(session, document),
        session=session,
        platform=document.platform,
        turn=turn,
        state=CaptureState.SKIPPED if reason else CaptureState.QUEUED,
        reason=reason,
        question=asked,
        rendered=rendering.render(ended.turn),
        anchor_kind=platform.anchor_kind,
        anchor_turn=ended.anchor_turn,
        anchor_path=ended.anchor_path or document.transcript,
        is_in_transcript=ended.is_in_transcript,
        occurred_at=ended.turn.ended or at,
        is_backfilled=past_of is not None,
        next_attempt_at=at,
    )
    if reason:
        return Taken(turn, "skipped", reason)
    changes.append([Note("capture.queued", refs.capture(capture), asked[:200])], project=capture.project, at=at)
    return Taken(turn, "queued", ref=refs.capture(capture))


def _date(session: Session, turns: Iterable[Turn], *, is_new: bool) -> None:
    """Date a session by turns of the past, which are no sign that it lives."""
    ends = [turn.ended for turn in turns if turn.ended]
    starts = [turn.started for turn in turns if turn.started] or ends
    if not ends:
        return
    session.started_at = min(starts) if is_new else min(session.started_at, *starts)
    session.last_activity_at = max(ends) if is_new else max(session.last_activity_at, *ends)
    session.save(update_fields=["directory", "platform", "started_at", "last_activity_at"])


def _unwanted(document: Document, configuration: Configuration, *, has_place: bool) -> str:
    if not configuration.flag("capture.enabled"):
        return "Capture is switched off for this project."
    if document.is_of_subagent and not configuration.flag("capture.subagents"):
        return "Turns of sub-agents are not captured."
    return "" if has_place else "The agent named no working directory."


def _dull(asked: str) -> str:
    if not asked:
        return "Nobody asked anything in this turn."
    return f"The question has {SHORTEST} characters or fewer." if len(asked) <= SHORTEST else ""


def _owner(session: Session, document: Document) -> Project:
    """Return whose journal the turn belongs to: the directory's, which may be another one than the session's."""
    return naming.project_of(_project(document.cwd)) if document.cwd != session.directory else session.project


def _keep(session: Session, fresh: Iterable[Event], open_from: int | None, *, at: datetime) -> None:
    """Keep the events of the turn that still runs, and no others."""
    gone = session.pending_events.all() if open_from is None else session.pending_events.filter(seq__lt=open_from)
    gone.delete()
    kept = [event for event in fresh if open_from is not None and event.seq >= open_from]
    PendingEvent.objects.bulk_create(
        PendingEvent(session=session, seq=event.seq, key=event.key[:200], data=event.data, received_at=at)
        for event in kept
    )


def _speaks_again(ended_at: datetime, reading: Reading, fresh: Sequence[Event]) -> bool:
    """Tell whether a turn began after the session's end; the turn in which it was ended still comes in after that."""
    has_begun = any(event.seq == reading.open_from for event in fresh)
    return has_begun or any(one.turn.started is None or one.turn.started > ended_at for one in reading.ended)


def _progress(session: Session, document: Document, fresh: Sequence[Event], *, at: datetime) -> None:
    reached = max((event.seq + 1 for event in fresh), default=0)
    session.capture_seq = max(session.capture_seq, reached, document.next_seq or 0)
    session.last_seen_at = at
    session.last_activity_at = max(session.last_activity_at, at)
    was_ended = session.ended_at is not None
    session.ended_at = at if document.is_final else session.ended_at
    if document.is_final and not was_ended:
        changes.append([Note("session.ended", refs.session(session), session.title)], project=session.project, at=at)
    session.save(update_fields=["directory", "platform", "capture_seq", "last_seen_at", "last_activity_at", "ended_at"])
