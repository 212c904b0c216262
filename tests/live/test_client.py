"""The Python client, against a real server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from itertools import count, islice
from pathlib import Path
from threading import Thread

import pytest
from django.utils import timezone

from memory import changes, client
from memory.api import tokens
from memory.audit import COMMAND
from memory.client import Change, ClientError, Feed, ResetRequired
from memory.models import Project
from memory.models.token import Scope
from tests.live.scenes import append_now, refs
from tests.live.servers import Server, serving, write

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[Server]:
    """One web server for all tests here; each finds the tables empty."""
    with serving() as running:
        yield running


@pytest.fixture(params=["socket", "polling"])
def told(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Teller:
    return Teller(make_feed(server, tmp_path), is_socket=request.param == "socket")


def make_feed(server: Server, place: Path, *, project: str = "", scope: Scope = Scope.READ) -> Feed:
    _, token = tokens.create(name="program", scope=scope, actor=COMMAND, at=timezone.now())
    return Feed(server.origin, token, place / "kept" / "cursor", project)


class Teller:
    """A feed that is followed in one of its two ways."""

    def __init__(self, feed: Feed, *, is_socket: bool) -> None:
        self.feed = feed
        self._is_socket = is_socket

    def follow(self) -> Iterator[Change]:
        return self.feed.follow() if self._is_socket else self.feed.poll(every_s=0.05)

    def take(self, number: int) -> list[str]:
        """Take so many changes and ask for no more: the last of them is not done with."""
        return [change["ref"] for change in islice(self.follow(), number)]


def test_goes_on_where_it_stopped_and_repeats_what_was_not_done_with(told: Teller) -> None:
    told.feed.keep(changes.latest())
    append_now(*refs(1, 5))

    assert told.take(3) == refs(1, 3)
    assert told.take(3) == refs(3, 5)
    write("entry:6")
    assert told.take(2) == refs(5, 6)
    assert told.feed.cursor() == changes.latest() - 1
    assert [path.name for path in (told.feed.cursor_file.parent).iterdir()] == ["cursor"]


def test_begins_at_the_end_and_keeps_that(told: Teller) -> None:
    append_now(*refs(1, 3))
    end = told.feed.end()
    follower = told.follow()

    told.feed.keep(end)
    append_now("entry:4")

    change = next(follower)
    assert (change["ref"], change["pluginId"], change["cursor"]) == ("entry:4", "journal", str(end + 1))
    assert end == changes.latest() - 1


def test_tells_of_one_project(server: Server, tmp_path: Path) -> None:
    harbor, other = (Project.objects.create(name=name) for name in ("harbor", "other"))
    feed = make_feed(server, tmp_path, project="harbor")
    feed.keep(0)
    append_now("entry:1", project=other)
    append_now("entry:2", project=harbor)
    append_now("entry:3", project=other)

    for follower in (feed.follow(), feed.poll()):
        assert next(follower)["ref"] == "entry:2"


def test_says_when_something_was_missed(told: Teller) -> None:
    append_now(*refs(1, 10))
    told.feed.keep(changes.latest() - 9)
    changes.trim(before=timezone.now() + timedelta(seconds=1), keep=3)

    with pytest.raises(ResetRequired):
        told.take(1)
    told.feed.keep(changes.floor())
    assert told.take(3) == refs(8, 10)


def test_is_told_why_it_may_not_listen(server: Server, tmp_path: Path) -> None:
    feed = make_feed(server, tmp_path)
    nobody = Feed(server.origin, "wrong", tmp_path / "cursor")
    nowhere = Feed(server.origin, feed.token, tmp_path / "cursor", "no such project")

    for wrong in (nobody, nowhere):
        for follower in (wrong.follow(), wrong.poll()):
            with pytest.raises(ClientError):
                next(follower)


@contextmanager
def shaky(server: Server, *, cuts: int) -> Iterator[str]:
    """Yield an address that leads to the server after so many connections that are cut at once."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=_lead, args=(listener, server.port, cuts), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _lead(listener: socket.socket, port: int, cuts: int) -> None:
    with suppress(OSError):  # the listener is closed when nobody needs it any more
        for number in count():
            near, _ = listener.accept()
            if number < cuts:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", port))
            for one, other in ((near, far), (far, near)):
                Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError), one, other:
        while data := one.recv(65_536):
            other.sendall(data)
        other.shutdown(socket.SHUT_RDWR)  # closing alone would wait for the thread that reads from it


def test_comes_back_when_the_line_is_cut(told: Teller, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SHORTEST_PAUSE_S", 0.01)
    told.feed.keep(0)
    append_now(*refs(1, 3))

    with shaky(server, cuts=3) as url:
        told.feed = replace(told.feed, url=url)
        assert told.take(3) == refs(1, 3)
