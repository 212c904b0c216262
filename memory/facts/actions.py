"""Writes facts: each write is a new version, and says which versions it replaces.

A fact has as many heads as writers who did not know of one another left behind; a write that names all of them makes it
one again. Source of the semantics: Patchouli's protocol, without its merging of contents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import Max

from memory import changes, refs
from memory.changes import Note
from memory.facts.errors import FactNotFound, InvalidFact, VersionConflict
from memory.facts.keys import Key, scope_hash
from memory.facts.validate import checked
from memory.models import Fact, FactVersion, Project
from memory.plugins.scopes import project_of
from memory.service.values import Json

MOST_HEADS = 16
"""Versions that may stand side by side; whoever adds to them has to make them fewer first."""


class Strategy(StrEnum):
    """What becomes of a write that does not know all heads: refused, or kept beside them."""

    REJECT = "reject"
    MVCC = "mvcc"


@dataclass(frozen=True, slots=True)
class Written:
    """What a write made: the fact's id, the new version, and what happened (the verb of the change)."""

    id: str
    version: str
    change: str


def create(*, scope: str, type: str, value: object, id: str = "", at: datetime) -> Written:  # noqa: A002
    """Make a fact; its id is made up where none is given.

    Raises InvalidFact, and VersionConflict for an id that is taken, if only by a fact that was deleted.
    """
    key = Key.parse(scope, type, id or str(uuid4()))
    clean, project = checked(key.type, value), project_of(scope)
    try:
        return _create(key, clean, project, at=at)
    except IntegrityError:
        if not key.rows().exists():  # its project went away meanwhile
            raise
        raise VersionConflict("there is a fact of this id", _current(key)) from None


def update(
    *,
    scope: str,
    type: str,  # noqa: A002
    id: str,  # noqa: A002
    value: object,
    bases: Sequence[str],
    strategy: str = Strategy.MVCC,
    at: datetime,
) -> Written:
    """Replace the versions that the writer knew, the `bases`, by a whole new value.

    Raises InvalidFact, FactNotFound, and VersionConflict for a base that is no version of it, and with the strategy
    `reject` for bases that are not exactly the heads.
    """
    key = Key.parse(scope, type, id)
    return _write(key, checked(key.type, value), _bases(bases), _strategy(strategy), project_of(scope), at=at)


def delete(
    *,
    scope: str,
    type: str,  # noqa: A002
    id: str,  # noqa: A002
    bases: Sequence[str],
    strategy: str = Strategy.MVCC,
    at: datetime,
) -> Written:
    """Replace the versions that the writer knew by the statement that the fact is no more. Raises as `update` does."""
    return _write(Key.parse(scope, type, id), None, _bases(bases), _strategy(strategy), project_of(scope), at=at)


@transaction.atomic(durable=True)
def _create(key: Key, value: Json, project: Project | None, *, at: datetime) -> Written:
    fact = Fact.objects.create(
        scope_hash=scope_hash(key.scope),
        scope=key.scope,
        type=key.type,
        external_id=key.id,
        created_at=at,
        updated_at=at,
    )
    made = fact.versions.create(version=uuid4(), number=1, value=value, created_at=at)
    return _told(fact, made, "created", project, at=at)


@transaction.atomic(durable=True)
def _write(
    key: Key, value: Json, bases: list[UUID], strategy: Strategy, project: Project | None, *, at: datetime
) -> Written:
    fact = _held(key, at=at)
    heads = list(fact.versions.filter(is_head=True))
    _check(fact, heads, bases, strategy)
    fact.versions.filter(version__in=bases).update(is_head=False)
    made = fact.versions.create(
        version=uuid4(),
        number=(fact.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        value=value,
        bases=[str(base) for base in bases],
        is_tombstone=value is None,
        created_at=at,
    )
    left = [head for head in heads if head.version not in bases]
    is_deleted = made.is_tombstone and all(head.is_tombstone for head in left)
    Fact.objects.filter(pk=fact.pk).update(is_deleted=is_deleted)
    return _told(fact, made, _verb(made, before=len(heads), after=1 + len(left)), project, at=at)


def _held(key: Key, *, at: datetime) -> Fact:
    """Return a fact that nobody else writes to until the transaction ends. Raises FactNotFound."""
    rows = key.rows()
    if not rows.update(updated_at=at):
        raise FactNotFound("there is no such fact in this scope")
    return rows.get()


def _check(fact: Fact, heads: list[FactVersion], bases: list[UUID], strategy: Strategy) -> None:
    current = [str(head.version) for head in heads]
    if fact.versions.filter(version__in=bases).count() < len(bases):
        raise VersionConflict("a base is no version of this fact", current)
    if strategy is Strategy.REJECT and {head.version for head in heads} != set(bases):
        raise VersionConflict("the bases are not what the fact says now", current)
    if sum(head.version not in bases for head in heads) >= MOST_HEADS:
        raise VersionConflict(f"a fact may have {MOST_HEADS} heads; name more of them as bases", current)


def _verb(made: FactVersion, *, before: int, after: int) -> str:
    if after > 1:
        return "conflicted"
    if before > 1:
        return "resolved"
    return "deleted" if made.is_tombstone else "updated"


def _told(fact: Fact, made: FactVersion, verb: str, project: Project | None, *, at: datetime) -> Written:
    note = Note(f"fact.{verb}", refs.fact(fact), f"{fact.type} {fact.external_id}")
    changes.append([note], project=project, at=at)
    return Written(fact.external_id, str(made.version), verb)


def _bases(told: Sequence[str]) -> list[UUID]:
    """Raises InvalidFact where there are none, or one twice, and VersionConflict for what cannot be a version."""
    if isinstance(told, str) or not told or len(set(told)) < len(told):
        raise InvalidFact("bases names the versions that are replaced, at least one, and each once")
    try:
        return [UUID(one) for one in told]
    except (ValueError, AttributeError, TypeError):
        raise VersionConflict("a base is no version of this fact") from None


def _strategy(told: str) -> Strategy:
    try:
        return Strategy(told)
    except ValueError:
        raise InvalidFact(f"strategy is none of {', '.join(Strategy)}") from None


def _current(key: Key) -> list[str]:
    heads = FactVersion.objects.filter(fact__in=key.rows(), is_head=True).order_by("number")
    return [str(version) for version in heads.values_list("version", flat=True)]
