"""A Markdown file that is kept with its history, for reading: rendered, as source, or what changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import revisions
from dock.contexts.choices import Tab
from dock.contexts.revisions import History
from dock.contexts.source import Source, hidden, source
from memory.models import DocumentRevision, SkillRevision
from memory.skills import frontmatter

_VIEWS = {"rendered": "Rendered", "source": "Source", "history": "History"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A text in one of its views: `source` and `history` are there in their own view only."""

    view: str
    tabs: list[Tab]
    fields: list[tuple[str, str]]
    html: SafeString | str
    source: Source | None
    history: History | None
    hidden: int
    source_url: str
    is_empty: bool


def reading[Row: (SkillRevision, DocumentRevision)](
    text: str,
    kept: QuerySet[Row],
    *,
    view: str,
    revision: str,
    link: Callable[..., str],
) -> Reading:
    """Prepare a text for a view; `link(view=…, revision=…)` gives its addresses. One query, in `history` three."""
    view = view if view in _VIEWS else "rendered"
    fields, body = frontmatter.split(text) if view == "rendered" else ({}, "")
    return Reading(
        view=view,
        tabs=_tabs(view, kept.count(), link),
        fields=list(fields.items()),
        html=markdown.render(body) if body else "",
        source=source(text, "markdown") if view == "source" else None,
        history=revisions.history(kept, revision, partial(_revision, link)) if view == "history" else None,
        hidden=hidden(text),
        source_url=link(view="source"),
        is_empty=not text.strip(),
    )


def _revision(link: Callable[..., str], number: int) -> str:
    return link(view="history", revision=number)


def _tabs(current: str, count: int, link: Callable[..., str]) -> list[Tab]:
    return [
        Tab(label, link(view=name), name == current, count if name == "history" else None)
        for name, label in _VIEWS.items()
    ]
