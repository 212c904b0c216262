from __future__ import annotations

import string

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from memsite.doors import WRONG_HOST, WRONG_ORIGIN, Knock, refusal

ALLOWED = ["localhost", "127.0.0.1", "[::1]", "dock.example"]
LINK = {"fetch_mode": "navigate", "fetch_dest": "document"}


def _answer(host: str = "127.0.0.1:7437", *, method: str = "GET", path: str = "/dock/", **headers: str) -> str | None:
    return refusal(Knock(method=method, path=path, host=host, **headers), allowed_hosts=ALLOWED)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:7437", "127.0.0.1:7437", "[::1]:7437", "dock.example", "dock.example.:443"]
)
def test_lets_in_every_allowed_host(host: str) -> None:
    assert _answer(host) is None


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:7437",
        "127.0.0.1.evil.example",
        "localhost,evil.example",
        "evil.example#localhost",
        "user@localhost",
        "localhost:port",
        "::1",
        "local host",
        "localhost\r\nX: y",
    ],
)
def test_refuses_other_and_malformed_hosts(host: str) -> None:
    assert _answer(host) == WRONG_HOST
    assert _answer(host, fetch_site="cross-site", **LINK) == WRONG_HOST


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:7437", "http://127.0.0.1:7437"),
        ("localhost", "http://localhost"),
        ("localhost", "http://localhost:80"),
        ("localhost:80", "http://localhost"),
        ("dock.example", "https://dock.example"),
        ("dock.example:443", "https://DOCK.example"),
        ("[::1]:7437", "http://[::1]:7437"),
    ],
)
def test_lets_in_its_own_origin(host: str, origin: str) -> None:
    assert _answer(host, method="POST", origin=origin, fetch_site="same-origin") is None


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "https://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:7438",
        "http://localhost:7437",
        "http://127.0.0.1:7437.evil.example",
        "http://127.0.0.1:7437@evil.example",
        "http://evil.example#127.0.0.1:7437",
        "http://127.0.0.1:7437/",
        "file://127.0.0.1:7437",
        "127.0.0.1:7437",
        "http://127.0.0.1:7437,https://evil.example",
    ],
)
def test_refuses_every_other_origin(origin: str) -> None:
    assert _answer(method="POST", origin=origin) == WRONG_ORIGIN
    assert _answer(path="/ws/live", origin=origin) == WRONG_ORIGIN


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin,cross-site", "something-new"])
def test_refuses_what_another_site_fetched(site: str) -> None:
    assert _answer(fetch_site=site) == WRONG_ORIGIN
    assert _answer(path="/observations", fetch_site=site, **LINK) == WRONG_ORIGIN


@pytest.mark.parametrize("site", ["", "none", "same-origin"])
def test_lets_in_what_it_fetched_itself(site: str) -> None:
    assert _answer(path="/observations", fetch_site=site) is None


@pytest.mark.parametrize("path", ["/dock/", "/dock/entries/12/", "/admin/"])
def test_lets_links_from_elsewhere_open_a_page(path: str) -> None:
    assert _answer(path=path, origin="https://forum.example", fetch_site="cross-site", **LINK) is None


@pytest.mark.parametrize(
    "difference",
    [
        {"method": "POST"},
        {"method": "HEAD"},
        {"path": "/"},
        {"path": "/api/v1/projects"},
        {"path": "/dockside/"},
        {"fetch_mode": "no-cors"},
        {"fetch_dest": "iframe"},
        {"fetch_dest": ""},
    ],
)
def test_takes_nothing_else_for_a_link(difference: dict[str, str]) -> None:
    link = {"method": "GET", "path": "/dock/", "fetch_site": "cross-site", **LINK}
    assert _answer(**(link | difference)) == WRONG_ORIGIN


@given(st.text(max_size=60), st.text(alphabet=string.printable, max_size=60))
def test_never_takes_a_random_origin_for_its_own(host: str, origin: str) -> None:
    reason = _answer(host, method="POST", origin=origin)
    assert reason == WRONG_HOST or (reason == WRONG_ORIGIN and origin not in reason)


@given(st.text(max_size=80))
def test_answers_any_header_without_failing(text: str) -> None:
    reasons = {WRONG_HOST, WRONG_ORIGIN, None}
    assert _answer(text, origin=text, fetch_site=text, fetch_mode=text, fetch_dest=text) in reasons


@pytest.mark.parametrize("path", ["/api/v1/projects", "/observations", "/mcp", "/health"])
def test_refuses_programs_with_json(client: Client, path: str) -> None:
    answer = client.post(path, headers={"Origin": "https://evil.example/<script>"})
    assert (answer.status_code, answer["Content-Type"]) == (403, "application/json")
    assert answer.json() == {"error": {"code": "forbidden", "message": WRONG_ORIGIN}}
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/dock/", "/admin/", "/static/dock/css/base.css"])
def test_refuses_people_with_a_page(client: Client, path: str) -> None:
    answer = client.get(path, headers={"Host": "<script>evil.example"})
    assert (answer.status_code, answer["Content-Type"]) == (403, "text/html; charset=utf-8")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "Not allowed" in answer.text
    assert "evil.example" not in answer.text


def test_stands_before_the_session(client: Client, owner: User) -> None:
    """A text/plain POST from another site, which a browser sends with the cookie and without asking first (B70)."""
    client.force_login(owner)
    body = '{"action":"install","skill":"x"}'
    evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    answer = client.post("/dock/sign-out/", body, content_type="text/plain", headers=evil)
    assert answer.status_code == 403
    assert settings.SESSION_COOKIE_NAME not in answer.cookies
    assert client.get("/admin/").status_code == 200
