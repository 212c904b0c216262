"""The capsule: the compact dock above a composer, made to be framed."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from dock import access, framing
from dock.contexts import capsule as contexts
from dock.contexts import links
from dock.contexts.skills_head import CHANGE
from dock.forms.capsule import CapsuleForm
from dock.forms.skills_decide import DecisionForm
from dock.http import DockRequest, page, render_page
from dock.views import skills, skills_acts
from memory.skills.errors import ContentChanged, SkillError

_PAGE, _OTHERWISE = "dock/capsule/page.html", "dock/capsule/otherwise.html"
_SAID = {
    "approve": "Approved.",
    "install": "Approved; it is being installed.",
    "reopen": "Taken back: it waits again.",
    "queue_review": "",
}
"""What can be done here; everything else is done in the dock."""


@framing.framed
def index(request: HttpRequest) -> HttpResponseBase:
    """Show the capsule of a session; in a frame, say who is not signed in rather than show a page that no frame shows."""
    if not request.user.is_authenticated and framing.is_framed(request):
        return render(request, _OTHERWISE, {"is_signed_out": True}, status=401)
    return _index(request)


@page
def _index(request: DockRequest) -> HttpResponse:
    asked = CapsuleForm(request.GET).asked()
    try:
        session = access.session(request, asked.session)
    except Http404:
        return render_page(request, _OTHERWISE, {"session": asked.session}, status=404)
    found = contexts.capsule(session, asked, request.user)
    if found.reading and not asked.seen:
        skills.note_reading(request, found.reading.skill.pk, found.reading.skill.content_hash)
    return render_page(request, _PAGE, {"page": found}, fragments=("capsule-panel", "capsule-bar", "capsule-news"))


@framing.framed
@require_POST
@login_required
def decide(request: HttpRequest) -> HttpResponse:
    """Approve or install a skill that waits, take that back, or queue it for the agent of the session."""
    asked, key = cast("DockRequest", request), request.GET.get("session", "")
    access.require(asked, CHANGE)
    owner, slug = access.session(asked, key).project, request.POST.get("slug", "")
    access.skill(owner, slug)
    form = DecisionForm(request.POST)
    if not form.is_valid() or form.wish().action not in _SAID:
        raise Http404("There is no such act here.")
    try:
        made = skills_acts.made(asked, owner.name, slug, form.wish())
    except ContentChanged:
        messages.warning(request, "Not decided: SKILL.md changed. This is what is there now.")
        return redirect(links.to("capsule", session=key, read=slug))
    except SkillError as exc:
        messages.warning(request, f"Not done. {exc}")
        return redirect(links.to("capsule", session=key, read=slug))
    messages.success(request, made.delivery or _SAID[made.action])
    done = slug if made.action in {"approve", "install"} else ""
    return redirect(links.to("capsule", session=key, open=1, done=done))
