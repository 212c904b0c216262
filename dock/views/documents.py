"""Pages of PROJECT.md and USER.md."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import documents as contexts
from dock.contexts import links
from dock.contexts.documents import RESTORE
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.maintenance import documents
from memory.maintenance.files import CannotUse, Changed


@page
def index(request: DockRequest) -> HttpResponse:
    found = contexts.listing(access.chosen_project(request))
    return render_page(request, "dock/documents/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, project: str, name: str) -> HttpResponse:
    owner = access.project(project)
    row = access.document(owner, name)
    view, revision = request.GET.get("view", ""), request.GET.get("revision", "")
    found = contexts.document(owner, row, request.user, view=view, revision=revision)
    return render_page(request, "dock/documents/detail.html", {"page": found}, fragments=("document",))


@require_POST
@login_required
def restore(request: HttpRequest, project: str, name: str, number: int) -> HttpResponse:
    """Put an earlier content back, and return to the history."""
    asked = cast("DockRequest", request)
    access.require(asked, RESTORE)
    revision = access.revision(access.document(access.project(project), name), number)
    try:
        documents.restore(revision_pk=revision.pk, actor=audit.person(asked.user), at=timezone.now())
    except (Changed, CannotUse) as exc:
        messages.warning(request, str(exc))
    else:
        messages.success(request, f"{name} is what it was in revision {number}.")
    return redirect(links.to("document-detail", project, name, view="history"))
