"""The health page, and what can be done from it: reading a project again, making the search index anew."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import health as contexts
from dock.contexts import health_search, links
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.jobs import reindex
from memory.projects import sync as projects
from memory.projects.sync import Report

REBUILD = "memory.change_searchdocument"
"""The permission to make the search index anew."""

_COUNTED = {
    "entries": ("entry", "entries"),
    "sessions": ("session", "sessions"),
    "skills": ("skill", "skills"),
    "problems": ("problem", "problems"),
}


@page
def index(request: DockRequest) -> HttpResponse:
    person = request.user
    found = contexts.health(
        can_sync=person.has_perm("memory.change_project"), can_rebuild=person.has_perm(REBUILD), at=timezone.now()
    )
    return render_page(request, "dock/health/index.html", {"page": found}, fragments=("health",))


@page
def search(request: DockRequest) -> HttpResponse:
    """Answer the panel of the search index to scripts, and send everybody else to the page that has it."""
    if not request.htmx:
        return redirect(links.to("health"))
    found = health_search.search_index(can_rebuild=request.user.has_perm(REBUILD))
    return render_page(request, "dock/health/search_index.html", {"index": found})


@require_POST
@login_required
def rebuild(request: HttpRequest) -> HttpResponse:
    asked = cast("DockRequest", request)
    access.require(asked, REBUILD)
    if reindex.ask(actor=audit.person(asked.user), at=timezone.now()):
        messages.success(request, "The search index is being rebuilt; searches go on meanwhile.")
    else:
        messages.info(request, "The search index is being rebuilt already.")
    return redirect(links.to("health"))


@require_POST
@login_required
def sync(request: HttpRequest, project: str) -> HttpResponse:
    access.require(cast("DockRequest", request), "memory.change_project")
    row = access.project(project)
    if not row.memory_dir:
        messages.info(request, f"{row.name} has no directory to read.")
        return redirect(links.to("health"))
    before = projects.report(row)
    after = projects.sync(row, at=timezone.now())
    messages.success(request, f"{row.name} was read again: {_difference(before, after)}.")
    return redirect(links.to("health"))


def _difference(before: Report, after: Report) -> str:
    """Say what is other than before, by numbers: an entry that only changed is not counted."""
    old, new = _counts(before), _counts(after)
    changed = [_change(new[name] - old[name], *_COUNTED[name]) for name in _COUNTED if new[name] != old[name]]
    return ", ".join(changed) or "nothing came or went"


def _counts(report: Report) -> dict[str, int]:
    return {
        "entries": report.entries,
        "sessions": report.sessions,
        "skills": report.skills,
        "problems": len(report.problems),
    }


def _change(difference: int, one: str, many: str) -> str:
    amount = abs(difference)
    return f"{amount:,} {one if amount == 1 else many} {'more' if difference > 0 else 'fewer'}"
