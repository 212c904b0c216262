"""Pages of sessions."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone

from dock import access
from dock.contexts import sessions as contexts
from dock.contexts import sessions_record, transcripts
from dock.forms.sessions import FindForm, SessionFilter
from dock.forms.transcripts import PlaceForm
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    criteria = SessionFilter(request.GET).criteria()
    found = contexts.listing(project, criteria, now=timezone.now())
    return render_page(request, "dock/sessions/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, key: str) -> HttpResponse:
    session = access.session(request, key)
    wanted = FindForm(request.GET).criteria()
    found = sessions_record.conversation(session, wanted, request.user, now=timezone.now())
    return render_page(request, "dock/sessions/detail.html", {"page": found}, fragments=("session",))


@page
def transcript(request: DockRequest, key: str) -> HttpResponse:
    found = transcripts.of_session(access.session(request, key), PlaceForm(request.GET).place())
    return render_page(request, "dock/transcripts/detail.html", {"page": found})
