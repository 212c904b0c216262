"""Searches that people keep under a name: listed, saved, renamed, deleted."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from memory import audit
from memory.models import SavedSearch

LONGEST_NAME = 80
LONGEST_QUERY = 4000
MOST = 100
"""Searches that one person may keep: all of them stand in one menu."""


class CannotSave(ValueError):
    """A search that cannot be kept so; the message is one sentence for people."""


def of(owner: User) -> list[SavedSearch]:
    """Return a person's searches by name. One query."""
    found = list(SavedSearch.objects.filter(owner=owner)[:MOST])
    return sorted(found, key=lambda row: (row.name.casefold(), row.pk))


def find(owner: User, pk: int) -> SavedSearch | None:
    """Return one search of this person. One query."""
    return SavedSearch.objects.filter(owner=owner, pk=pk).first()


def save(*, owner: User, name: str, query: str, at: datetime) -> SavedSearch:
    """Keep what the search page's address asks under a name. Raises CannotSave."""
    if not query:
        raise CannotSave("There is nothing to save yet: look for something first.")
    if len(query) > LONGEST_QUERY:
        raise CannotSave("This search is too long to be saved.")
    if SavedSearch.objects.filter(owner=owner).count() >= MOST:
        raise CannotSave(f"These are {MOST} saved searches already; delete one of them first.")
    row = SavedSearch(owner=owner, name=_validate(name), query=query, created_at=at)
    _write(row, "saved_search.created", at=at)
    return row


def rename(row: SavedSearch, *, name: str, at: datetime) -> None:
    """Give a search another name. Raises CannotSave."""
    before, row.name = row.name, _validate(name)
    if row.name != before:
        _write(row, "saved_search.renamed", at=at, before=before)


@transaction.atomic(durable=True)
def delete(row: SavedSearch, *, at: datetime) -> None:
    """Forget a search; one that is gone already stays gone."""
    if SavedSearch.objects.filter(pk=row.pk).delete()[0]:
        audit.record(audit.person(row.owner), "saved_search.deleted", row.name, at=at)


def _write(row: SavedSearch, action: str, *, at: datetime, **detail: object) -> None:
    try:
        with transaction.atomic(durable=True):
            row.save()
            audit.record(audit.person(row.owner), action, row.name, at=at, **detail)
    except IntegrityError as exc:
        raise CannotSave(f"There is a saved search called {row.name} already.") from exc


def _validate(name: str) -> str:
    trimmed = " ".join(name.split())
    if not trimmed:
        raise CannotSave("A saved search needs a name.")
    if len(trimmed) > LONGEST_NAME or not trimmed.isprintable():
        raise CannotSave(f"A name has at most {LONGEST_NAME} characters, all of them printable.")
    return trimmed
