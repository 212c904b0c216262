"""Upkeep: its runs, asking for one, and deciding about documents that wait."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import links, upkeep_run
from dock.contexts import upkeep as contexts
from dock.contexts.upkeep import ADD
from dock.contexts.upkeep_proposals import DECIDE
from dock.forms.upkeep import AskForm, RefuseForm, UpkeepFilter
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.maintenance import proposals, runs
from memory.maintenance.files import CannotUse, Changed
from memory.maintenance.proposals import AlreadyDecided

REFUSALS = (AlreadyDecided, Changed, CannotUse)


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.listing(project, UpkeepFilter(request.GET).criteria(), request.user)
    return render_page(request, "dock/upkeep/list.html", {"page": found}, fragments=("rows",))


@page
def run(request: DockRequest, pk: int) -> HttpResponse:
    found = upkeep_run.page(access.upkeep_run(request, pk), request.user)
    return render_page(request, "dock/upkeep/detail.html", {"page": found}, fragments=("run",))


@require_POST
@login_required
def ask(request: HttpRequest) -> HttpResponse:
    """Queue a run that a person wants now, or wants to see without consequences."""
    asked = cast("DockRequest", request)
    access.require(asked, ADD)
    form = AskForm(request.POST)
    if not form.is_valid():
        found = contexts.listing(None, UpkeepFilter({}).criteria(), asked.user, form)
        return render_page(asked, "dock/upkeep/list.html", {"page": found}, status=422)
    wish = form.wish()
    made = runs.ask(
        project=access.project(wish.project),
        task=wish.task,
        force=True,
        is_dry_run=wish.mode == "dry",
        trigger=runs.BY_HAND,
        actor=audit.person(asked.user),
        at=timezone.now(),
    )
    return redirect(links.to("upkeep-run", made.pk))


@require_POST
@login_required
def apply(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a proposed document in."""
    asked = cast("DockRequest", request)
    access.require(asked, DECIDE)
    row = access.proposal(pk)
    try:
        proposals.apply(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except REFUSALS as exc:
        messages.warning(request, str(exc))
    else:
        messages.success(request, f"{row.name} has the new text; the one before is in its history.")
    return redirect(links.to("upkeep-run", row.run_id))


@require_POST
@login_required
def refuse(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep a proposed document out."""
    asked = cast("DockRequest", request)
    access.require(asked, DECIDE)
    row, form = access.proposal(pk), RefuseForm(request.POST)
    note = form.cleaned_data["note"] if form.is_valid() else ""
    try:
        proposals.refuse(pk=pk, note=note, actor=audit.person(asked.user), at=timezone.now())
    except REFUSALS as exc:
        messages.warning(request, str(exc))
    else:
        messages.success(request, f"{row.name} stays as it is.")
    return redirect(links.to("upkeep-run", row.run_id))
