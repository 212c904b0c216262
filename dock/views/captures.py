"""The outbox of captured turns, and trying one of them again."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import captures as contexts
from dock.contexts import links
from dock.contexts.captures import CHANGE
from dock.forms.captures import CaptureFilter
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.capture import outbox
from memory.capture.outbox import CannotRetry


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.listing(project, CaptureFilter(request.GET).criteria(), request.user)
    return render_page(request, "dock/captures/list.html", {"page": found}, fragments=("rows",))


@require_POST
@login_required
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue a turn again, and return to the session that the address names, or to the list."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    capture = access.capture(pk)
    try:
        outbox.retry(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except CannotRetry as exc:
        messages.info(request, str(exc))
    else:
        messages.success(request, "The turn is queued again.")
    if request.GET.get("from") == "session":
        return redirect(f"{links.to('session-detail', capture.session.key, view='turns')}#capture-{pk}")
    found = CaptureFilter(request.GET).criteria()
    state = {"project": request.GET.get("project", ""), "state": found.state, "capture": found.capture or ""}
    return redirect(links.to("capture-list", **state, cursor=found.cursor))
