"""`/mcp` on a real web server."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.utils.timezone import now

from memory.api import tokens
from memory.audit import COMMAND
from memory.models import ApiToken, AuditEntry, Observation
from memory.models.token import Scope
from tests.live.servers import Server, serving
from tests.mcp.clients import PATIENCE_S, Agent, over_http
from tests.mcp.scenes import call_every_tool, save_at_once, send_nonsense
from tests.memory.engram.makers import make_observation, make_session
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

JSON = {"Content-Type": "application/json"}
PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[Server]:
    """One web server for all tests here; each finds the tables empty."""
    with serving() as running:
        yield running


@pytest.fixture
def token() -> str:
    return make_token(Scope.ADMIN)


def make_token(scope: Scope) -> str:
    return tokens.create(name=f"a {scope} agent", scope=scope, actor=COMMAND, at=now())[1]


def post(server: Server, token: str, message: object, path: str = "/mcp", **headers: str) -> httpx.Response:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    sent = JSON | {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"} | headers
    return httpx.post(f"{server.origin}{path}", content=body, headers=sent, timeout=PATIENCE_S)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def text(response: httpx.Response) -> str:
    """Return the text of a tool's answer."""
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
    said: str = response.json()["result"]["content"][0]["text"]
    return said


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_every_tool_works(server: Server, token: str, mode: str) -> None:
    over_http(call_every_tool, f"{server.origin}/mcp?project=harbor", token, mode=mode)


def test_calls_at_once_do_not_disturb_one_another(server: Server, token: str) -> None:
    over_http(save_at_once, f"{server.origin}/mcp?project=harbor", token)
    assert Observation.objects.count() == 20


def test_nonsense_is_answered(server: Server, token: str) -> None:
    over_http(send_nonsense, f"{server.origin}/mcp?project=harbor", token)


def test_the_address_chooses_tools_and_project(server: Server, token: str) -> None:
    async def scene(agent: Agent) -> None:
        assert await agent.names() == {"mem_save", "mem_search"}
        assert (await agent.read("mem_save", title="A", content="B"))["project"] == "tide"

    over_http(scene, f"{server.origin}/mcp?tools=mem_save,mem_search&project=Tide", token)
    for query in ("tools=mem_sav", "project=a%2Fb"):
        response = post(server, token, PING, f"/mcp?{query}")
        assert (response.status_code, response.json()["error"]["field"]) == (400, query.split("=")[0])


def test_an_odd_address_is_refused(server: Server, token: str) -> None:
    assert post(server, token, PING, "/mcp?" + "a=1&" * 1000).status_code == 400
    assert post(server, token, PING, "/mcp?a=%ff&%00=%00&project=").status_code == 200
    assert post(server, token, PING, "/mcp?project=%00").status_code == 400


def test_a_project_is_asked_for_where_none_is_named(server: Server, token: str) -> None:
    make_session("s1", project="tide")
    make_observation("Tides", session_id="s1")

    refusal = json.loads(text(post(server, token, call("mem_save", title="A", content="B"))))
    assert (refusal["error_code"], refusal["available_projects"]) == ("project_required", ["tide"])
    assert json.loads(text(post(server, token, call("mem_save", title="A", content="B", project="tide"))))["id"]
    assert len(json.loads(text(post(server, token, call("mem_search", query="tides"))))["results"]) == 1


def test_a_token_is_needed(server: Server, token: str) -> None:
    tokens.revoke(name="a admin agent", actor=COMMAND, at=now())
    for value in (f"Bearer {token}", "Bearer x", "Basic x", "", f"bearer{token}"):
        response = post(server, "", PING, Authorization=value)
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "unauthorized"
        assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_says_what_may_be_done(server: Server) -> None:
    token = make_token(Scope.READ)

    async def scene(agent: Agent) -> None:
        assert "mem_save" not in await agent.names()
        refusal = json.loads(await agent.refused("mem_save", title="A", content="B"))
        assert refusal["error_code"] == "insufficient_scope"
        await agent.read("mem_stats")

    over_http(scene, f"{server.origin}/mcp", token)
    assert ApiToken.objects.get().last_used_at


