"""Making one project of two names, and two again."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from dock import access, toasts
from dock.contexts import links
from dock.contexts import projects_merge as contexts
from dock.contexts.projects_merge import CHANGE
from dock.forms.projects_merge import PairForm
from dock.http import DockRequest, render_page
from memory import audit
from memory.projects import merging
from memory.projects.merging import CannotMerge

_TEMPLATE = "dock/projects/merge.html"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def merge(request: HttpRequest) -> HttpResponse:
    """Show what a merge of the two projects in the address would do; a POST does it."""
    asked = cast("DockRequest", request)
    if request.method == "POST":
        return _merge(asked)
    found = contexts.page(*PairForm(request.GET).names(), asked.user)
    return render_page(asked, _TEMPLATE, {"page": found})


@require_POST
@login_required
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Give back what a merge moved."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.merge(pk)
    try:
        source = merging.undo(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except CannotMerge as exc:
        messages.info(request, str(exc))
    else:
        messages.success(request, f"{source.name} is a project of its own again.")
    return redirect(links.to("project-merge"))


def _merge(request: DockRequest) -> HttpResponse:
    access.require(request, CHANGE)
    names = PairForm(request.POST).names()
    source, target = (access.project(name) for name in names)
    try:
        done = merging.merge(source=source, target=target, actor=audit.person(request.user), at=timezone.now())
    except CannotMerge as exc:
        found = contexts.page(*names, request.user, error=str(exc))
        return render_page(request, _TEMPLATE, {"page": found}, status=422)
    told = f"{done.source_name} is another name of {done.target.name} now."
    toasts.offer_undo(request, told, url=links.to("project-unmerge", done.pk))
    return redirect(links.to("project-merge"))
