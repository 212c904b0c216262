"""The read-only browser of `.memsearch` folders."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import content_disposition_header

from dock import access, files, streaming
from dock.contexts import branches, links
from dock.contexts import files as contexts
from dock.contexts.files import Half, Wanted
from dock.http import DockRequest, page, render_page
from memory.disk import DiskError

_INERT = {
    "Content-Type": "application/octet-stream",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "no-store",
}


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    projects = contexts.chooser()
    if project or len(projects) == 1:
        return redirect(links.to("file-browser", project.name if project else projects[0].name))
    return render_page(request, "dock/files/list.html", {"projects": projects})


@page
def browser(request: DockRequest, project: str) -> HttpResponse:
    owner = access.project(project)
    wanted, half = _wanted(request), _half(request)
    found = contexts.browser(owner, wanted, selected=_open_page(request) if half == "tree" else wanted.path, half=half)
    status = found.pane.status if found.pane else 200
    response = render_page(
        request, "dock/files/browser.html", {"page": found}, fragments=("pane", "tree"), status=status
    )
    if half == "pane" and status != 200:
        response["HX-Redirect"] = request.get_full_path()  # htmx shows no errors in place: go and read the page
    return response


@page
def branch(request: DockRequest, project: str) -> HttpResponse:
    owner = access.project(project)
    try:
        found = branches.branch(owner, _path(request), selected=_open_page(request))
    except DiskError as exc:
        raise Http404(str(exc)) from exc
    return render_page(request, "dock/files/branch.html", {"branch": found})


@page
def download(request: DockRequest, project: str) -> HttpResponseBase:
    owner = access.project(project)
    try:
        file, name, size = files.download(branches.root_of(owner), _path(request))
    except DiskError as exc:
        raise Http404(str(exc)) from exc
    response = streaming.stream(request, file, size)
    disposition = content_disposition_header(as_attachment=True, filename=name)
    for header, value in (_INERT | {"Content-Disposition": disposition or "attachment"}).items():
        response[header] = value
    return response


def _wanted(request: DockRequest) -> Wanted:
    query = request.GET
    start = query.get("start", "")
    return Wanted(
        path=_path(request),
        part=query.get("part", ""),
        view=query.get("view", ""),
        start=int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 0,
    )


def _half(request: DockRequest) -> Half:
    """Tell which half of the page htmx asks for, as `render_page` does."""
    htmx = request.htmx
    if not htmx or htmx.boosted or htmx.history_restore_request:
        return "both"
    return "tree" if htmx.target == "tree" else "pane"


def _path(request: DockRequest) -> str:
    return request.GET.get("path", "").rstrip("/")


def _open_page(request: DockRequest) -> str:
    """Return the path that the person has open, which may not be the one that the page was loaded with."""
    query = urlsplit(request.htmx.current_url or "").query
    return parse_qs(query).get("path", [""])[0]
