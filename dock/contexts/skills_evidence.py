"""The journals that a skill was learned from, opened where they speak of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models.functions import Left
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links
from memory.models import Entry, Project, SkillCandidate
from memory.skills import evidence
from memory.skills.evidence import Cited
from memory.texts import hidden

MOST = 40
"""Sources that are opened on a page."""

BODY = 3000
"""Characters of an entry that are shown; its own page has the rest."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source: what it says, with links to the entry and the day, or what is wrong with it."""

    source: str
    heading: str
    html: SafeString | str
    problem: str
    entry_url: str
    day_url: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All sources; `more` are not listed."""

    words: str
    reason: str
    cited: list[Source]
    more: int


def page(project: Project, row: SkillCandidate) -> Evidence:
    """Open what a skill cites. Five queries."""
    told = evidence.evidence(row)
    bodies = _bodies(told[:MOST])
    days = dict(project.journals.filter(path__in={one.path for one in told[:MOST]}).values_list("path", "date"))
    urls = {path: links.to("journal-day", day, project=project.name) for path, day in days.items()}
    return Evidence(
        words=_words(row, len(told)),
        reason="Written by hand." if row.reason == "manual" else row.reason[:2000],
        cited=[_source(one, bodies, urls.get(one.path, "")) for one in told[:MOST]],
        more=max(0, len(told) - MOST),
    )


def _bodies(told: Sequence[Cited]) -> dict[int, str]:
    """Read what the cited entries say. One query."""
    pks = [one.entry.pk for one in told if one.entry]
    return dict(Entry.objects.filter(pk__in=pks).values_list("pk", Left("body", BODY))) if pks else {}


def _source(one: Cited, bodies: dict[int, str], day_url: str) -> Source:
    body = bodies.get(one.entry.pk, "") if one.entry else one.excerpt
    time = f", {one.entry.time}" if one.entry else ""
    return Source(
        source=f"{one.path.rpartition('/')[2] or one.source}{time}",
        heading=hidden.visible(one.heading) if one.entry else "",
        html=markdown.render(hidden.visible(body)) if body else "",
        problem=one.problem,
        entry_url=links.to("entry-detail", one.entry.pk) if one.entry else "",
        day_url=day_url,
    )


def _words(row: SkillCandidate, cited: int) -> str:
    journals = f"{cited:,} journal{'' if cited == 1 else 's'} cited"
    if row.occurrences is None:
        return journals
    return f"seen in {row.occurrences:,} session{'' if row.occurrences == 1 else 's'}, {journals}"
