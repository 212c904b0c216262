"""What to say to somebody who found nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from difflib import get_close_matches

from memory.models import Project, ProjectAlias, SearchDocument
from memory.projects import queries as projects
from memory.search.question import Question
from memory.search.tokens import fold
from memory.search.types import Filters, Query

BEHIND = "The index is still taking up what was written; the newest memories may be missing."

_TITLES = 2000
"""The newest titles, whose words are the ones that a typing error is compared with."""


def hint(query: Query, question: Question, count: Callable[[Filters], int]) -> str:
    """Return one or two sentences; `count` says how many hits other filters would have."""
    if query.filters.project and projects.find(query.filters.project) is None:
        return _unknown_project(query.filters.project)
    told = [_without(query.filters, count), _spelling(question)]
    return " ".join(filter(None, told))


def _unknown_project(name: str) -> str:
    known = [*Project.objects.values_list("name", flat=True), *ProjectAlias.objects.values_list("name", flat=True)]
    near = get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    return f"There is no project {name}.{f' Did you mean {_either(near)}?' if near else ''}"


def _without(filters: Filters, count: Callable[[Filters], int]) -> str:
    blank = Filters()
    for field in fields(filters):
        value = getattr(filters, field.name)
        if value and (found := count(replace(filters, **{field.name: getattr(blank, field.name)}))):
            name = field.name.removeprefix("is_")
            return f"Without the filter {name}:{value} there {'is 1 hit' if found == 1 else f'are {found:,} hits'}."
    return ""


def _spelling(question: Question) -> str:
    unknown = [
        asked.term.text
        for asked in question.asked
        if not asked.term.parts and asked.term.text not in question.frequency
    ]
    if not unknown:
        return ""
    titles = SearchDocument.objects.order_by("-when", "-pk").values_list("title", flat=True)[:_TITLES]
    words = {word for title in titles for word in fold(title).split() if word.isalnum() and len(word) > 3}
    near = [match for term in unknown[:3] for match in get_close_matches(term, words, n=1, cutoff=0.75)]
    return f"Did you mean {_either(near)}?" if near else ""


def _either(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
