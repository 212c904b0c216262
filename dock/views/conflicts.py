"""Pairs of memories that may contradict or repeat one another, and the verdicts about them."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import conflict_pairs, links
from dock.contexts import conflicts as contexts
from dock.contexts.conflicts import CHANGE, Refused
from dock.forms.conflicts import ConflictFilter, VerdictForm
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.engram import relations
from memory.engram.errors import Invalid

_TEMPLATE = "dock/conflicts/list.html"


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    criteria = ConflictFilter(request.GET).criteria()
    found = contexts.page(project, criteria, request.user, now=timezone.now())
    return render_page(request, _TEMPLATE, {"page": found}, fragments=("pairs",))


@require_POST
@login_required
def judge(request: HttpRequest, pk: int) -> HttpResponse:
    """Write a verdict, first or another one, and go on to the next pair of the list that the address describes."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    row, form = access.relation(pk), VerdictForm(request.POST)
    if not form.is_valid():
        return _refuse(asked, pk, " ".join(str(error) for errors in form.errors.values() for error in errors))
    told = form.cleaned_data
    try:
        relations.judge(
            judgment_id=row.sync_id,
            relation=told["relation"],
            reason=told["reason"],
            actor=audit.person(asked.user),
            at=timezone.now(),
        )
    except Invalid as exc:
        return _refuse(asked, pk, f"Not judged: {exc.message}.")
    return _go_on(asked, pk)


def _go_on(request: DockRequest, pk: int) -> HttpResponse:
    project, criteria = access.chosen_project(request), ConflictFilter(request.GET).criteria()
    owner = project.name if project else ""
    if criteria.status != "pending":
        messages.success(request, "Judged.")
        return redirect(links.to("conflict-list", project=owner, **criteria.query(), pair=pk))
    following = conflict_pairs.after(project, criteria, pk)
    return redirect(links.to("conflict-list", project=owner, pair=following or "", last=pk))


def _refuse(request: DockRequest, pk: int, error: str) -> HttpResponse:
    project, criteria = access.chosen_project(request), replace(ConflictFilter(request.GET).criteria(), pair=pk)
    refused = Refused(request.POST.get("reason", ""), error)
    found = contexts.page(project, criteria, request.user, refused=refused, now=timezone.now())
    return render_page(request, _TEMPLATE, {"page": found}, status=422)
