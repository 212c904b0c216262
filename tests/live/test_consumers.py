from __future__ import annotations

import json

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now
from pytest_django import Settings

from memory import changes
from memory.api import consumers, tokens
from memory.api.consumers import NO_SUCH_PROJECT, NOT_ALLOWED, NOT_SIGNED_IN, SILENT, TOO_BIG
from memory.audit import COMMAND
from memory.feed.reading import in_thread
from memory.feed.window import Window
from memory.models import Change, Project, ProjectAlias
from memory.models.token import Scope
from tests.live.scenes import Peer, append, append_now, refs, run

pytestmark = pytest.mark.django_db(transaction=True)

OWN = "http://localhost"


@pytest.fixture
def token() -> str:
    _, text = tokens.create(name="agent", scope=Scope.READ, actor=COMMAND, at=now())
    return text


@pytest.fixture
def cookie(client: Client, guest: User) -> str:
    client.force_login(guest)
    return f"{django_settings.SESSION_COOKIE_NAME}={client.cookies[django_settings.SESSION_COOKIE_NAME].value}"


def _agent(token: str, query: str = "") -> Peer:
    return Peer(f"/ws/changes{query}", authorization=f"Bearer {token}")


def _browser(cookie: str, query: str = "", origin: str = OWN) -> Peer:
    return Peer(f"/ws/live{query}", cookie=cookie, origin=origin)


async def _leave(user: User) -> None:
    await User.objects.filter(pk=user.pk).aupdate(is_active=False)


def test_says_hello_to_agents_and_browsers_alike(token: str, cookie: str) -> None:
    append_now("entry:1")
    hello = {"type": "hello", "latest": changes.latest(), "heartbeat_s": 25.0}

    async def scene() -> None:
        async with _agent(token) as agent, _browser(cookie) as browser:
            assert await agent.hear() == await browser.hear() == hello
            await append("entry:2")
            message = await agent.hear()
            assert (message["type"], message["change"]["ref"]) == ("change", "entry:2")
            assert await browser.hear() == message

    run(scene())


def test_tells_everything_after_since_and_then_what_comes(token: str) -> None:
    append_now(*refs(1, 5))
    since = Change.objects.get(ref="entry:2").pk

    async def scene() -> None:
        async with _agent(token, f"?since={since}") as peer:
            assert (await peer.hear())["type"] == "hello"
            assert await peer.hear_refs(3) == refs(3, 5)
            await append("entry:6")
            assert await peer.hear_refs(1) == ["entry:6"]

    run(scene())


@pytest.mark.parametrize("since", ["-1", "1e3", "x", "", "9" * 30, "٣", "999999"])
def test_asks_to_resync_for_a_since_that_it_never_gave_out(token: str, since: str) -> None:
    append_now("entry:1")
    latest = changes.latest()

    async def scene() -> None:
        async with _agent(token, f"?since={since}") as peer:
            assert (await peer.hear())["type"] == "hello"
            assert await peer.hear() == {"type": "resync", "latest": latest}
            await append("entry:2")
            assert await peer.hear_refs(1) == ["entry:2"]

    run(scene())


def test_asks_to_resync_for_a_since_that_is_too_old(token: str) -> None:
    append_now(*refs(1, 9))
    changes.trim(before=now(), keep=4)

    async def scene() -> None:
        async with _agent(token, "?since=1") as peer:
            assert [(await peer.hear())["type"] for _ in range(2)] == ["hello", "resync"]

    run(scene())


def test_tells_the_project_that_was_asked_for_by_any_of_its_names(token: str, cookie: str) -> None:
    harbor, other = (Project.objects.create(name=name) for name in ["harbor-api", "other"])
    ProjectAlias.objects.create(project=harbor, name="harbour")

    async def scene() -> None:
        for query in ("?project=harbor-api", "?project=Harbor--API", "?project=harbour"):
            for visitor in (_agent(token, query), _browser(cookie, query)):
                async with visitor as peer:
                    assert (await peer.hear())["type"] == "hello"
                    await append("entry:1", project=other)
                    await append("entry:2", project=harbor)
                    assert (await peer.hear())["change"]["project"] == "harbor-api"

    run(scene())


@pytest.mark.parametrize("name", ["nowhere", "%00", "%ff", "x" * 5000])
def test_knows_no_other_project(token: str, cookie: str, name: str) -> None:
    async def scene() -> None:
        for visitor in (_agent(token, f"?project={name}"), _browser(cookie, f"?project={name}")):
            async with visitor as peer:
                assert await peer.close_code() == NO_SUCH_PROJECT

    run(scene())


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer mdk_r_" + "x" * 43, "Basic eDp5", "Bearer \xff"])
def test_tells_agents_without_a_valid_token_that_they_are_not_signed_in(value: str) -> None:
    async def scene() -> None:
        async with Peer("/ws/changes", authorization=value) as peer:
            assert peer.is_in
            assert await peer.close_code() == NOT_SIGNED_IN

    run(scene())


def test_does_not_take_a_token_from_the_address_or_a_cookie_for_agents(token: str, cookie: str) -> None:
    async def scene() -> None:
        async with Peer(f"/ws/changes?token={token}", cookie=cookie) as peer:
            assert await peer.close_code() == NOT_SIGNED_IN

    run(scene())


