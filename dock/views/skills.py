"""The review desk: the list of skills, and one of them."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.utils import timezone

from dock import access
from dock.contexts import skills as contexts
from dock.contexts import skills_news, skills_readings, skills_record
from dock.forms.skills import SkillFilter, SkillView, Wanted
from dock.http import DockRequest, page, render_page
from memory.skills import review
from memory.skills.errors import SkillError

DETAIL = "dock/skills/detail.html"
FRAGMENTS = ("skill", "text", "copies", "work")


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.listing(project, SkillFilter(request.GET).criteria(), request.user)
    return render_page(request, "dock/skills/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, project: str, slug: str) -> HttpResponse:
    wanted = SkillView(request.GET).wanted()
    if request.htmx and request.htmx.target == "news":
        return _news(request, project, slug, wanted)
    owner = access.project(project)
    row = access.skill(owner, slug)
    if request.method == "GET" and not _is_live(request) and skills_record.shows_changes(owner, row, wanted):
        note_reading(request, row.pk, row.content_hash)
    found = skills_record.skill(owner, row, wanted, request.user, now=timezone.now())
    return render_page(request, DETAIL, {"page": found}, fragments=FRAGMENTS)


def _news(request: DockRequest, project: str, slug: str, wanted: Wanted) -> HttpResponse:
    owner = access.project(project)
    try:
        found = skills_news.news(owner, access.skill(owner, slug), wanted)
    except Http404:
        found = skills_news.gone(owner, slug, wanted)
    return render_page(request, DETAIL, {"page": {"news": found}}, fragments=("news",))


def _is_live(request: DockRequest) -> bool:
    """Tell whether a part of an open page fetches itself anew, which opens nothing to anybody."""
    return bool(request.htmx) and request.htmx.target in {"copies", "work"}


def note_reading(request: DockRequest, pk: int, content_hash: str) -> None:
    """Note that the person opened the changes of a content; what is noted already costs no write."""
    if skills_readings.is_read(pk, content_hash, request.user):
        return
    try:
        review.opened(skill_pk=pk, person=request.user, content_hash=content_hash, at=timezone.now())
    except SkillError:  # it changed while we looked: the page that is made now shows what is there
        return
