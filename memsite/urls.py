"""Which address belongs to whom."""

from __future__ import annotations

from django.contrib import admin
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from memory.api.engram import routes as engram
from memsite import api

handler500 = "dock.views.trouble.answer"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", RedirectView.as_view(pattern_name="dock:live")),
    path("favicon.ico", RedirectView.as_view(url=static("dock/img/favicon.svg"), permanent=True)),
    path("dock/", include("dock.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    # Engram's clients know their addresses at the root. It comes last, and leaves the pages' slashes to Django.
    re_path(r"^(?!(?:dock|admin|static|api|mcp|ws)(?:/|$))", engram.answer, name="engram"),
]
