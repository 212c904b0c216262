from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from memory import changes
from memory.api import tokens
from memory.api.consumers import NOT_SIGNED_IN
from memory.audit import COMMAND
from memory.models.token import Scope
from tests.live.scenes import PATIENCE_S, append_now, refs
from tests.live.servers import Server, serving, write

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[Server]:
    """One web server for all tests here; each finds the tables empty."""
    with serving() as running:
        yield running


@pytest.fixture
def cookie(client: Client, guest: User) -> str:
    client.force_login(guest)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


@pytest.fixture
def bearer() -> str:
    _, text = tokens.create(name="agent", scope=Scope.READ, actor=COMMAND, at=now())
    return f"Bearer {text}"


def _hear(socket: ClientConnection) -> Any:
    return json.loads(socket.recv(timeout=PATIENCE_S))


def _hear_refs(socket: ClientConnection, count: int) -> list[str]:
    return [_hear(socket)["change"]["ref"] for _ in range(count)]


def _status(refused: pytest.ExceptionInfo[InvalidStatus]) -> int:
    return refused.value.response.status_code


def test_resumes_after_a_cut_where_it_stopped(server: Server, cookie: str) -> None:
    """B66: what other processes committed while the line was cut arrives once, in order; then what they commit now."""
    append_now(*refs(1, 41))
    browser = {"Cookie": cookie, "Origin": server.origin}
    with server.connect("/ws/live?since=0", **browser) as socket:
        assert _hear(socket)["latest"] == changes.latest()
        heard = [_hear(socket)["change"] for _ in range(41)]
        assert [change["ref"] for change in heard] == refs(1, 41)
    write(*refs(42, 44))
    with server.connect(f"/ws/live?since={heard[-1]['id']}", **browser) as socket:
        assert _hear(socket)["type"] == "hello"
        assert _hear_refs(socket, 3) == refs(42, 44)
        write(*refs(45, 46))
        assert _hear_refs(socket, 2) == refs(45, 46)


def test_tells_agents_what_another_process_commits(server: Server, bearer: str) -> None:
    with server.connect("/ws/changes", Authorization=bearer) as socket:
        assert _hear(socket)["type"] == "hello"
        write("entry:1")
        assert _hear(socket)["change"]["url"] == "/dock/entries/1/"


def test_refuses_handshakes_of_other_sites_with_a_valid_cookie(server: Server, cookie: str, bearer: str) -> None:
    """B69: other origins and none are refused before the handshake; a token needs no origin but suffers no other."""
    for origin in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {}):
        with pytest.raises(InvalidStatus) as refused:
            server.connect("/ws/live", Cookie=cookie, **origin)
        assert _status(refused) == 403
    with pytest.raises(InvalidStatus) as refused:
        server.connect("/ws/changes", Authorization=bearer, Origin="https://evil.example")
    assert _status(refused) == 403
    with server.connect("/ws/live", Cookie=cookie, Origin=server.origin) as socket:
        assert _hear(socket)["type"] == "hello"


def test_refuses_handshakes_under_another_host(server: Server, cookie: str) -> None:
    """As after DNS rebinding: the page's own name, which now leads here."""
    evil = f"evil.example:{server.port}"
    with pytest.raises(InvalidStatus) as refused:
        server.connect("/ws/live", Cookie=cookie, Host=evil, Origin=f"http://{evil}")
    assert _status(refused) == 403


def test_closes_unknown_paths_and_strangers(server: Server) -> None:
    with pytest.raises(InvalidStatus) as refused:
        server.connect("/ws/nowhere", Origin=server.origin)
    assert _status(refused) == 403
    with server.connect("/ws/live", Origin=server.origin) as socket:
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=PATIENCE_S)
        assert socket.close_code == NOT_SIGNED_IN


def test_refuses_a_posted_form_of_another_site(server: Server, cookie: str) -> None:
    """B70: text/plain, which a browser sends to other sites without asking, with the cookie."""
    headers = {"Content-Type": "text/plain", "Cookie": cookie, "Origin": "https://evil.example"}
    web = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    web.request("POST", "/api/v1/projects/x/skills/x/decisions", '{"action":"install","skill":"x"}', headers)
    answer = web.getresponse()
    assert (answer.status, json.loads(answer.read())["error"]["code"]) == (403, "forbidden")
    web.close()
    with server.connect("/ws/live", Cookie=cookie, Origin=server.origin) as socket:
        assert _hear(socket)["latest"] == 0
