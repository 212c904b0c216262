"""Ids in paths, through a real Daphne: a proxy or a framework that decodes too early would mix them up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote

import pytest

from tests.live.servers import Server, serving

pytestmark = pytest.mark.django_db(transaction=True)

ODD_IDS = [
    "root:resume:2",
    "a/b",
    "a/end",
    "recent/",
    "50%",
    "%2F",
    "what?",
    "a#b",
    "tab\tid",
    "C:\\work\\x",
    "`tick` ñ 泊位 🚢",
    "..",
    "a+b c",
    "Recent",
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def ask(server: Server, method: str, target: str, body: object = None, *, raw: bytes = b"") -> tuple[int, Any]:
    """Send a target exactly as it is; libraries for HTTP would tidy `..` and some escapes."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request(method, target, raw or (b"" if body is None else json.dumps(body).encode()))
        response = connection.getresponse()
        assert response.getheader("Content-Type") == "application/json"
        text = response.read()
        return response.status, json.loads(text) if text else None
    finally:
        connection.close()


def test_keeps_ids_whole(server: Server) -> None:
    for key in ODD_IDS:
        path = f"/sessions/{quote(key, safe='')}"
        made = ask(server, "POST", "/sessions", {"id": key, "project": "harbor"})
        assert made == (201, {"id": key, "status": "created"})
        assert ask(server, "GET", path)[1]["id"] == key
        saved = ask(server, "POST", "/observations", {"session_id": key, "title": key, "content": key})[1]
        assert ask(server, "GET", f"/observations/{saved['id']}")[1]["session_id"] == key
        told = ask(server, "GET", f"/context/compaction?session_id={quote(key, safe='')}")
        assert told[0] == 200 and "[1 observations]" in told[1]["context"]
        assert ask(server, "POST", f"{path}/end") == (200, {"id": key, "status": "completed"})
        assert ask(server, "GET", path)[1]["ended_at"]


def test_takes_a_colon_and_other_harmless_signs_as_they_are(server: Server) -> None:
    ask(server, "POST", "/sessions", {"id": "a:b@c!$&'()*,;=-._~", "project": "harbor"})
    assert ask(server, "GET", "/sessions/a:b@c!$&'()*,;=-._~")[0] == 200


def test_tells_the_list_from_an_id(server: Server) -> None:
    assert ask(server, "GET", "/sessions/recent") == (200, [])
    assert ask(server, "GET", "/sessions/%72ecent") == (200, [])
    assert ask(server, "GET", "/sessions/recent%2F")[0] == 404


def test_refuses_ids_that_are_no_text(server: Server) -> None:
    for target in ("/sessions/%ff", "/sessions/%00", "/sessions/a%C3"):
        assert ask(server, "GET", target)[0] == 400


def test_finds_nothing_at_odd_addresses(server: Server) -> None:
    for target in ("/sessions/%zz", "/sessions/%", "/sessions/a%2", "/../sessions", "//sessions", "/sessions/a/b/c"):
        status, reply = ask(server, "GET", target)
        assert status == 404 and isinstance(reply["error"], str), target


def test_reads_values_of_a_query_in_any_spelling(server: Server) -> None:
    ask(server, "POST", "/sessions", {"id": "s1", "project": "泊位 & co"})
    ask(server, "POST", "/observations", {"session_id": "s1", "title": "50% of a+b", "content": "x"})
    name = quote("泊位 & co", safe="")
    for q in ("50%25+of+a%2Bb", "50%25%20of%20a%2Bb", "50%+of"):
        assert len(ask(server, "GET", f"/search?q={q}&project={name}")[1]) == 1


def test_sends_no_body_for_head_and_takes_chunks(server: Server) -> None:
    assert ask(server, "HEAD", "/stats") == (200, None)
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    chunks = [b'{"id": "s1",', b' "project": "harbor"}']
    connection.request("POST", "/sessions", iter(chunks), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
    assert connection.getresponse().status == 201
    connection.close()
