"""What the page of the projects prints, among the settings."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from dock.contexts import links, settings
from dock.contexts.settings import Frame
from memory.models import Project
from memory.models.project import NO_PROJECT
from memory.projects import queries

NAME = "settings-projects"


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One project: its names, where it is, how much it remembers and how much is set for it alone."""

    name: str
    url: str
    root: str
    memory_dir: str
    aliases: list[str]
    entries: int
    own: int
    own_url: str


@dataclass(frozen=True, slots=True)
class Projects:
    """The page; an address is empty where this person may not do it."""

    frame: Frame
    rows: list[ProjectRow]
    add_url: str
    merge_url: str


def page(project: Project | None, person: User) -> Projects:
    """Build the page. Three queries."""
    found = queries.brief().exclude(name=NO_PROJECT).prefetch_related("aliases", "settings")
    return Projects(
        frame=settings.frame(NAME, project, person),
        rows=[_row(row) for row in found],
        add_url=links.to("project-add") if person.has_perm("memory.add_project") else "",
        merge_url=links.to("project-merge"),
    )


def _row(row: Project) -> ProjectRow:
    return ProjectRow(
        name=row.name,
        url=links.to("journal-list", project=row.name),
        root=row.root,
        memory_dir=row.memory_dir,
        aliases=sorted(alias.name for alias in row.aliases.all()),
        entries=row.entry_count,  # type: ignore[attr-defined]
        own=len(row.settings.all()),
        own_url=links.to("settings-configuration", project=row.name, only="memdock"),
    )
