"""Signing in, by name and password or by a one-time link, and signing out."""

from __future__ import annotations

from django.conf import settings
from django.contrib import auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from dock.forms.sign_in import SignInForm
from memory.people import actions

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_STATUS: dict[type[actions.LinkRefused], int] = {actions.LinkUnknown: 404, actions.LinkSpent: 410}


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password")
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    form = SignInForm(request, request.POST or None)
    if form.is_valid():
        auth.login(request, form.get_user())
        return redirect(_next(request))
    context = {"form": form, "next": request.POST.get("next") or request.GET.get("next", "")}
    return render(request, "dock/sign_in/form.html", context, status=422 if request.method == "POST" else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Show a button; only its POST signs in, so that whatever previews or prefetches a link uses nothing up.

    The default Referrer-Policy, same-origin, keeps the token from other sites; `no-referrer` would turn the Origin of
    the button's POST into `null`.
    """
    try:
        if request.method == "POST":
            auth.login(request, actions.redeem(token=token, at=timezone.now()), backend=_BACKEND)
            return redirect(settings.LOGIN_REDIRECT_URL)
        found = actions.check(token=token, at=timezone.now())
    except actions.LinkRefused as exc:
        return render(request, "dock/sign_in/refused.html", {"refused": type(exc).__name__}, status=_STATUS[type(exc)])
    return render(request, "dock/sign_in/link.html", {"link": found})


@require_POST
def out(request: HttpRequest) -> HttpResponse:
    auth.logout(request)
    return redirect("dock:sign-in")


def _next(request: HttpRequest) -> str:
    """Return where the person wanted to go, if that is here."""
    wanted = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) and wanted.startswith("/")
    return wanted if is_ours else resolve_url(settings.LOGIN_REDIRECT_URL)
