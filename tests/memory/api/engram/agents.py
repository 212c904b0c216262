"""An agent that speaks Engram's wire, and what it expects of every reply."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.test import Client

JSON = "application/json"


def make_repositories(root: Path, *names: str) -> None:
    """Make git repositories below a directory."""
    for name in names:
        subprocess.run(["git", "init", "--quiet", str(root / name)], check=True)


@dataclass
class Agent:
    """Sends what a client of Engram sends: no cookies, no CSRF token, and a token only where it has one."""

    token: str = ""
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))

    def ask(self, line: str, body: object = None, **query: object) -> tuple[int, Any]:
        """Send a request such as `GET /stats`; return status and JSON."""
        status, value, _ = self.exchange(line, body, **query)
        return status, value

    def exchange(self, line: str, body: object = None, **query: object) -> tuple[int, Any, dict[str, str]]:
        """Send a request; return status, JSON and headers. Text is sent as it is, no body as none."""
        method, path = line.split(" ", 1)
        raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        address = f"{path}?{urlencode(query, doseq=True)}" if query else path
        response = self.client.generic(method, address, raw, content_type=JSON if raw else "", headers=headers)
        content = response.getvalue()  # an export is streamed
        assert response["Content-Type"] == JSON, content
        if method == "HEAD":
            assert content == b""
            return response.status_code, None, dict(response.headers)
        assert content.endswith(b"\n")
        return response.status_code, json.loads(content), dict(response.headers)

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON of a 200."""
        status, value = self.ask(f"GET {path}", **query)
        assert status == 200, value
        return value

    def refused(self, status: int, line: str, body: object = None, **query: object) -> dict[str, Any]:
        """Make sure that a request is refused in Engram's shape; return the reply."""
        found, value = self.ask(line, body, **query)
        assert found == status, value
        assert isinstance(value["error"], str) and value["error"]
        reply: dict[str, Any] = value
        return reply

    def begin(self, session: str = "s1", project: str = "harbor", **body: object) -> str:
        """Register a session; return its id."""
        status, value = self.ask("POST /sessions", {"id": session, "project": project} | body)
        assert status == 201, value
        key: str = value["id"]
        return key

    def save(self, title: str, content: str = "It is so.", *, session: str = "s1", **body: object) -> Any:
        """Save a memory in a session that was registered; return the reply."""
        status, value = self.ask(
            "POST /observations", {"session_id": session, "title": title, "content": content} | body
        )
        assert status == 201, value
        return value

    def ask_of_person(self, content: str, *, session: str = "s1", **body: object) -> int:
        """Save a prompt; return its id."""
        status, value = self.ask("POST /prompts", {"session_id": session, "content": content} | body)
        assert status == 201, value
        pk: int = value["id"]
        return pk
