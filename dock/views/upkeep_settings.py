"""The page of the settings that says which tasks of upkeep run by themselves."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dock import access
from dock.contexts import upkeep_settings as contexts
from dock.contexts.settings import CHANGE
from dock.forms.settings import SettingsForm
from dock.http import DockRequest, render_page
from memory import audit
from memory.configuration import actions
from memory.configuration.actions import Stale


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def index(request: HttpRequest) -> HttpResponse:
    asked = cast("DockRequest", request)
    if request.method == "POST":
        return _save(asked)
    platform = contexts.platform(asked.GET.get("platform", ""))
    return _show(asked, contexts.page(access.chosen_project(asked), platform, asked.user))


def _save(request: DockRequest) -> HttpResponse:
    access.require(request, CHANGE)
    project, platform = access.chosen_project(request), contexts.platform(request.GET.get("platform", ""))
    form = SettingsForm(request.POST, wanted=contexts.wanted(platform))
    if not form.is_valid():
        return _show(request, contexts.page(project, platform, request.user, form=form), status=422)
    seen, actor = request.POST.get("seen"), audit.person(request.user)
    try:
        changed = actions.change(wanted=form.wanted(), project=project, seen=seen, actor=actor, at=timezone.now())
    except Stale:
        return _show(request, contexts.page(project, platform, request.user, form=form, stale=True), status=409)
    messages.success(request, f"Saved: {len(changed):,} setting{'' if len(changed) == 1 else 's'} changed.")
    return redirect(contexts.page(project, platform, request.user).url)


def _show(request: DockRequest, found: object, *, status: int = 200) -> HttpResponse:
    return render_page(request, "dock/upkeep/settings.html", {"page": found}, status=status)
