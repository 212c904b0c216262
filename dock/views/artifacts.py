"""Pages of artifacts: files and images that agents handed over. Their bytes leave as attachments, never as pages."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST

from dock import access, streaming, toasts
from dock.contexts import artifacts as contexts
from dock.contexts import artifacts_bytes, artifacts_record, links
from dock.contexts.artifacts_bytes import Served
from dock.contexts.artifacts_record import CHANGE, DELETE
from dock.forms.artifacts import ArtifactFilter, PartForm
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.artifacts import actions
from memory.artifacts.errors import Gone

_INERT = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.listing(project, ArtifactFilter(request.GET).criteria())
    return render_page(request, "dock/artifacts/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, pk: int) -> HttpResponse:
    part, view = PartForm(request.GET).typed()
    found = artifacts_record.record(access.artifact(request, pk), request.user, part=part, view=view)
    return render_page(request, "dock/artifacts/detail.html", {"page": found}, fragments=("artifact",))


@page
def download(request: DockRequest, pk: int) -> HttpResponseBase:
    return _sent(request, artifacts_bytes.whole(access.artifact(request, pk)))


@page
def image(request: DockRequest, pk: int) -> HttpResponseBase:
    """Send an image for the page that shows it; opened by itself, it is downloaded like everything else."""
    return _sent(request, artifacts_bytes.picture(access.artifact(request, pk)))


@require_POST
@login_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    asked = cast("DockRequest", request)
    access.require(asked, DELETE)
    row = access.artifact(asked, pk)
    try:
        actions.delete(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except Gone:
        messages.info(request, "This artifact is deleted already.")
    else:
        _offer_undo(asked, pk, f"“{contexts.title(row)}” is deleted.")
    return redirect(links.to("artifact-list", project=row.project.name if row.project else ""))


@require_POST
@login_required
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.artifact(asked, pk)
    try:
        actions.restore(pk=pk, actor=audit.person(asked.user), at=timezone.now())
    except Gone as exc:
        raise Http404(str(exc)) from exc
    messages.success(request, "Restored.")
    return redirect(links.to("artifact-detail", pk))


def _offer_undo(request: DockRequest, pk: int, text: str) -> None:
    if request.user.has_perm(CHANGE):
        toasts.offer_undo(request, text, url=links.to("artifact-restore", pk))
    else:
        messages.success(request, text)


def _sent(request: DockRequest, found: Served | None) -> HttpResponseBase:
    if found is None:
        raise Http404("There are no such bytes.")
    response = streaming.stream(request, found.file, found.size)
    disposition = content_disposition_header(as_attachment=True, filename=found.name) or "attachment"
    for header, value in (_INERT | {"Content-Type": found.media_type, "Content-Disposition": disposition}).items():
        response[header] = value
    return response
