"""Memories whose review is due, and what is done about them one by one."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import dateformat, timezone
from django.views.decorators.http import require_POST

from dock import access, toasts
from dock.contexts import links
from dock.contexts import review as contexts
from dock.contexts.memories import CHANGE, DELETE
from dock.forms.review import ReviewFilter
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.engram import observations, review
from memory.engram.errors import NotFound


@page
def index(request: DockRequest) -> HttpResponse:
    project, place = access.chosen_project(request), ReviewFilter(request.GET).place()
    found = contexts.page(project, place, request.user, now=timezone.now())
    return render_page(request, "dock/review/list.html", {"page": found}, fragments=("rows",))


@require_POST
@login_required
def mark(request: HttpRequest, pk: int) -> HttpResponse:
    """Say that a memory is still good, and go on to the next one."""
    asked, now = cast("DockRequest", request), timezone.now()
    access.require(asked, CHANGE)
    row = access.live_memory(asked, pk)
    onward = _onward(asked, contexts.beside(access.chosen_project(asked), row, now=now))
    try:
        marked = review.mark_reviewed(pk=pk, actor=audit.person(asked.user), at=now)
    except NotFound as exc:
        raise Http404(str(exc)) from exc
    messages.success(request, f"“{marked.title or f'Memory {pk}'}” is reviewed{_until(marked.review_after)}.")
    return redirect(onward)


@require_POST
@login_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Move a memory to the trash, and go on to the next one."""
    asked, now = cast("DockRequest", request), timezone.now()
    access.require(asked, DELETE)
    row = access.memory(asked, pk)
    onward = _onward(asked, contexts.beside(access.chosen_project(asked), row, now=now))
    try:
        observations.delete(pk=pk, actor=audit.person(asked.user), at=now)
    except NotFound:
        messages.info(request, "This memory is in the trash already.")
    else:
        _tell(asked, f"“{row.title or f'Memory {pk}'}” is in the trash.", at=now)
    return redirect(onward)


def _onward(request: DockRequest, place: str) -> str:
    address = links.to("review-list", project=request.GET.get("project", ""))
    return f"{address}#{place}" if place else address


def _until(day: datetime | None) -> str:
    return f", and again on {dateformat.format(timezone.localtime(day), 'j F Y')}" if day else ""


def _tell(request: DockRequest, text: str, *, at: datetime) -> None:
    """Offer to take it back to whoever may."""
    if request.user.has_perm(CHANGE):
        undo = links.to("memory-undo", at=at.isoformat(), project=request.GET.get("project", ""))
        toasts.offer_undo(request, text, url=undo)
    else:
        messages.success(request, text)
