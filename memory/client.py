"""A small client of MemDock's change feed, for programs of any kind: it goes on where it stopped.

    from pathlib import Path
    from memory.client import Feed

    feed = Feed("http://127.0.0.1:7437", token="…", cursor_file=Path("~/.cache/mine/memdock-cursor"))
    for change in feed.follow():
        print(change["kind"], change["ref"])

Each change comes at least once and in order: its id is kept in the file when the next one is asked for, so what was
being done when the program died comes again. Where the feed does not reach back that far (`ResetRequired`), read the
state anew and go on from where the feed ended before that:

    except ResetRequired:
        end = feed.end()
        …  # read everything that matters
        feed.keep(end)

It needs a token with the scope `read` (`memdock token create NAME --scope read`), `httpx`, and for a socket that stays
open `websockets`; without that package it polls. Nothing of MemDock's server is loaded.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpx

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

type Change = dict[str, Any]
"""One change: `id`, `kind`, `project`, `ref`, `at`, `title`, `url`, `pluginId`, `cursor`, `memoryId`, `metadata`."""

PAGE = 200
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 30.0
PATIENCE_S = 90.0
"""Seconds without a word from the server, which speaks every 25, after which the line counts as cut."""

_REFUSED = {4401: "This token is not valid.", 4403: "This token may not read.", 4404: "There is no such project."}


class ClientError(Exception):
    """MemDock does not let this client listen; the message is one sentence."""


class ResetRequired(Exception):
    """The feed does not reach back to the kept id: something was missed."""


class Cut(ConnectionError):
    """There is no server at the moment, or the line to it was cut."""


@dataclass(frozen=True, slots=True)
class Feed:
    """The changes of all projects, or of one. `cursor_file` holds the id of the last change that was done with."""

    url: str
    token: str
    cursor_file: Path
    project: str = ""

    def follow(self) -> Iterator[Change]:
        """Yield changes without end: after the kept id, or from now on where none is kept.

        A line that is cut is opened again after 0.25 to 30 seconds. Raises ResetRequired, and ClientError where MemDock
        refuses for good.
        """
        return self._patiently(self._heard) if find_spec("websockets") else self.poll()

    def poll(self, *, every_s: float = 2.0) -> Iterator[Change]:
        """Yield the same, asking every so many seconds instead of keeping a socket open."""
        return self._patiently(partial(self._asked, every_s))

    def cursor(self) -> int | None:
        """Return the kept id, None where none is kept. Raises ValueError for a file that holds something else."""
        try:
            return int(self._path.read_text(encoding="ascii"))
        except FileNotFoundError:
            return None

    def keep(self, cursor: int) -> None:
        """Keep an id: everything up to it is done with. The file is replaced whole."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        draft.write_text(str(cursor), encoding="ascii")
        draft.replace(self._path)

    def end(self) -> int:
        """Return the id of the newest change there is. Raises ClientError, and ConnectionError without a server."""
        if not find_spec("websockets"):
            return int(self._page(0)["latest"])
        with self._socket(None) as socket:
            return int(_message(socket)["latest"])

    @property
    def _path(self) -> Path:
        return self.cursor_file.expanduser()

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def _patiently(self, tell: Callable[[], Iterator[Change]]) -> Iterator[Change]:
        """Keep what was done with, and come back whenever the line is cut."""
        pause = SHORTEST_PAUSE_S
        while True:
            try:
                for change in tell():
                    yield change
                    self.keep(change["id"])
                    pause = SHORTEST_PAUSE_S
            except Cut:
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)

    def _heard(self) -> Iterator[Change]:
        """Listen at the socket until it is cut."""
        since = self.cursor()
        with self._socket(since) as socket:
            hello = _message(socket)
            if since is None:
                self.keep(hello["latest"])
            while True:
                message = _message(socket)
                if message["type"] == "change":
                    yield message["change"]
                elif message["type"] == "ping":
                    socket.send('{"type":"pong"}')
                elif message["type"] == "resync":
                    raise ResetRequired

    @contextmanager
    def _socket(self, since: int | None) -> Iterator[ClientConnection]:
        from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
        from websockets.sync.client import connect

        asked = {"project": self.project} | ({} if since is None else {"since": str(since)})
        url = f"ws{self.url.removeprefix('http').rstrip('/')}/ws/changes?{urlencode(asked)}"
        try:
            with connect(url, additional_headers=self._headers, max_size=2**20, close_timeout=2) as socket:
                yield socket
        except ConnectionClosed as exc:
            code = exc.rcvd.code if exc.rcvd else 0
            if code in _REFUSED:
                raise ClientError(_REFUSED[code]) from exc
            raise Cut("the socket was closed") from exc
        except InvalidStatus as exc:
            if exc.response.status_code < 500:
                raise ClientError(f"MemDock answered {exc.response.status_code}.") from exc
            raise Cut("MemDock is busy") from exc
        except (InvalidHandshake, OSError) as exc:  # TimeoutError is an OSError
            raise Cut(str(exc)) from exc

    def _asked(self, every_s: float) -> Iterator[Change]:
        """Ask again and again."""
        cursor = self.cursor()
        if cursor is None:
            self.keep(cursor := self.end())
        while True:
            page = self._page(cursor)
            yield from page["items"]
            if page["next"] is None:
                if page["latest"] > cursor:
                    self.keep(page["latest"])  # also beyond what belongs to other projects
                time.sleep(every_s)
            cursor = page["next"] or page["latest"]

    def _page(self, after: int) -> Any:
        asked: dict[str, str | int] = {"after": after, "limit": PAGE, "project": self.project}
        try:
            answer = httpx.get(f"{self.url.rstrip('/')}/api/v1/changes", params=asked, headers=self._headers)
        except httpx.HTTPError as exc:
            raise Cut(str(exc)) from exc
        if answer.status_code == 410:
            raise ResetRequired
        if answer.status_code == 429 or answer.status_code >= 500:
            raise Cut(f"MemDock answered {answer.status_code}")
        if answer.is_error:
            raise ClientError(f"MemDock answered {answer.status_code}: {answer.text[:500]}")
        return answer.json()


def _message(socket: ClientConnection) -> Any:
    return json.loads(socket.recv(timeout=PATIENCE_S))
