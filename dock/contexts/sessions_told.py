"""What an agent was told before its turns of a session, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from dock.contexts import paged
from dock.forms.sessions import Find
from memory import refs
from memory.models import Injection, Session
from memory.paging import Page
from memory.recall import relevance

_ORDER = ("pk",)


@dataclass(frozen=True, slots=True)
class ToldHit:
    """One memory that was told; `level` is 1 (weak) to 4 (strong)."""

    title: str
    url: str
    level: int
    words: str


@dataclass(frozen=True, slots=True)
class ToldItem:
    """One time that the agent asked; without a text, `reason` says why it was told nothing."""

    id: str
    at: datetime
    query: str
    text: str
    characters: int
    reason: str
    took: str
    hits: list[ToldHit]


def page(session: Session, wanted: Find) -> Page[Injection]:
    """Read a page, oldest first. One query."""
    rows = session.injections.all()
    if wanted.text:
        rows = rows.filter(Q(query__icontains=wanted.text) | Q(text__icontains=wanted.text))
    return paged.page(rows, order=_ORDER, cursor=wanted.cursor)


def item(row: Injection) -> ToldItem:
    """Describe one time."""
    return ToldItem(
        id=f"told-{row.pk}",
        at=row.at,
        query=row.query,
        text=row.text,
        characters=len(row.text),
        reason=row.reason,
        took=f"{row.took_ms:,.0f} ms" if row.took_ms >= 1 else "under 1 ms",
        hits=[_hit(one) for one in row.hits],
    )


def _hit(told: dict[str, Any]) -> ToldHit:
    sure = float(told.get("relevance", 0))
    ref = str(told.get("ref", ""))
    return ToldHit(
        title=str(told.get("title", "")).strip() or ref,
        url=refs.url(ref),
        level=relevance.level(sure),
        words=f"{relevance.word(sure).capitalize()} {math.floor(sure * 100) / 100:.2f}",
    )
