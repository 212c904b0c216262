from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from memory.api.engram.doors import Door
from memory.api.engram.routes import ROUTES, Route
from memory.models.token import Scope
from tests.databases import another_writer
from tests.memory.api.callers import make_program
from tests.memory.api.engram.agents import Agent

GUARDED = ["DELETE /sessions/1", "DELETE /observations/1", "DELETE /prompts/1", "GET /export", "POST /import"]
ELSEWHERE = [route for route in ROUTES if route.door is not Door.ALWAYS_OPEN]


def line(route: Route) -> str:
    return f"{route.method} /{'/'.join('1' if part == '{}' else part for part in route.template)}"


def test_asks_nobody_for_a_token_on_loopback(agent: Agent) -> None:
    for route in ROUTES:
        status, _ = agent.ask(line(route))
        assert status == 503 if route.door is Door.CLOSED else status in {200, 400, 404}, route


def test_looks_at_the_token_of_the_server_on_few_routes(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "secret")
    for route in ROUTES:
        for token in ("", "wrong"):
            status, _ = Agent(token=token).ask(line(route))
            assert (status == 401) is (line(route) in GUARDED or route.door is Door.CLOSED), route


@pytest.mark.parametrize("guarded", GUARDED[:3])
def test_refuses_every_other_token(agent: Agent, monkeypatch: pytest.MonkeyPatch, guarded: str) -> None:
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "Secret")
    method, path = guarded.split()
    for header, error in {
        "": "authorization required",
        "Basic Secret": "authorization required",
        "bearer Secret": "authorization required",
        "Secret": "authorization required",
        "Bearer": "authorization required",
        "Bearer secret": "invalid token",
        "Bearer  Secret": "invalid token",
        "Bearer Secret2": "invalid token",
        "Bearer é": "invalid token",
    }.items():
        response = Client().generic(method, path, headers={"Authorization": header} if header else {})
        assert (response.status_code, response.json()) == (401, {"error": error})
        assert response["WWW-Authenticate"] == 'Bearer realm="engram"'
    assert Agent(token="Secret").ask(guarded)[0] == 404


def test_reads_the_token_of_the_server_at_each_request(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    assert agent.ask("DELETE /observations/1")[0] == 404
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "secret")
    assert agent.ask("DELETE /observations/1")[0] == 401
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "")
    assert agent.ask("DELETE /observations/1")[0] == 404


def test_asks_everybody_for_a_token_elsewhere(agent: Agent, settings: Settings) -> None:
    settings.OPEN_TO_OTHERS = True
    for route in ELSEWHERE:
        assert agent.ask(line(route)) == (401, {"error": "authorization required"})
        assert Agent(token="mdk_r_" + "x" * 43).ask(line(route)) == (401, {"error": "invalid token"})


def test_takes_the_token_of_the_server_everywhere(
    agent: Agent, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OPEN_TO_OTHERS = True
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "secret")
    for route in ELSEWHERE:
        assert Agent(token="secret").ask(line(route))[0] in {200, 400, 404}, route
        assert Agent(token="wrong").ask(line(route))[0] == 401


@pytest.mark.parametrize("scope", list(Scope))
def test_takes_tokens_of_our_own_as_far_as_they_reach(agent: Agent, settings: Settings, scope: Scope) -> None:
    settings.OPEN_TO_OTHERS = True
    program = Agent(client=make_program(scope))
    for route in ELSEWHERE:
        status, reply = program.ask(line(route))
        assert (status == 403) is not scope.covers(route.needs), (route, reply)
        assert status != 401


def test_stays_open_for_who_only_asks_whether_it_is_alive(
    agent: Agent, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.OPEN_TO_OTHERS = True
    with django_assert_num_queries(1):
        assert agent.get("/health")["status"] == "ok"


def test_does_not_answer_pages_of_other_sites(agent: Agent) -> None:
    response = Client().post("/sessions", b"{}", content_type="text/plain", headers={"Origin": "https://evil.example"})
    assert response.status_code == 403
    assert Client().get("/stats", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert Client().get("/stats", headers={"Host": "evil.example"}).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/sessions/",
        "/sessions/s1/",
        "/observations/1/pin/more",
        "/sessions//end",
        "/health/",
        "/search/x",
        "/dockside",
        "/conflicts/deferred/1/2",
    ],
)
def test_answers_unknown_addresses_in_json_and_never_redirects(agent: Agent, path: str) -> None:
    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        assert agent.ask(f"{method} {path}") == (404, None if method == "HEAD" else {"error": "not found"})


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("PUT /sessions", "POST"),
        ("POST /sessions/recent", "DELETE, GET, HEAD"),
        ("GET /sessions/s1/end", "POST"),
        ("POST /observations/1", "DELETE, GET, HEAD, PATCH"),
        ("GET /observations/1/pin", "DELETE, PUT"),
        ("OPTIONS /observations", "GET, HEAD, POST"),
        ("POST /health", "GET, HEAD"),
        ("TRACE /stats", "GET, HEAD"),
    ],
)
def test_says_which_methods_an_address_has(agent: Agent, line: str, allowed: str) -> None:
    status, reply, headers = agent.exchange(line)
    assert (status, reply, headers["Allow"]) == (405, {"error": "method not allowed"}, allowed)


@pytest.mark.parametrize("path", ["/health", "/stats", "/observations", "/sessions/recent", "/context"])
def test_answers_head_as_get(agent: Agent, path: str) -> None:
    assert agent.ask(f"HEAD {path}") == (200, None)


def test_is_kept_by_no_cache(agent: Agent) -> None:
    assert "no-store" in agent.exchange("GET /stats")[2]["Cache-Control"]


def test_leaves_pages_to_django(client: Client, db: None) -> None:
    assert client.get("/dock").headers["Location"] == "/dock/"
    assert client.get("/admin").headers["Location"] == "/admin/"


@pytest.mark.django_db(transaction=True)
def test_asks_to_come_again_when_the_database_is_busy() -> None:
    agent = Agent()
    with another_writer("memory_session"):
        status, reply, headers = agent.exchange("POST /sessions", {"id": "s1", "project": "harbor"})
        assert (status, reply["code"]) == (503, "busy")
        assert int(headers["Retry-After"]) > 0
        assert agent.get("/sessions/recent") == []
    assert agent.begin() == "s1"
