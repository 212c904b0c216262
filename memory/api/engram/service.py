"""`/doctor`, `/sync/status` and `/topic-keys/suggest`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from memory.api.engram import scoping
from memory.api.engram.bodies import Body, Text, read
from memory.api.engram.parameters import boolean, every, text
from memory.api.engram.replies import Refusal, reply
from memory.engram import checks, topics


class Suggestion(Body):
    """The body of `POST /topic-keys/suggest`."""

    type: Text = ""
    title: Text = ""
    content: Text = ""


def doctor(request: HttpRequest) -> HttpResponse:
    return reply(checks.report(scoping.chosen(request), text(request, "check")))


def sync_status(request: HttpRequest) -> HttpResponse:
    if any(boolean(value) for value in every(request, "all_projects")):
        raise Refusal(400, "all_projects is not supported here", code="unsupported_project_scope")
    return reply({"enabled": False, "message": "background sync is not configured"})


def suggest_topic(request: HttpRequest) -> HttpResponse:
    body = read(request, Suggestion)
    if not body.title.strip() and not body.content.strip():
        raise Refusal(400, "provide title or content to suggest a topic_key")
    return reply({"topic_key": topics.suggest(body.type, body.title, body.content)})
