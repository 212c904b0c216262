"""Which fact is meant: a scope, a type and an id."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.db.models import QuerySet

from memory.facts.errors import InvalidFact
from memory.models import Fact
from memory.models.fact import FactType

LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Key:
    """One fact of one scope; those of other scopes are not even known."""

    scope: str
    type: FactType
    id: str

    @classmethod
    def parse(cls, scope: str, type: str, id: str) -> Key:  # noqa: A002 - Patchouli's words
        """Raises InvalidFact for what can name none."""
        if not id.strip() or len(id) > LONGEST_ID or "\0" in id:
            raise InvalidFact(f"id is a text of at most {LONGEST_ID} characters")
        if not scope.strip() or "\0" in scope:
            raise InvalidFact("scope is a text that says something")
        return cls(scope, known_type(type), id)

    def rows(self) -> QuerySet[Fact]:
        return of_scope(self.scope).filter(type=self.type, external_id=self.id)


def of_scope(scope: str) -> QuerySet[Fact]:
    """Return the facts of exactly this scope."""
    return Fact.objects.filter(scope_hash=scope_hash(scope))


def known_type(told: str) -> FactType:
    """Raises InvalidFact."""
    if told not in FactType.values:
        raise InvalidFact(f"type is none of {', '.join(FactType.values)}")
    return FactType(told)


def scope_hash(scope: str) -> str:
    return hashlib.sha256(scope.encode()).hexdigest()
