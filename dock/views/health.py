"""The health page, and reading a project again from it."""

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
from dock.contexts import links
from dock.http import DockRequest, page, render_page
from memory.projects import sync as projects
from memory.projects.sync import Report

_COUNTED = {
    "entries": ("entry", "entries"),
    "sessions": ("session", "sessions"),
    "skills": ("skill", "skills"),
    "problems": ("problem", "problems"),
}


@page
def index(request: DockRequest) -> HttpResponse:
    found = contexts.health(can_sync=request.user.has_perm("memory.change_project"), at=timezone.now())
    return render_page(request, "dock/health/index.html", {"page": found}, fragments=("health",))


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
