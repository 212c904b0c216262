"""Versions of one turn: a second, different body is kept and linked to the one before."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from memory.models import Entry


def link(turns: Iterable[tuple[int | None, str]]) -> None:
    """Set `supersedes` of all entries of these (session, turn): the last earlier entry with another body."""
    wanted = {(session, turn) for session, turn in turns if session and turn}
    if not wanted:
        return
    rows = (
        Entry.objects.filter(session_id__in={session for session, _ in wanted}, turn__in={turn for _, turn in wanted})
        .order_by("session_id", "turn", "date", "ordinal", "pk")
        .values_list("session_id", "turn", "pk", "body_hash", "supersedes_id")
    )
    changed = []
    for key, group in groupby(rows, key=lambda row: (row[0], row[1])):
        if key in wanted:
            changed += _chain([_Version(*row[2:]) for row in group])
    Entry.objects.bulk_update(changed, ["supersedes"], 500)


class _Version(NamedTuple):
    pk: int
    body_hash: str
    supersedes: int | None


def _chain(versions: list[_Version]) -> list[Entry]:
    """Return the entries whose link has to change."""
    changed = []
    for index, one in enumerate(versions):
        earlier = next((other.pk for other in reversed(versions[:index]) if other.body_hash != one.body_hash), None)
        if one.supersedes != earlier:
            changed.append(Entry(pk=one.pk, supersedes_id=earlier))
    return changed
