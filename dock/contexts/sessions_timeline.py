"""The entries of one session in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from django.db.models import Q
from django.db.models.functions import Left
from django.utils import timezone
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links, paged
from dock.forms.sessions import Find
from memory.journal import queries, titles
from memory.models import Entry, Session
from memory.paging import Page

SHOWN_OF_BODY = 4000
"""Characters of an entry that a timeline shows; the entry's own page has the rest."""

_ORDER = ("date", "ordinal", "pk")


@dataclass(frozen=True, slots=True)
class TurnItem:
    """One entry of a timeline; `versions` counts the different texts of its turn."""

    pk: int
    url: str
    time: str
    turn: str
    title: str
    html: SafeString
    is_cut: bool
    state: str
    versions: int


@dataclass(frozen=True, slots=True)
class TimelineDay:
    """The entries of one day; without a `date` where the whole session is of one day."""

    date: date | None
    items: list[TurnItem]


def page(session: Session, wanted: Find) -> Page[Entry]:
    """Read a page of entries. One query."""
    rows = queries.entries().filter(session=session)
    if wanted.text:
        rows = rows.filter(Q(title__icontains=wanted.text) | Q(body__icontains=wanted.text))
    rows = rows.defer("journal__notes", "body").annotate(start=Left("body", SHOWN_OF_BODY + 1))
    return paged.page(rows, order=_ORDER, cursor=wanted.cursor)


def days(session: Session, rows: Sequence[Entry]) -> list[TimelineDay]:
    """Describe a page of entries by day. At most one query."""
    spans = timezone.localdate(session.started_at) != timezone.localdate(session.last_activity_at)
    versions = queries.version_counts(rows)
    return [
        TimelineDay(day if spans else None, [_item(entry, versions.get(entry.pk, 1)) for entry in entries])
        for day, entries in groupby(rows, key=lambda entry: entry.date)
    ]


def _item(entry: Entry, versions: int) -> TurnItem:
    start: str = entry.start  # type: ignore[attr-defined]
    return TurnItem(
        pk=entry.pk,
        url=links.to("entry-detail", entry.pk),
        time=entry.time,
        turn=entry.turn,
        title=entry.title or "Untitled entry",
        html=markdown.render("" if entry.state == "unavailable" else titles.below(entry.title, start[:SHOWN_OF_BODY])),
        is_cut=len(start) > SHOWN_OF_BODY,
        state=entry.state,
        versions=versions,
    )
