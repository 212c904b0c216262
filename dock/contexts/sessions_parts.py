"""The views of one session's page: its entries, memories, prompts, captured turns, and what its agent was told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Left

from dock.contexts import captures, links, memories, paged, prompts, sessions_timeline, sessions_told
from dock.contexts.captures import CaptureRow
from dock.contexts.prompts import PromptRow
from dock.contexts.sessions_timeline import TimelineDay, TurnItem
from dock.contexts.sessions_told import ToldItem
from dock.forms.sessions import Find
from memory.capture import queries as captured
from memory.engram import queries
from memory.models import Session

_START = 600
_OLDEST_FIRST = ("pk",)
_AS_THEY_HAPPENED = ("occurred_at", "pk")


@dataclass(frozen=True, slots=True)
class KeptRow:
    """One memory that was saved in the session."""

    id: str
    url: str
    title: str
    start: str
    type: str
    is_pinned: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Part:
    """A page of one view, the other ones empty; `turns` are all entries of `days`."""

    previous: str
    next: str
    days: list[TimelineDay] = field(default_factory=list)
    turns: list[TurnItem] = field(default_factory=list)
    memories: list[KeptRow] = field(default_factory=list)
    prompts: list[PromptRow] = field(default_factory=list)
    told: list[ToldItem] = field(default_factory=list)
    captures: list[CaptureRow] = field(default_factory=list)


def part(session: Session, wanted: Find, person: User) -> Part:
    """Read the view that is wanted, by its name. One query, one more for entries."""
    read: dict[str, Callable[[Session, Find, User], Part]] = {
        "entries": _entries,
        "memories": _memories,
        "prompts": _prompts,
        "told": _told,
        "turns": _captures,
    }
    return read[wanted.view](session, wanted, person)


def _entries(session: Session, wanted: Find, _: User) -> Part:
    found = sessions_timeline.page(session, wanted)
    days = sessions_timeline.days(session, found.items)
    turns = [item for day in days for item in day.items]
    return Part(found.previous, found.next, days=days, turns=turns)


def _memories(session: Session, wanted: Find, _: User) -> Part:
    rows = queries.observations(session=session)
    if wanted.text:
        rows = rows.filter(Q(title__icontains=wanted.text) | Q(content__icontains=wanted.text))
    rows = rows.defer("content").annotate(start=Left("content", _START))
    found = paged.page(rows, order=_OLDEST_FIRST, cursor=wanted.cursor)
    kept = [
        KeptRow(
            id=f"memory-{row.pk}",
            url=links.to("memory-detail", row.pk),
            title=row.title or f"Memory {row.pk}",
            start=memories.start(row.start),  # type: ignore[attr-defined]
            type=row.type,
            is_pinned=row.is_pinned,
            at=row.created_at,
        )
        for row in found.items
    ]
    return Part(found.previous, found.next, memories=kept)


def _prompts(session: Session, wanted: Find, _: User) -> Part:
    rows = queries.prompts(session=session)
    rows = rows.filter(content__icontains=wanted.text) if wanted.text else rows
    rows = rows.defer("content").annotate(start=Left("content", _START))
    found = paged.page(rows, order=_OLDEST_FIRST, cursor=wanted.cursor)
    asked = [prompts.row(row, is_of_many=False) for row in found.items]
    return Part(found.previous, found.next, prompts=asked)


def _told(session: Session, wanted: Find, _: User) -> Part:
    found = sessions_told.page(session, wanted)
    told = [sessions_told.item(row) for row in found.items]
    return Part(found.previous, found.next, told=told)


def _captures(session: Session, wanted: Find, person: User) -> Part:
    rows = captured.captures(session=session)
    rows = rows.filter(question__icontains=wanted.text) if wanted.text else rows
    found = paged.page(rows, order=_AS_THEY_HAPPENED, cursor=wanted.cursor)
    turns = [captures.row(row, person, {"from": "session"}, is_of_many=False) for row in found.items]
    return Part(found.previous, found.next, captures=turns)
