"""Which project a reader asks for; one without any memory finds nothing, which is no error."""

from __future__ import annotations

from django.http import HttpRequest

from memory.api.engram.parameters import every, text
from memory.engram import resolution
from memory.models import Project


def chosen(request: HttpRequest) -> Project | None:
    """Return the project that a query names, or None for all. Raises what `resolution.resolve` raises."""
    return resolution.resolve(
        project=every(request, "project"), all_projects=every(request, "all_projects"), cwd=text(request, "cwd")
    )


def named(project: str | None, *, all_projects: bool) -> Project | None:
    """Return the project that a body names, or None for all. Raises what `resolution.resolve` raises."""
    names = [] if project is None else [project]
    return resolution.resolve(project=names, all_projects=["true"] if all_projects else [])
