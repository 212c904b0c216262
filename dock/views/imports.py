"""Imports: looked at first, then confirmed, then done by the worker."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from dock import access
from dock.contexts import imports as contexts
from dock.contexts import links
from dock.contexts.imports import ADD
from dock.forms.imports import ImportForm, PartForm, RunFilter
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.engram.exchange import runs
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.runs import NotReady


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def index(request: HttpRequest) -> HttpResponse:
    """List the imports so far; a POST looks at a source and leads to what importing it would do."""
    asked = cast("DockRequest", request)
    return _preview(asked) if request.method == "POST" else _listing(asked)


@page
def detail(request: DockRequest, pk: int) -> HttpResponse:
    found = contexts.run(access.import_run(pk), request.user)
    return render_page(request, "dock/imports/detail.html", {"page": found}, fragments=("run",))


@require_POST
@login_required
def look(request: HttpRequest, pk: int) -> HttpResponse:
    """Look once more, at a part of the conversations."""
    asked = cast("DockRequest", request)
    access.require(asked, ADD)
    row, form = access.import_run(pk), PartForm(asked.POST)
    if not form.is_valid():
        found = contexts.run(row, asked.user, form)
        return render_page(asked, "dock/imports/detail.html", {"page": found}, fragments=("run",), status=422)
    try:
        project = form.cleaned_data["project"]
        runs.look_again(row, project=project, filters=form.filters(), at=timezone.now())
    except NotReady as exc:
        messages.info(request, str(exc))
    return redirect(links.to("import-run", pk))


@require_POST
@login_required
def start(request: HttpRequest, pk: int) -> HttpResponse:
    """Import what was looked at."""
    asked = cast("DockRequest", request)
    access.require(asked, ADD)
    row = access.import_run(pk)
    try:
        runs.start(row, actor=audit.person(asked.user), at=timezone.now())
    except NotReady as exc:
        messages.info(request, str(exc))
    return redirect(links.to("import-run", pk))


@require_POST
@login_required
def discard(request: HttpRequest, pk: int) -> HttpResponse:
    """Forget what was looked at."""
    asked = cast("DockRequest", request)
    access.require(asked, ADD)
    row = access.import_run(pk)
    try:
        runs.discard(row)
    except NotReady as exc:
        messages.info(request, str(exc))
        return redirect(links.to("import-run", pk))
    messages.success(request, "Nothing was imported.")
    return redirect(links.to("import"))


def _preview(request: DockRequest) -> HttpResponse:
    access.require(request, ADD)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _listing(request, form)
    source, name = form.source()
    actor, project = audit.person(request.user), form.cleaned_data["project"]
    try:
        run = runs.preview(source, name=name, project=project, actor=actor, at=timezone.now())
    except CannotImport as exc:
        form.add_error(None, str(exc))
        return _listing(request, form)
    return redirect(links.to("import-run", run.pk))


def _listing(request: DockRequest, form: ImportForm | None = None) -> HttpResponse:
    found = contexts.listing(RunFilter(request.GET).place(), form, request.user)
    return render_page(request, "dock/imports/list.html", {"page": found}, status=422 if form else 200)
