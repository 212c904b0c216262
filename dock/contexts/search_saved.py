"""A person's saved searches: in the search page's menu, on their own page, in the palette."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import QueryDict

from dock.contexts import links
from dock.contexts.facets import chips
from dock.forms.search import Criteria, SearchForm
from memory.models import Project, SavedSearch
from memory.search import saved


@dataclass(frozen=True, slots=True)
class Refused:
    """A name that could not be taken, and why; of the search `pk`, or of a new one."""

    name: str
    error: str
    pk: int | None = None


@dataclass(frozen=True, slots=True)
class SavedRow:
    """One saved search; `words` is what it looks for, `typed` what its form holds, `error` what was wrong with that."""

    pk: int
    name: str
    url: str
    words: str
    rename_url: str
    delete_url: str
    is_current: bool
    typed: str
    error: str


@dataclass(frozen=True, slots=True)
class SavedMenu:
    """The menu beside the hits: `save_url` is empty where there is nothing to save, or it is saved already."""

    rows: list[SavedRow]
    current: str
    save_url: str
    typed: str
    error: str


def query(project: Project | None, criteria: Criteria) -> str:
    """Return the query of an address as it is saved, always in the same order; empty when it asks for nothing."""
    if not criteria.is_question:
        return ""
    kept = {**criteria.state(), "project": project.name if project else ""}
    return urlencode({name: value for name, value in sorted(kept.items()) if value})


def menu(owner: User, asked: str, refused: Refused | None) -> SavedMenu:
    """Build the menu for a page that asks `asked`. One query."""
    rows = listing(owner, asked=asked)
    current = next((row.name for row in rows if row.is_current), "")
    can_save = bool(asked) and (not current or refused is not None)
    return SavedMenu(
        rows=rows,
        current=current,
        save_url=f"{links.to('search-save')}?{asked}" if can_save else "",
        typed=refused.name if refused else "",
        error=refused.error if refused else "",
    )


def listing(owner: User, *, asked: str = "", refused: Refused | None = None) -> list[SavedRow]:
    """List a person's searches by name. One query."""
    return [_row(row, asked, refused if refused and refused.pk == row.pk else None) for row in saved.of(owner)]


def _row(row: SavedSearch, asked: str, refused: Refused | None) -> SavedRow:
    return SavedRow(
        pk=row.pk,
        name=row.name,
        url=f"{links.to('search')}?{row.query}",
        words=_words(row.query),
        rename_url=links.to("search-rename", row.pk),
        delete_url=links.to("search-delete", row.pk),
        is_current=row.query == asked,
        typed=refused.name if refused else row.name,
        error=refused.error if refused else "",
    )


def _words(asked: str) -> str:
    kept = QueryDict(asked)
    criteria = SearchForm(kept).criteria()
    told = [criteria.text, *(chip.words for chip in chips({"project": kept.get("project", ""), **criteria.state()}))]
    return " · ".join(filter(None, [*told, "newest first" if criteria.sort == "time" else ""]))