def test_who_merged_is_written_down(server: Server, token: str) -> None:
    for name in ("harbor", "har-bor"):
        make_session(name, project=name)

    text(post(server, token, call("mem_merge_projects", **{"from": "har-bor", "to": "harbor"})))

    assert AuditEntry.objects.get(action="project.merged").actor_label == "token a admin agent"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_only_posts_are_answered(server: Server, token: str, method: str) -> None:
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    response = httpx.request(method, f"{server.origin}/mcp", headers=headers, timeout=PATIENCE_S)
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/mcp/.well-known/openid-configuration",
        "/register",
        "/mcp/sse",
    ],
)
def test_there_is_no_way_to_sign_in(server: Server, path: str) -> None:
    for method in ("GET", "POST"):
        response = httpx.request(method, f"{server.origin}{path}", timeout=PATIENCE_S)
        assert (response.status_code, response.headers["Content-Type"]) == (404, "application/json")
        assert response.json()["error"]


def test_pages_of_other_sites_are_refused(server: Server, token: str) -> None:
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
    ):
        response = post(server, token, PING, **headers)
        assert (response.status_code, response.json()["error"]["code"]) == (403, "forbidden")
    for headers in ({"Origin": server.origin}, {"Origin": "vscode-file://vscode-app", "Sec-Fetch-Site": "cross-site"}):
        assert post(server, token, PING, **headers).json() == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_speaks_the_version_that_was_asked_for(server: Server, token: str, version: str) -> None:
    client = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    response = post(server, token, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client})
    assert response.json()["result"]["protocolVersion"] == version
    assert "Mcp-Session-Id" not in response.headers
    # Neither a session nor a version is needed afterwards, nor the handshake itself.
    assert len(post(server, token, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).json()["result"]["tools"]) == 26


def test_notifications_are_accepted_without_a_word(server: Server, token: str) -> None:
    response = post(server, token, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "text/event-stream, application/json"])
def test_answers_with_json_whatever_is_accepted(server: Server, token: str, accept: str) -> None:
    headers = JSON | {"Authorization": f"Bearer {token}"} | ({"Accept": accept} if accept else {})
    with httpx.Client(timeout=PATIENCE_S) as client:
        del client.headers["Accept"]
        response = client.post(f"{server.origin}/mcp/", json=PING, headers=headers)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"{", 400), (b"[]", 400), (b"\xff", 400), (b'{"jsonrpc":"2.0"}', 400), (b" " * 5_000_000, 413)],
)
def test_what_is_no_message_is_refused(server: Server, token: str, body: bytes, status: int) -> None:
    assert post(server, token, body).status_code == status
    assert post(server, token, PING).status_code == 200


def test_half_a_surrogate_pair_is_refused(server: Server, token: str) -> None:
    modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mem_save"}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = call("mem_save", title="\ud800", content="x")
    message["params"]["_meta"] = meta
    response = post(server, token, message, **modern)
    assert "title: it holds characters that cannot be kept" in text(response)


def test_a_text_that_is_no_json_by_its_type_is_refused(server: Server, token: str) -> None:
    """B70: what a form of any page could send is never taken."""
    response = post(server, token, PING, **{"Content-Type": "text/plain"})
    assert response.status_code == 400


def test_a_client_that_leaves_disturbs_nobody(server: Server, token: str) -> None:
    """What it asked for is done, and those who come after are answered."""
    body = json.dumps(call("mem_save", title="Last words", content="Kept.", session_id="s1")).encode()
    make_session("s1")
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(head.encode() + body)
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(head.encode() + body[:20])
    assert post(server, token, PING).status_code == 200
    wait_until(lambda: Observation.objects.filter(title="Last words").exists())
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: post(server, token, PING).status_code, range(40)))
    assert answers == [200] * 40
