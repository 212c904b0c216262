"""Skills that people write: a new one, or another text for one that is there."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dock import access
from dock.contexts import links
from dock.contexts import skills_propose as contexts
from dock.contexts.skills_head import CHANGE
from dock.forms.skills_propose import EditForm, Origin, ProposalForm, origin
from dock.http import DockRequest, render_page
from memory import audit
from memory.skills import writing
from memory.skills.errors import ContentChanged, SkillError

_PROPOSE, _EDIT, _CHOOSE = "dock/skills/propose.html", "dock/skills/edit.html", "dock/skills/choose.html"
_PREVIEW = ("preview",)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def propose(request: HttpRequest) -> HttpResponse:
    """Write a new skill, from nothing or from entries that the address names."""
    asked, source = cast("DockRequest", request), origin(request.GET)
    access.require(asked, CHANGE)
    project = access.chosen_project(asked)
    if project is None:
        return render_page(asked, _CHOOSE, {"page": contexts.chooser()})
    if request.method != "POST":
        return render_page(asked, _PROPOSE, {"page": contexts.proposing(project, source)})
    form = ProposalForm(request.POST)
    if request.POST.get("act") == "preview":
        return render_page(asked, _PROPOSE, {"page": contexts.proposing(project, source, form)}, fragments=_PREVIEW)
    return _write(asked, project.name, source, form)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit(request: HttpRequest, project: str, slug: str) -> HttpResponse:
    """Write another text for a skill."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    owner = access.project(project)
    row = access.skill(owner, slug)
    if request.method != "POST":
        return render_page(asked, _EDIT, {"page": contexts.editing(owner, row)})
    form = EditForm(request.POST)
    if request.POST.get("act") == "preview":
        return render_page(asked, _EDIT, {"page": contexts.editing(owner, row, form)}, fragments=_PREVIEW)
    if not form.is_valid():
        return render_page(asked, _EDIT, {"page": contexts.editing(owner, row, form)}, status=422)
    return _save(asked, project, slug, form)


def _write(request: DockRequest, name: str, source: Origin, form: ProposalForm) -> HttpResponse:
    project = access.project(name)
    if not form.is_valid() or contexts.taken(project, form.cleaned_data["name"]):
        return render_page(request, _PROPOSE, {"page": contexts.proposing(project, source, form)}, status=422)
    draft = form.draft()
    try:
        written = writing.write(
            project,
            name=draft.name,
            description=draft.description,
            body=draft.body,
            sources=draft.sources,
            actor=audit.person(request.user),
            at=timezone.now(),
        )
    except SkillError as exc:
        found = contexts.proposing(project, source, form, error=str(exc))
        return render_page(request, _PROPOSE, {"page": found}, status=422)
    if written.outcome == "rejected":
        error = "Exactly this text was rejected before. Say something else, or reopen the rejected one."
        found = contexts.proposing(project, source, form, error=error)
        return render_page(request, _PROPOSE, {"page": found}, status=422)
    _say(request, "It waits for a review now.", written.problems)
    return redirect(links.to("skill-detail", name, written.slug))


def _save(request: DockRequest, project: str, slug: str, form: EditForm) -> HttpResponse:
    owner, told = access.project(project), form.cleaned_data
    try:
        written = writing.edit(
            owner,
            slug,
            text=told["text"],
            expected_hash=told["content_hash"],
            note=told["note"],
            actor=audit.person(request.user),
            at=timezone.now(),
        )
    except ContentChanged:
        found = contexts.editing(owner, access.skill(owner, slug), form, is_conflict=True)
        return render_page(request, _EDIT, {"page": found}, status=409)
    except SkillError as exc:
        found = contexts.editing(owner, access.skill(owner, slug), form, error=str(exc))
        return render_page(request, _EDIT, {"page": found}, status=422)
    text = "Nothing was changed." if written.outcome == "same" else "Written to SKILL.md; it waits for a review now."
    _say(request, text, written.problems)
    return redirect(links.to("skill-detail", project, slug))


def _say(request: DockRequest, text: str, problems: tuple[str, ...]) -> None:
    messages.success(request, text)
    for problem in problems:
        messages.warning(request, problem)
