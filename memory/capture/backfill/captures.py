"""What was captured already: by the id of its turn, or where agents name turns otherwise, by question and time."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from memory.capture.backfill.journals import UNIQUE
from memory.engram import holding
from memory.models import Capture


@dataclass(frozen=True, slots=True)
class Captured:
    """A capture: the ids under which its turn goes, what was asked, and when it ended."""

    turns: frozenset[str]
    asked: str
    at: datetime


def of(session: str, *, parent: str, paths: Collection[str]) -> list[Captured]:
    """Return the captures of a conversation; those of a sub-agent may be its parent's. One query."""
    wanted = Q(session__external_id=holding.key(session))
    if parent:
        wanted |= Q(session__external_id=holding.key(parent), anchor_path__in=paths)
    rows = Capture.objects.filter(wanted).order_by("pk")
    told = rows.values_list("turn", "anchor_turn", "question", "occurred_at")
    return [Captured(frozenset({turn, anchor} - {""}), digest(asked), at) for turn, anchor, asked, at in told]


def turns() -> set[str]:
    """Return the unique ids of all turns that were captured. One query."""
    pairs = Capture.objects.values_list("turn", "anchor_turn")
    return {turn for pair in pairs.iterator() for turn in pair if len(turn) >= UNIQUE}


def digest(text: str) -> str:
    """Return what stands for a question, whatever its white space; "" for none."""
    words = " ".join(text.split())
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16] if words else ""
