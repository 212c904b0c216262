"""What a person does to one memory; each act is posted and may be posted twice."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST

from dock import access, toasts
from dock.contexts import links, memories_chosen
from dock.contexts.memories import CHANGE, DELETE
from dock.forms.memories_edit import ReasonForm
from dock.http import DockRequest
from memory import audit
from memory.engram import curation, observations
from memory.engram.errors import NotFound


@require_POST
@login_required
def pin(request: HttpRequest, pk: int) -> HttpResponse:
    """Pin a memory, or unpin it where the form says `pinned=0`."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.live_memory(asked, pk)
    is_pinned = request.POST.get("pinned") != "0"
    try:
        observations.pin(pk=pk, is_pinned=is_pinned, actor=audit.person(asked.user), at=timezone.now())
    except NotFound as exc:
        raise Http404(str(exc)) from exc
    messages.success(request, "Pinned." if is_pinned else "Not pinned any more.")
    return redirect(links.to("memory-detail", pk))


@require_POST
@login_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Move a memory to the trash."""
    asked, now = cast("DockRequest", request), timezone.now()
    access.require(asked, DELETE)
    row, reason = access.memory(asked, pk), ReasonForm(request.POST).typed()
    try:
        observations.delete(pk=pk, actor=audit.person(asked.user), reason=reason, at=now)
    except NotFound:
        messages.info(request, "This memory is in the trash already.")
    else:
        offer_restore(asked, f"“{row.title or f'Memory {pk}'}” is in the trash.", at=now)
    return redirect(links.to("memory-list", project=row.project.name))


@require_POST
@login_required
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Bring a memory back from the trash."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.memory(asked, pk)
    try:
        observations.restore(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except NotFound as exc:
        raise Http404(str(exc)) from exc
    messages.success(request, "Restored.")
    return redirect(links.to("memory-detail", pk))


@require_POST
@login_required
def undo(request: HttpRequest) -> HttpResponse:
    """Bring back what was deleted at the moment that the address names."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    project, at = access.chosen_project(asked), _moment(request.GET.get("at", ""))
    pks = memories_chosen.deleted_at(at) if at else []
    count = curation.restore(pks=pks, actor=audit.person(asked.user), at=timezone.now())
    if count:
        messages.success(request, f"{'1 memory is' if count == 1 else f'{count:,} memories are'} back.")
    else:
        messages.info(request, "There is nothing left to bring back.")
    return redirect(links.to("memory-detail", pks[0]) if count == 1 else memories_chosen.url("memory-list", project))


@require_POST
@login_required
def restore_version(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Let a memory say again what it said in a version."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.live_memory(asked, pk)
    try:
        observations.restore_version(pk=pk, number=number, actor=audit.person(asked.user), at=timezone.now())
    except NotFound as exc:
        raise Http404(str(exc)) from exc
    messages.success(request, f"It says again what it said in version {number}.")
    return redirect(links.to("memory-detail", pk))


@require_POST
@login_required
def unmerge(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back the last merge into a memory."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.live_memory(asked, pk)
    try:
        curation.unmerge(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except NotFound:
        messages.info(request, "There is no merge to take back.")
    else:
        messages.success(request, "The merge was taken back.")
    return redirect(links.to("memory-detail", pk))


def offer_restore(request: DockRequest, text: str, *, at: datetime) -> None:
    """Say what was deleted at a moment, and offer to take it back to whoever may."""
    if not request.user.has_perm(CHANGE):
        messages.success(request, text)
        return
    project = request.GET.get("project", "")
    toasts.offer_undo(request, text, url=links.to("memory-undo", at=at.isoformat(), project=project))


def _moment(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return found if found and timezone.is_aware(found) else None
