"""Pages of prompts: what people asked their agents."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import links
from dock.contexts import prompts as contexts
from dock.contexts.prompts import DELETE
from dock.forms.prompts import PromptFilter
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.engram import prompts
from memory.engram.errors import NotFound


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.listing(project, PromptFilter(request.GET).criteria(), now=timezone.now())
    return render_page(request, "dock/prompts/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, pk: int) -> HttpResponse:
    found = contexts.record(access.prompt(request, pk), request.user)
    return render_page(request, "dock/prompts/detail.html", {"page": found})


@require_POST
@login_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a prompt for good; no import brings it back."""
    asked = cast("DockRequest", request)
    access.require(asked, DELETE)
    project = access.prompt(asked, pk).project.name
    try:
        prompts.delete(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except NotFound as exc:
        raise Http404(str(exc)) from exc
    messages.success(request, "The prompt is deleted.")
    return redirect(links.to("prompt-list", project=project))
