"""The pages of agents, and connecting one of them from the browser of its owner."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import connect as contexts
from dock.contexts import links
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.configuration import connecting
from memory.configuration.connecting import Moved
from memory.connect.refusals import CannotConnect
from memory.connect.registry import AGENTS

_LOOPBACK = {"127.0.0.1", "::1"}
_LOOPBACK_NAMES = {"127.0.0.1", "localhost", "[::1]"}
_MOVED = "A file has changed since it was shown. Nothing was written; this is what would change now."


@page
def index(request: DockRequest) -> HttpResponse:
    return redirect(links.to("connect-agent", next(iter(AGENTS)), project=request.GET.get("project", "")))


@page
def agent(request: DockRequest, name: str) -> HttpResponse:
    return _show(request, name)


@page
def heard(request: DockRequest, name: str) -> HttpResponse:
    """Answer the part about the agent's last turns to scripts, and send everybody else to the page that has it."""
    if not request.htmx:
        return redirect(links.to("connect-agent", name))
    return render_page(request, "dock/connect/heard.html", {"heard": contexts.heard(name)})


@require_POST
@login_required
def write(request: HttpRequest, name: str) -> HttpResponse:
    return _apply(cast("DockRequest", request), name, is_removal=False)


@require_POST
@login_required
def remove(request: HttpRequest, name: str) -> HttpResponse:
    return _apply(cast("DockRequest", request), name, is_removal=True)


def _apply(request: DockRequest, name: str, *, is_removal: bool) -> HttpResponse:
    """Do what the page showed: files of the owner's are changed, so only the owner on the machine itself may."""
    if not (_is_owner(request) and _is_local(request)):
        raise PermissionDenied("Only the owner, in a browser on the machine of MemDock, can change files there.")
    contexts.check(name)
    project = access.chosen_project(request) if request.GET.get("where") == "project" else None
    seen, actor = request.POST.get("digest", ""), audit.person(request.user)
    try:
        connecting.apply(name, project=project, is_removal=is_removal, seen=seen, actor=actor, at=timezone.now())
    except Moved:
        return _show(request, name, error=_MOVED, status=409)
    except CannotConnect as exc:
        return _show(request, name, error=str(exc), status=422)
    label = contexts.label(name)
    messages.success(request, f"{label} is no longer connected." if is_removal else f"{label} is connected.")
    where = {"project": project.name, "where": "project"} if project else {}
    return redirect(links.to("connect-agent", name, **where))


def _show(request: DockRequest, name: str, *, error: str = "", status: int = 200) -> HttpResponse:
    found = contexts.page(
        name,
        access.chosen_project(request),
        in_project=request.GET.get("where") == "project",
        is_owner=_is_owner(request),
        is_local=_is_local(request),
        error=error,
    )
    return render_page(request, "dock/connect/agent.html", {"page": found}, status=status)


def _is_owner(request: DockRequest) -> bool:
    return request.user.is_active and request.user.is_superuser


def _is_local(request: DockRequest) -> bool:
    """Tell whether the browser is on this machine and speaks to MemDock itself, with nothing between them."""
    host = request.get_host()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    is_passed_on = "HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META
    is_here = request.META.get("REMOTE_ADDR") in _LOOPBACK and name in _LOOPBACK_NAMES
    return is_here and not is_passed_on and not settings.OPEN_TO_OTHERS
