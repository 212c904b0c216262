"""Pages of memories: the list with its trash, one memory, and its editing."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dock import access
from dock.contexts import links, memories_edit, memories_record
from dock.contexts import memories as contexts
from dock.forms.memories import MemoryFilter
from dock.forms.memories_edit import EditForm
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.engram import observations, versions
from memory.engram.errors import EditConflict, Invalid, NotFound

_EDIT = "dock/memories/edit.html"


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.listing(project, MemoryFilter(request.GET).criteria(), request.user, now=timezone.now())
    return render_page(request, "dock/memories/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, pk: int) -> HttpResponse:
    row, asked = access.memory(request, pk), request.GET
    found = memories_record.memory(
        row,
        request.user,
        view=asked.get("view", ""),
        old=asked.get("old", ""),
        new=asked.get("new", ""),
        now=timezone.now(),
    )
    return render_page(request, "dock/memories/detail.html", {"page": found}, fragments=("memory",))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    asked = cast("DockRequest", request)
    access.require(asked, contexts.CHANGE)
    row = access.live_memory(asked, pk)
    if request.method != "POST":
        return render_page(asked, _EDIT, {"page": memories_edit.page(row, memories_edit.filled(row))})
    form = EditForm(request.POST)
    if not form.is_valid():
        return render_page(asked, _EDIT, {"page": memories_edit.page(row, form)}, status=422)
    return _save(asked, pk, form)


def _save(request: DockRequest, pk: int, form: EditForm) -> HttpResponse:
    row, told = access.live_memory(request, pk), form.cleaned_data
    wanted = form.edit(versions.own(row))
    if wanted is None:
        messages.info(request, "Nothing was changed.")
        return redirect(links.to("memory-detail", pk))
    try:
        observations.update(
            pk=pk,
            edit=wanted,
            expected_revision=told["revision"],
            actor=audit.person(request.user),
            reason=told["reason"],
            at=timezone.now(),
        )
    except EditConflict:
        now = access.live_memory(request, pk)
        return render_page(request, _EDIT, {"page": memories_edit.page(now, form, is_conflict=True)}, status=409)
    except Invalid as exc:
        form.add_error(None, exc.message)
        return render_page(request, _EDIT, {"page": memories_edit.page(row, form)}, status=422)
    except NotFound as exc:
        raise Http404(str(exc)) from exc
    messages.success(request, "Saved. What it said before is among its versions.")
    return redirect(links.to("memory-detail", pk))
