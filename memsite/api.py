"""MemDock's own JSON API, put together: `/api/v1/`."""

from __future__ import annotations

from typing import NoReturn

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver
from django.utils.csp import CSP
from django.views.decorators.csp import csp_override
from ninja import NinjaAPI, Router
from ninja.decorators import decorate_view
from ninja.responses import Response

from dock.api import router as files
from memory.api import errors
from memory.api.auth import READ
from memory.api.v1 import agent_loop, capture, changes, entries, journals, projects, recall, search, sessions, skills
from memory.api.v1.bodies import StrictParser, json_only

DOCS_CSP = settings.SECURE_CSP | {"img-src": [CSP.SELF, "data:"]}
"""Swagger's style sheet carries its icons in itself."""

api = NinjaAPI(
    title="MemDock",
    version="1",
    description="What the coding agents of this MemDock remember. Times are in UTC, days are local.",
    urls_namespace="api-v1",
    openapi_url=None,  # both are operations below, behind the same doors as everything else
    docs_url=None,
    auth=READ,
    parser=StrictParser(),
)
errors.register(api)


@api.get("/openapi.json", include_in_schema=False, url_name="openapi-json")
def openapi(request: HttpRequest) -> HttpResponse:
    return Response(api.get_openapi_schema())


@api.get("/docs", include_in_schema=False)
@decorate_view(csp_override(DOCS_CSP))
def docs(request: HttpRequest) -> HttpResponse:
    return api.docs.render_page(request, api)


everything_else = Router(auth=None)


@everything_else.api_operation(
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], "/{rest:path}", include_in_schema=False
)
def nowhere(request: HttpRequest, path: str) -> NoReturn:
    raise Http404


# The first route that fits answers: a project's name may hold slashes, so `/projects/{name}` comes after all that
# begin like it, and what fits everything comes last.
for router in (
    agent_loop.router,
    capture.router,
    changes.router,
    search.router,
    recall.router,
    entries.router,
    sessions.router,
    journals.router,
    skills.router,
    files,
    projects.router,
):
    router.add_decorator(json_only, mode="view")
    api.add_router("", router)
api.add_router("", everything_else)


def _urls() -> tuple[list[URLPattern | URLResolver], str, str]:
    patterns, app_name, namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            pattern.callback = errors.speak_json(pattern.callback)
    return patterns, app_name, namespace


urls = _urls()
