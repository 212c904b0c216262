"""What the page prints on which two names of one project become one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from dock.contexts import links
from dock.contexts.choices import Option
from memory.models import Project, ProjectMerge
from memory.models.project import NO_PROJECT
from memory.projects import merging, queries, similar
from memory.projects.merging import MOVED

CHANGE = "memory.change_project"

COMPARED = 150
"""Names that are compared with all others; comparing takes the time of their number squared."""

HINTS = 20
LISTED = 50

_NOUNS = {
    "sessions": ("session", "sessions"),
    "observations": ("memory", "memories"),
    "prompts": ("prompt", "prompts"),
    "relations": ("relation", "relations"),
    "captures": ("captured turn", "captured turns"),
    "artifacts": ("artifact", "artifacts"),
    "inbox_messages": ("message for agents", "messages for agents"),
    "aliases": ("other name", "other names"),
    "directories": ("directory", "directories"),
    "merges": ("earlier merge", "earlier merges"),
}


@dataclass(frozen=True, slots=True)
class Hint:
    """Two names that look like one."""

    source: str
    target: str
    url: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge would move; with a `refusal` it cannot be done, without `merge_url` not by this person."""

    source: str
    target: str
    moved: list[tuple[str, int]]
    refusal: str
    merge_url: str


@dataclass(frozen=True, slots=True)
class MergeRow:
    """One merge that was done; without `undo_url` it is undone, or this person may not."""

    id: str
    source: str
    target: str
    target_url: str
    moved: str
    by: str
    at: datetime
    undone_at: datetime | None
    undo_url: str


@dataclass(frozen=True, slots=True)
class Merging:
    """The page; without a plan two projects are still to be chosen. `unknown` are names that no project has."""

    sources: list[Option]
    targets: list[Option]
    hints: list[Hint]
    plan: Plan | None
    unknown: list[str]
    merges: list[MergeRow]
    crumbs: list[tuple[str, str]]
    error: str


def page(source: str, target: str, person: User, *, error: str = "") -> Merging:
    """Build the page. Two queries, and eleven where two projects are chosen."""
    projects = [row for row in queries.brief() if row.name != NO_PROJECT]
    names = [row.name for row in projects]
    chosen = [queries.find(name) if name else None for name in (source, target)]
    can_change = person.has_perm(CHANGE)
    both = (chosen[0], chosen[1]) if chosen[0] and chosen[1] else None
    return Merging(
        sources=_options([row.name for row in projects if not row.memory_dir], chosen[0]),
        targets=_options(names, chosen[1]),
        hints=[] if source or target else list(_hints(projects))[:HINTS],
        plan=_plan(*both, can_change=can_change) if both else None,
        unknown=[name for name, found in zip((source, target), chosen, strict=True) if name and not found],
        merges=[_row(one, can_change=can_change) for one in _merges()],
        crumbs=[("Health", links.to("health"))],
        error=error,
    )


def _options(names: list[str], chosen: Project | None) -> list[Option]:
    known = [*names, chosen.name] if chosen and chosen.name not in names else names
    return [Option(name, name, chosen is not None and chosen.name == name) for name in known]


def _hints(projects: list[Project]) -> Iterator[Hint]:
    """Yield pairs of similar names once, from the one that has no memory on disk to the one that stays."""
    named = {row.name: row for row in projects}
    seen = set[frozenset[str]]()
    for row in [row for row in projects if not row.memory_dir][:COMPARED]:
        for other in similar.similar(row.name, named):
            pair = frozenset((row.name, other))
            if pair not in seen:
                seen.add(pair)
                yield Hint(row.name, other, links.to("project-merge", source=row.name, target=other))


def _plan(source: Project, target: Project, *, can_change: bool) -> Plan:
    found = merging.preview(source, target)
    return Plan(
        source=found.source,
        target=found.target,
        moved=[(_NOUNS[name][found.counts[name] != 1], found.counts[name]) for name in MOVED if found.counts[name]],
        refusal=found.refusal,
        merge_url=links.to("project-merge") if can_change and not found.refusal else "",
    )


def _merges() -> list[ProjectMerge]:
    return list(ProjectMerge.objects.select_related("target").order_by("-created_at", "-pk")[:LISTED])


def _row(done: ProjectMerge, *, can_change: bool) -> MergeRow:
    counts = {name: len(done.moved.get(name, [])) for name in MOVED}
    told = [f"{count:,} {_NOUNS[name][count != 1]}" for name, count in counts.items() if count]
    return MergeRow(
        id=f"merge-{done.pk}",
        source=done.source_name,
        target=done.target.name,
        target_url=links.to("live", project=done.target.name),
        moved=", ".join(told) or "nothing but the name",
        by=done.actor_label,
        at=done.created_at,
        undone_at=done.undone_at,
        undo_url=links.to("project-unmerge", done.pk) if can_change and done.undone_at is None else "",
    )
