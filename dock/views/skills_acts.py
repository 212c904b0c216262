"""What a reviewer decides about skills, one by one and in bulk."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from dock import access, toasts
from dock.contexts import links, skills_bulk, skills_decided, skills_head, skills_place, skills_record
from dock.contexts.skills_decided import Made
from dock.contexts.skills_head import CHANGE
from dock.contexts.skills_record import Refused
from dock.forms.skills import Wanted
from dock.forms.skills_decide import DecisionForm, Wish, ticked
from dock.http import DockRequest, render_page
from dock.views.skills import DETAIL
from memory import audit
from memory.skills import review
from memory.skills.errors import ContentChanged, CopyDiffers, NoteNeeded, SkillError

_BULK = "dock/skills/bulk.html"
_SAID = {
    "approve": "is approved",
    "install": "is approved and being installed",
    "request_changes": "is sent back with your note",
    "reject": "is rejected",
    "snooze": "is put off",
}
"""Decisions that lead to the next skill, and that can be taken back; after others the reviewer stays."""
_STAYED = {
    "reopen": "is open again.",
    "uninstall": "is being taken away.",
    "restore": "is being restored.",
}


@require_POST
@login_required
def decide(request: HttpRequest, project: str, slug: str) -> HttpResponse:
    """Make one decision on the content that the reviewer saw, and go on to the next skill that waits."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.skill(access.project(project), slug)
    form = DecisionForm(request.POST)
    wish = form.wish() if form.is_valid() else None
    if wish is None:
        return _again(asked, project, slug, Refused(form.wish(), form.complaint()), status=422)
    try:
        decided = made(asked, project, slug, wish)
    except NoteNeeded as exc:
        return _again(asked, project, slug, Refused(wish, needs_note=str(exc)), status=422)
    except ContentChanged:
        changed = Refused(wish, is_changed=True, read_hash=wish.content_hash)
        return _again(asked, project, slug, changed, status=409)
    except SkillError as exc:
        status = 409 if isinstance(exc, CopyDiffers) else 422
        return _again(asked, project, slug, Refused(wish, str(exc)), status=status)
    return _go_on(asked, project, slug, decided)


@require_POST
@login_required
def reopen(request: HttpRequest, project: str, slug: str) -> HttpResponse:
    """Take a decision back: the skill waits again. The address names the content that it was made on."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    access.skill(access.project(project), slug)
    try:
        made(asked, project, slug, Wish("reopen", content_hash=request.GET.get("content_hash", "")))
    except SkillError as exc:
        messages.warning(request, f"Not taken back: {exc}")
    else:
        messages.success(request, "Taken back: it waits again.")
    return redirect(links.to("skill-detail", project, slug))


@require_POST
@login_required
def bulk(request: HttpRequest) -> HttpResponse:
    """Approve the ticked skills; ask first where the person did not open the changes of some of them."""
    asked, pks, act = cast("DockRequest", request), ticked(request.POST), request.POST.get("act", "")
    access.require(asked, CHANGE)
    project = access.chosen_project(asked)
    back = links.to("skill-list", project=project.name if project else "", state=request.GET.get("state", ""))
    question = skills_bulk.question(pks, asked.user, url=asked.get_full_path(), back=back)
    if act == "approve" and question.unread:
        return render_page(asked, _BULK, {"page": question}, fragments=("ask",))
    outcome = review.bulk_approve(
        pks=pks, actor=audit.person(asked.user), override=act == "override", at=timezone.now()
    )
    for level, text in skills_bulk.told(outcome):
        messages.add_message(request, level, text)
    return HttpResponseClientRedirect(back) if asked.htmx else redirect(back)


def made(request: DockRequest, project: str, slug: str, wish: Wish) -> Made:
    """Make a decision; raise SkillError."""
    decision = review.decide(
        skill_pk=access.skill(access.project(project), slug).pk,
        action=wish.action,
        content_hash=wish.content_hash,
        note=wish.note,
        until=wish.until,
        targets=wish.targets,
        overwrite=wish.overwrite,
        session_key=wish.session,
        actor=audit.person(request.user),
        at=timezone.now(),
    )
    return skills_decided.made(decision)


def _go_on(request: DockRequest, project: str, slug: str, decided: Made) -> HttpResponse:
    owner = access.project(project)
    name = f"“{skills_head.name(access.skill(owner, slug))}”"
    if decided.action not in _SAID:
        messages.info(request, decided.delivery or f"{name} {_STAYED[decided.action]}")
        return redirect(links.to("skill-detail", project, slug))
    undo = links.to("skill-reopen", project, slug, content_hash=decided.content_hash)
    toasts.offer_undo(request, f"{name} {_SAID[decided.action]}.", url=undo)
    following = skills_place.following(owner, slug) or (slug if decided.job else "")
    if following:
        return redirect(links.to("skill-detail", project, following, job=decided.job))
    return redirect(links.to("skill-list", project=project, state="waiting"))


def _again(request: DockRequest, project: str, slug: str, refused: Refused, *, status: int) -> HttpResponse:
    """Show the skill as it is now with what the reviewer typed, and why nothing was decided."""
    owner = access.project(project)
    act = refused.wish.action if refused.wish.action in {"install", "snooze"} and not refused.is_changed else ""
    wanted = Wanted(view="changes" if refused.is_changed else "", act=act)
    row = access.skill(owner, slug)
    found = skills_record.skill(owner, row, wanted, request.user, refused=refused, now=timezone.now())
    return render_page(request, DETAIL, {"page": found}, status=status)
