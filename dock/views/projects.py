"""Pages about projects themselves."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dock import access
from dock.contexts import links
from dock.forms.projects import ProjectForm
from dock.http import DockRequest, render_page
from memory import audit
from memory.projects import actions, sync
from memory.projects.names import InvalidName
from memory.projects.registration import CannotRegister
from memory.projects.sync import Report

_TEMPLATE = "dock/projects/add.html"
_FIELDS = {"root": "path", "name": "name"}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def add(request: HttpRequest) -> HttpResponse:
    asked = cast("DockRequest", request)
    access.require(asked, "memory.add_project")
    if request.method != "POST":
        return render_page(asked, _TEMPLATE, {"form": ProjectForm()})
    form = ProjectForm(request.POST)
    report = _add(asked, form) if form.is_valid() else None
    if report is None:
        return render_page(asked, _TEMPLATE, {"form": form}, status=422)
    messages.success(request, _words(report))
    return redirect(links.to("journal-list", project=report.project))


def _add(request: DockRequest, form: ProjectForm) -> Report | None:
    """Register and read; None when the form now says why it could not be done."""
    now = timezone.now()
    wanted = form.cleaned_data
    try:
        project, _ = actions.add(path=wanted["path"], name=wanted["name"], actor=audit.person(request.user), at=now)
    except CannotRegister as exc:
        form.add_error(_FIELDS[exc.field], str(exc))
        return None
    except InvalidName as exc:
        form.add_error("name", str(exc))
        return None
    return sync.sync(project, at=now)


def _words(report: Report) -> str:
    read = f"{report.project}: {report.entries:,} {'entry' if report.entries == 1 else 'entries'} read"
    problems = len(report.problems)
    return f"{read}, {problems:,} {'problem' if problems == 1 else 'problems'}" if problems else read
