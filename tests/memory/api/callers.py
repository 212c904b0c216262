"""Who calls the API in tests: programs with real tokens, and browsers with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memory.api import tokens
from memory.audit import COMMAND
from memory.models.token import Scope

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

type Response = _MonkeyPatchedWSGIResponse
"""What Django's test client answers."""

ROOT = "/api/v1"


def make_program(scope: Scope = Scope.READ, *, name: str = "") -> Client:
    """Return a client that sends a fresh token."""
    _, text = tokens.create(name=name or f"a {scope} program", scope=scope, actor=COMMAND, at=timezone.now())
    return Client(headers={"Authorization": f"Bearer {text}"})


def make_browser(person: User) -> Client:
    """Return a browser in which that person is signed in, with CSRF enforced as it is in production."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    return client


def read(client: Client, path: str, /, **query: object) -> Any:
    """GET a path of the API; return the JSON of a 200."""
    response = client.get(ROOT + path, query_params={name: str(value) for name, value in query.items()})
    assert response.status_code == 200, response.content
    assert response["Content-Type"].startswith("application/json")
    return response.json()


def refused(response: Response, status: int, code: str = "", *, field: str | None = None) -> str:
    """Make sure that a response is a refusal in the API's shape; return its message."""
    assert response.status_code == status, response.content
    assert response["Content-Type"].startswith("application/json")
    body: dict[str, dict[str, str]] = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) <= {"code", "message", "field"}
    assert body["error"].get("field") == field
    if code:
        assert body["error"]["code"] == code
    assert body["error"]["message"]
    return body["error"]["message"]


def walk(client: Client, path: str, /, *, limit: int, **query: object) -> list[Any]:
    """Read a list page by page to its end."""
    items: list[Any] = []
    cursor = ""
    while True:
        found = read(client, path, limit=limit, cursor=cursor, **query)
        assert len(found["items"]) <= limit
        items += found["items"]
        if found["next"] is None:
            return items
        cursor = found["next"]