def test_tells_browsers_without_a_session_that_they_are_not_signed_in() -> None:
    async def scene() -> None:
        for cookie in ("", f"{django_settings.SESSION_COOKIE_NAME}=made-up", "\xff=\xff"):
            async with _browser(cookie) as peer:
                assert peer.is_in
                assert await peer.close_code() == NOT_SIGNED_IN

    run(scene())


def test_tells_a_switched_off_account_that_it_is_not_allowed(cookie: str, guest: User) -> None:
    async def scene() -> None:
        await _leave(guest)
        async with _browser(cookie) as peer:
            assert await peer.close_code() == NOT_ALLOWED

    run(scene())


def test_notices_at_the_next_heartbeat_who_may_no_longer_listen(
    settings: Settings, client: Client, token: str, cookie: str, guest: User
) -> None:
    settings.MEMDOCK_HEARTBEAT_S = 0.5

    async def scene() -> None:
        async with _agent(token) as agent, _browser(cookie) as browser:
            assert (await agent.hear())["heartbeat_s"] == (await browser.hear())["heartbeat_s"] == 0.5
            await in_thread(tokens.revoke, name="agent", actor=COMMAND, at=now())
            assert await agent.close_code() == NOT_SIGNED_IN
            await in_thread(client.logout)
            assert await browser.close_code() == NOT_SIGNED_IN
        await in_thread(client.force_login, guest)
        again = f"{django_settings.SESSION_COOKIE_NAME}={client.cookies[django_settings.SESSION_COOKIE_NAME].value}"
        async with _browser(again) as browser:
            assert (await browser.hear())["type"] == "hello"
            await _leave(guest)
            assert await browser.close_code() == NOT_ALLOWED

    run(scene())


def test_closes_a_silent_peer_and_keeps_one_that_answers(settings: Settings, token: str) -> None:
    settings.MEMDOCK_HEARTBEAT_S = 0.75  # on a busy machine, too, an answer comes within three of them

    async def scene() -> None:
        async with _agent(token) as silent, _agent(token) as lively:
            assert (await lively.hear())["type"] == "hello"
            for _ in range(4):  # more heartbeats than a silent peer is given
                assert await lively.hear_all() == {"type": "ping"}
                await lively.say('{"type":"pong"}')
            assert await silent.close_code() == SILENT
            await append("entry:1")
            assert await lively.hear_refs(1) == ["entry:1"]

    run(scene())


def test_ignores_whatever_else_is_said(token: str) -> None:
    junk = [" ", "{", "[]", "null", "[" * 4000, '{"type":"change"}', '{"type":["pong"]}', '{"type":"pong"}']

    async def scene() -> None:
        async with _agent(token) as peer:
            assert (await peer.hear())["type"] == "hello"
            for text in junk:
                await peer.say(text)
            await append("entry:1")
            assert await peer.hear_refs(1) == ["entry:1"]
            await peer.say(json.dumps({"type": "pong", "pad": "x" * 5000}))
            assert await peer.close_code() == TOO_BIG

    run(scene())


def test_sends_no_more_than_a_window_to_a_peer_that_does_not_read(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setattr(consumers, "Window", lambda: Window(1000))
    append_now(*refs(1, 2200))

    async def scene() -> None:
        async with _agent(token, "?since=0") as peer:
            heard = [await peer.hear_all() for _ in range(1 + 1000 + 1)]
            kinds = [message["type"] for message in heard]
            assert (kinds.count("hello"), kinds.count("change"), kinds.count("ping")) == (1, 1000, 1)
            assert await peer.hears_nothing()
            await peer.say('{"type":"pong"}')
            told = [message["change"]["ref"] for message in heard if message["type"] == "change"]
            assert told + await peer.hear_refs(1200) == refs(1, 2200)

    run(scene())


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", ""])
def test_refuses_handshakes_of_other_sites_before_accepting(cookie: str, token: str, origin: str) -> None:
    async def scene() -> None:
        for visitor in (
            _browser(cookie, origin=origin),
            Peer("/ws/changes", authorization=f"Bearer {token}", origin=origin),
        ):
            async with visitor as peer:
                assert not peer.is_in

    run(scene())


def test_refuses_a_browser_that_names_no_origin(cookie: str) -> None:
    async def scene() -> None:
        async with Peer("/ws/live", cookie=cookie) as peer:
            assert not peer.is_in

    run(scene())


@pytest.mark.parametrize(
    "header", [{"host": "evil.example"}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}]
)
def test_refuses_other_hosts_and_other_sites(cookie: str, token: str, header: dict[str, str]) -> None:
    async def scene() -> None:
        browser = {"cookie": cookie, "origin": f"http://{header.get('host', 'localhost')}"}
        for visitor in (
            Peer("/ws/live", **(browser | header)),
            Peer("/ws/changes", **({"authorization": f"Bearer {token}"} | header)),
        ):
            async with visitor as peer:
                assert not peer.is_in

    run(scene())


@pytest.mark.parametrize("path", ["/", "/ws/", "/ws/live/", "/ws/livex", "/dock/", "/../ws/live"])
def test_refuses_unknown_paths_without_a_traceback(path: str, cookie: str, caplog: pytest.LogCaptureFixture) -> None:
    async def scene() -> None:
        async with Peer(path, cookie=cookie, origin=OWN) as peer:
            assert not peer.is_in

    run(scene())
    assert not caplog.records
