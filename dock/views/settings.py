"""The pages of the settings."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from dock import access
from dock.contexts import (
    links,
    settings,
    settings_configuration,
    settings_environment,
    settings_loop,
    settings_projects,
    settings_recall,
    settings_summarizers,
    settings_tokens,
)
from dock.contexts.settings import CHANGE
from dock.forms.settings import KeyFilter, SettingsForm, TokenForm, TryForm
from dock.http import DockRequest, page, render_page
from memory import audit
from memory.api import tokens
from memory.api.tokens import InvalidName, NoSuchToken, TokenExists
from memory.configuration import actions, summarizing
from memory.configuration.actions import Stale
from memory.configuration.keys import Scalar

either = require_http_methods(["GET", "HEAD", "POST"])

type Saved = Literal["saved", "refused", "stale"]
"""What became of a form: stale where somebody else was faster."""

_STATUS = {"refused": 422, "stale": 409}


@page
def index(request: DockRequest) -> HttpResponse:
    return redirect(links.to(settings.FIRST, project=request.GET.get("project", "")))


@either
@login_required
def summarizers(request: HttpRequest) -> HttpResponse:
    asked = cast("DockRequest", request)
    project, at = access.chosen_project(asked), timezone.now()
    if request.method != "POST":
        return _show(asked, "summarizers", settings_summarizers.page(project, asked.user, at=at))
    form, saved = _save(asked, settings_summarizers.wanted())
    if saved == "saved":
        return redirect(links.to("settings-summarizers", project=project.name if project else ""))
    found = settings_summarizers.page(project, asked.user, at=at, form=form, stale=saved == "stale")
    return _show(asked, "summarizers", found, status=_STATUS[saved])


@require_POST
@login_required
def try_it(request: HttpRequest) -> HttpResponse:
    """Summarise a fixed turn with what is set up: it may cost money, so only who may change settings can ask for it."""
    asked = cast("DockRequest", request)
    access.require(asked, CHANGE)
    project = access.chosen_project(asked)
    form = TryForm(request.POST)
    if not form.is_valid():
        return redirect(links.to("settings-summarizers", project=project.name if project else ""))
    platform = form.cleaned_data["platform"]
    trial = summarizing.attempt(project, platform)
    if asked.htmx:
        found = settings_summarizers.tried(platform, trial)
        return render_page(asked, "dock/settings/tried.html", {"tried": found})
    at = timezone.now()
    return _show(asked, "summarizers", settings_summarizers.page(project, asked.user, at=at, trial=(platform, trial)))


@either
@login_required
def recall(request: HttpRequest) -> HttpResponse:
    return _switches(cast("DockRequest", request), "recall", settings_recall.page, settings_recall.wanted())


@either
@login_required
def loop(request: HttpRequest) -> HttpResponse:
    return _switches(cast("DockRequest", request), "loop", settings_loop.page, settings_loop.wanted())


@page
def configuration(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = settings_configuration.listing(project, *KeyFilter(request.GET).criteria(), request.user)
    return _show(request, "configuration", found)


@either
@login_required
def key(request: HttpRequest, name: str) -> HttpResponse:
    """Show what every source says of a key; a POST keeps a value in MemDock, or takes it back."""
    asked = cast("DockRequest", request)
    project = access.chosen_project(asked)
    found = settings_configuration.key(name, project, asked.user)
    if request.method != "POST":
        return _show(asked, "key", found)
    form, saved = _save(asked, [name], takes_back="remove" in request.POST)
    if saved == "saved":
        is_first_run = request.POST.get("from") == "first-run"
        return redirect(links.to("first-run") if is_first_run else found.url)
    found = settings_configuration.key(name, project, asked.user, form=form, stale=saved == "stale")
    return _show(asked, "key", found, status=_STATUS[saved])


@page
def projects(request: DockRequest) -> HttpResponse:
    return _show(request, "projects", settings_projects.page(access.chosen_project(request), request.user))


@either
@login_required
def token_list(request: HttpRequest) -> HttpResponse:
    """List the tokens; a POST makes one, whose text is in the answer and nowhere else."""
    asked = cast("DockRequest", request)
    project = access.chosen_project(asked)
    if request.method != "POST":
        return _show(asked, "tokens", settings_tokens.page(project, asked.user))
    access.require(asked, settings_tokens.ADD)
    form = TokenForm(request.POST)
    made = _make_token(asked, form) if form.is_valid() else ""
    found = settings_tokens.page(project, asked.user, form=form, made=made)
    return _show(asked, "tokens", found, status=200 if made else 422)


@require_POST
@login_required
def revoke(request: HttpRequest, name: str) -> HttpResponse:
    asked = cast("DockRequest", request)
    access.require(asked, settings_tokens.REVOKE)
    try:
        tokens.revoke(name=name, actor=audit.person(asked.user), at=timezone.now())
    except NoSuchToken:
        messages.info(request, f"There is no valid token named {name}.")
    else:
        messages.success(request, f"The token {name} is refused from now on.")
    return redirect(links.to("settings-tokens"))


@page
def environment(request: DockRequest) -> HttpResponse:
    return _show(request, "environment", settings_environment.page(access.chosen_project(request), request.user))


@page
def appearance(request: DockRequest) -> HttpResponse:
    found = settings.frame("settings-appearance", access.chosen_project(request), request.user)
    return _show(request, "appearance", {"frame": found})


def _switches(request: DockRequest, name: str, build: Callable[..., object], wanted: Collection[str]) -> HttpResponse:
    """Show a page of plain settings, and keep what is sent for them."""
    project = access.chosen_project(request)
    if request.method != "POST":
        return _show(request, name, build(project, request.user))
    form, saved = _save(request, wanted)
    if saved == "saved":
        return redirect(links.to(f"settings-{name}", project=project.name if project else ""))
    found = build(project, request.user, form=form, stale=saved == "stale")
    return _show(request, name, found, status=_STATUS[saved])


def _show(request: DockRequest, name: str, found: object, *, status: int = 200) -> HttpResponse:
    return render_page(request, f"dock/settings/{name}.html", {"page": found}, status=status)


def _save(request: DockRequest, wanted: Collection[str], *, takes_back: bool = False) -> tuple[SettingsForm, Saved]:
    """Keep what was sent for these keys, for the project in the address or for all."""
    access.require(request, CHANGE)
    project = access.chosen_project(request)
    form = SettingsForm(request.POST, wanted=wanted)
    if not (takes_back or form.is_valid()):
        return form, "refused"
    kept: dict[str, Scalar | None] = dict.fromkeys(wanted) if takes_back else form.wanted()
    seen, actor = request.POST.get("seen"), audit.person(request.user)
    try:
        changed = actions.change(wanted=kept, project=project, seen=seen, actor=actor, at=timezone.now())
    except Stale:
        return form, "stale"
    _say(request, len(changed))
    return form, "saved"


def _say(request: DockRequest, count: int) -> None:
    if count:
        messages.success(request, f"Saved: {count:,} setting{'' if count == 1 else 's'} changed.")
    else:
        messages.info(request, "Nothing was changed: this holds already.")


def _make_token(request: DockRequest, form: TokenForm) -> str:
    """Return the text of the new token, "" when the form now says why there is none."""
    name, scope = form.wanted()
    try:
        _, text = tokens.create(name=name, scope=scope, actor=audit.person(request.user), at=timezone.now())
    except InvalidName as exc:
        form.add_error("name", str(exc))
    except TokenExists:
        form.add_error("name", "There is a token of this name already, perhaps a revoked one.")
    else:
        return text
    return ""
