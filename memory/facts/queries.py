"""Reads facts: what their heads say, all of them where there are several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.db.models import Prefetch, QuerySet

from memory import paging
from memory.facts.errors import FactNotFound
from memory.facts.keys import Key, known_type, of_scope
from memory.models import Fact, FactVersion
from memory.service.values import Json

type State = Literal["active", "deleted", "conflicted"]

USUAL, MOST = 10, 100
"""Facts of one answer. Source: Patchouli's `entity.retrieve`."""

_ORDER = ("-updated_at", "-pk")


@dataclass(frozen=True, slots=True)
class Variant:
    """What one head says; a deletion says None."""

    version: str
    value: Json


@dataclass(frozen=True, slots=True)
class FactState:
    """A fact as it is now; only one that is `conflicted` has several variants."""

    type: str
    id: str
    state: State
    variants: list[Variant]


@dataclass(frozen=True, slots=True)
class FactPage:
    """Some facts, and the cursor of what comes after them ("" at the end)."""

    facts: list[FactState]
    next: str


def read(*, scope: str, type: str, id: str) -> FactState:  # noqa: A002 - Patchouli's words
    """Return one fact, also a deleted one. Raises InvalidFact, FactNotFound. Two queries."""
    row = _with_heads(Key.parse(scope, type, id).rows()).first()
    if row is None:
        raise FactNotFound("there is no such fact in this scope")
    return _state(row)


def page(
    *, scope: str, types: Sequence[str] = (), ids: Sequence[str] = (), limit: int = USUAL, cursor: str = ""
) -> FactPage:
    """Return facts of a scope that are not deleted, the one that was written last first; no types or ids mean all.

    Raises InvalidFact, and paging.BadCursor. Two queries.
    """
    rows = _with_heads(of_scope(scope).filter(is_deleted=False))
    if types:
        rows = rows.filter(type__in=[known_type(one) for one in types])
    if ids:
        rows = rows.filter(external_id__in=ids)
    found = paging.page(rows, order=_ORDER, limit=min(limit, MOST), cursor=cursor)
    return FactPage([_state(row) for row in found.items], found.next)


def _with_heads(rows: QuerySet[Fact]) -> QuerySet[Fact]:
    heads = FactVersion.objects.filter(is_head=True).order_by("number")
    return rows.prefetch_related(Prefetch("versions", heads, to_attr="heads"))


def _state(row: Fact) -> FactState:
    heads: list[FactVersion] = row.heads  # type: ignore[attr-defined]
    state: State = "conflicted" if len(heads) > 1 else "deleted" if row.is_deleted else "active"
    variants = [Variant(str(head.version), head.value) for head in heads]
    return FactState(row.type, row.external_id, state, variants)
