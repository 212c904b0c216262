"""What the pages of skills print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db.models import Count, Q, QuerySet

from dock.contexts import links, paged
from dock.contexts.choices import Tab
from dock.contexts.reading import Reading, reading
from dock.contexts.revisions import short
from dock.forms.skills import Criteria
from memory import refs
from memory.models import Project, SkillCandidate
from memory.models.skill import SkillStatus
from memory.skills import queries
from memory.skills.store import FOLDER

CITED = 200
"""Sources, and paths of installed copies, that a page lists."""

_BY_NAME = ("slug", "pk")
_STATES = {
    "waiting": ("Waiting", ~Q(pending="")),
    "installed": ("Installed", Q(status=SkillStatus.INSTALLED)),
    "broken": ("Broken", Q(status=SkillStatus.BROKEN)),
    "all": ("All", Q()),
}
_TONES = {"waiting": "accent", "broken": "warn"}


@dataclass(frozen=True, slots=True)
class SkillRow:
    """One line of the list."""

    id: str
    url: str
    title: str
    slug: str
    description: str
    project: str
    states: list[str]
    occurrences: int | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class SkillList:
    """The list page; `project` is empty for all projects."""

    project: str
    text: str
    state: str
    state_label: str
    url: str
    all_url: str
    has_any: bool
    tabs: list[Tab]
    rows: list[SkillRow]
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A journal that a skill was learned from; without `url` where it is no day of the project."""

    path: str
    url: str


@dataclass(frozen=True, slots=True)
class SkillPage:
    """The page of one skill."""

    title: str
    slug: str
    description: str
    project: str
    ref: str
    states: list[str]
    status: str
    content_hash: str
    short_hash: str
    installed_hash: str
    is_installed_current: bool
    occurrences: int | None
    reason: str
    proposed_at: datetime | None
    revised_at: datetime | None
    installed_at: datetime | None
    installed_paths: list[str]
    sources: list[Citation]
    problems: list[str]
    extra: list[tuple[str, str]]
    reading: Reading
    crumbs: list[tuple[str, str]]
    url: str
    files_url: str
    previous_url: str
    next_url: str


def listing(project: Project | None, criteria: Criteria) -> SkillList:
    """Build the list page. Two queries."""
    matching = _matching(queries.skills(project).defer("text", "body"), criteria.text)
    counts = _counts(matching)
    state = criteria.state or ("waiting" if counts["waiting"] else "all")
    label, wanted = _STATES[state]
    page = paged.page(matching.filter(wanted), order=_BY_NAME, cursor=criteria.cursor)
    link = partial(links.to, "skill-list", project=project.name if project else "", q=criteria.text)
    return SkillList(
        project=project.name if project else "",
        text=criteria.text,
        state=state,
        state_label=label,
        url=link(state=state, cursor=criteria.cursor),
        all_url=links.to("skill-list", project=project.name if project else "", state="all"),
        has_any=bool(counts["all"]),
        tabs=[
            Tab(label, link(state=name), name == state, counts[name], _TONES.get(name, "") if counts[name] else "")
            for name, (label, _) in _STATES.items()
        ],
        rows=[_row(row, is_of_many=project is None) for row in page.items],
        previous_url=page.previous and link(state=state, cursor=page.previous),
        next_url=page.next and link(state=state, cursor=page.next),
    )


def skill(project: Project, row: SkillCandidate, *, view: str, revision: str) -> SkillPage:
    """Build the page of one skill. Four queries, in its history two more."""
    link = partial(links.to, "skill-detail", project.name, row.slug)
    text = reading(row.text, row.revisions.all(), view=view, revision=revision, link=link)
    before, after = _neighbours(project, row)
    return SkillPage(
        title=row.title or row.slug,
        slug=row.slug,
        description=row.description,
        project=project.name,
        ref=refs.skill(row, project),
        states=_states(row),
        status=row.status,
        content_hash=row.content_hash,
        short_hash=short(row.content_hash),
        installed_hash=short(row.installed_hash),
        is_installed_current=bool(row.content_hash) and row.content_hash == row.installed_hash,
        occurrences=row.occurrences,
        reason=row.reason,
        proposed_at=row.proposed_at,
        revised_at=row.revised_at,
        installed_at=row.installed_at,
        installed_paths=row.installed_paths[:CITED],
        sources=_citations(project, row.sources[:CITED]),
        problems=row.problems,
        extra=[(key, json.dumps(value, ensure_ascii=False)[:500]) for key, value in row.extra.items()],
        reading=text,
        crumbs=[("Skills", links.to("skill-list", project=project.name))],
        url=link(view=text.view, revision=revision),
        files_url=links.to("file-browser", project.name, path=f"{FOLDER}/{row.slug}"),
        previous_url=before and links.to("skill-detail", project.name, before),
        next_url=after and links.to("skill-detail", project.name, after),
    )


def _matching(rows: QuerySet[SkillCandidate], text: str) -> QuerySet[SkillCandidate]:
    if not text:
        return rows
    return rows.filter(Q(slug__icontains=text) | Q(title__icontains=text) | Q(description__icontains=text))


def _counts(rows: QuerySet[SkillCandidate]) -> dict[str, int]:
    """Count the skills in each state. One query."""
    counted = {name: Count("pk", filter=wanted or None) for name, (_, wanted) in _STATES.items()}
    return rows.order_by().aggregate(**counted)


def _row(row: SkillCandidate, *, is_of_many: bool) -> SkillRow:
    return SkillRow(
        id=f"skill-{row.pk}",
        url=links.to("skill-detail", row.project.name, row.slug),
        title=row.title or row.slug,
        slug=row.slug,
        description=row.description[:300],
        project=row.project.name if is_of_many else "",
        states=_states(row),
        occurrences=row.occurrences,
        updated_at=row.revised_at or row.proposed_at or row.updated_at,
    )


def _states(row: SkillCandidate) -> list[str]:
    """Say what waits and what is so: an installed skill may have an update that waits."""
    return [state for state in (row.pending, "" if row.status == SkillStatus.CANDIDATE else row.status) if state]


def _neighbours(project: Project, row: SkillCandidate) -> tuple[str, str]:
    """Return the slugs before and after one, by name; "" at the ends. Two queries."""
    slugs = project.skills.values_list("slug", flat=True)
    before = slugs.filter(slug__lt=row.slug).order_by("-slug").first()
    return before or "", slugs.filter(slug__gt=row.slug).order_by("slug").first() or ""


def _citations(project: Project, paths: Sequence[str]) -> list[Citation]:
    """Link the journals that are days of the project. One query."""
    below = {path: _below(project, path) for path in paths}
    days = dict(project.journals.filter(path__in=set(below.values())).values_list("path", "date"))
    return [
        Citation(path, links.to("journal-day", days[inner], project=project.name) if inner in days else "")
        for path, inner in below.items()
    ]


def _below(project: Project, path: str) -> str:
    """Return a cited path relative to the project's memory."""
    for root in (".memsearch/", f"{project.memory_dir}/", f"{project.root}/.memsearch/"):
        if path.startswith(root):
            return path.removeprefix(root)
    return path
