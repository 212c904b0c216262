"""What the page of the memory plugins prints, among the settings: who they are, how they do, and who follows them."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from dock.contexts import settings
from dock.contexts.settings import Frame
from memory.models import Project
from memory.service import overview
from memory.service.overview import Following, PluginState
from memory.service.registry import plugins

NAME = "settings-plugins"


@dataclass(frozen=True, slots=True)
class Plugins:
    """The page; `broken` are packages that could not be loaded, with the reason."""

    frame: Frame
    rows: list[PluginState]
    broken: list[tuple[str, str]]
    following: list[Following]


def page(project: Project | None, person: User) -> Plugins:
    """Build the page. Two queries, one for each row of what is followed, and a few where its scope is a project."""
    return Plugins(
        frame=settings.frame(NAME, project, person),
        rows=overview.states(),
        broken=sorted(plugins.problems.items()),
        following=overview.following(),
    )
