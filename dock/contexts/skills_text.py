"""A SKILL.md for reading: what is new in it, rendered, as source, or what happened to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import revisions, skills_changes, skills_decided
from dock.contexts.choices import Tab
from dock.contexts.revisions import Diff, short
from dock.contexts.skills_bases import Base
from dock.contexts.skills_changes import Changes
from dock.contexts.skills_decided import Act
from dock.contexts.source import Source, source
from dock.forms.skills import Wanted
from memory.models import SkillCandidate
from memory.skills import frontmatter, queries
from memory.skills.queries import Happened
from memory.texts import hidden

_VIEWS = {"changes": "Changes", "rendered": "Rendered", "source": "Source", "history": "History"}


@dataclass(frozen=True, slots=True)
class Happening:
    """One line of the history: a decision, or a content that was seen, with the address of what it changed."""

    at: datetime
    content_hash: str
    act: Act | None
    number: int
    url: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Past:
    """What happened, the newest first, and what the chosen revision changed."""

    items: list[Happening]
    diff: Diff | None


@dataclass(frozen=True, slots=True)
class Text:
    """A text in one of its views: what belongs to another view is not there."""

    view: str
    tabs: list[Tab]
    hidden: int
    changes: Changes | None = None
    fields: list[tuple[str, str]] | None = None
    html: SafeString | str = ""
    source: Source | None = None
    history: Past | None = None


def view_of(row: SkillCandidate, wanted: Wanted, *, is_waiting: bool) -> str:
    """Return the view that is wanted: what waits is shown by what is new in it."""
    return wanted.view or ("changes" if row.text and is_waiting else "rendered")


def text(
    row: SkillCandidate, view: str, bases: Callable[[], dict[str, Base]], wanted: Wanted, link: Callable[..., str]
) -> Text:
    """Prepare a view; `bases` is asked for comparisons alone, `link(…)` gives addresses."""
    make = partial(Text, view, _tabs(view, link), len(hidden.reveal(row.text)))
    if view == "changes":
        return make(changes=skills_changes.changes(row, bases(), wanted, link))
    if view == "source":
        return make(source=source(row.text, "markdown"))
    if view == "history":
        return make(history=_past(row, wanted.revision, link))
    fields, body = frontmatter.split(hidden.visible(row.text))
    return make(fields=list(fields.items()), html=markdown.render(body) if body else "")


def _tabs(current: str, link: Callable[..., str]) -> list[Tab]:
    return [Tab(label, link(view=name), name == current) for name, label in _VIEWS.items()]


def _past(row: SkillCandidate, revision: str, link: Callable[..., str]) -> Past:
    kept = revisions.history(row.revisions.all(), revision, lambda number: link(view="history", revision=number))
    shown = kept.diff.number if kept.diff else 0
    return Past([_happening(row, one, shown, link) for one in queries.history(row)], kept.diff)


def _happening(row: SkillCandidate, one: Happened, shown: int, link: Callable[..., str]) -> Happening:
    number = one.revision.number if one.revision else 0
    return Happening(
        at=one.at,
        content_hash=short(one.content_hash),
        act=skills_decided.act(one.decision, row.project) if one.decision else None,
        number=number,
        url=link(view="history", revision=number) if number else "",
        is_shown=bool(number) and number == shown,
    )
