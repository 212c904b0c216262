"""An OpenAI-shaped endpoint, asked over real HTTP."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import numpy as np
import pytest

from memory.search.embed.endpoint import BATCH, LONGEST, LONGEST_PAUSE, TRIES, EndpointEmbedder
from memory.search.embed.types import Unavailable
from tests.memory.search_embed.endpoint_server import DIMENSION, Endpoint, serving, vector


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as served:
        yield served


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def embedder(endpoint: Endpoint, pauses: list[float]) -> EndpointEmbedder:
    return EndpointEmbedder(model="bge-m3", url=endpoint.url, key="sk-1", pause=pauses.append)


def test_returns_unit_rows_in_the_order_of_the_texts(embedder: EndpointEmbedder) -> None:
    texts = ["the lease race", "tides and quays", "the lease"]
    rows = embedder.embed(texts)
    wanted = np.array([vector(text) for text in texts], dtype=np.float32)
    assert rows.dtype == np.float32
    assert np.allclose(rows, wanted / np.linalg.norm(wanted, axis=1, keepdims=True))


def test_asks_in_batches_with_model_and_key(embedder: EndpointEmbedder, endpoint: Endpoint) -> None:
    rows = embedder.embed([f"text {number}" for number in range(BATCH + 3)])
    assert rows.shape == (BATCH + 3, DIMENSION)
    assert [len(request["input"]) for request in endpoint.requests] == [BATCH, 3]
    assert {(request["path"], request["model"]) for request in endpoint.requests} == {("/v1/embeddings", "bge-m3")}
    assert set(endpoint.keys) == {"Bearer sk-1"}


def test_sends_no_key_when_there_is_none(endpoint: Endpoint) -> None:
    EndpointEmbedder(model="m", url=f"{endpoint.url}/embeddings").embed(["x"])
    assert endpoint.keys == [""]
    assert endpoint.requests[0]["path"] == "/v1/embeddings"


def test_discovers_the_dimension_with_one_request(embedder: EndpointEmbedder, endpoint: Endpoint) -> None:
    assert embedder.dimension == DIMENSION
    assert embedder.dimension == DIMENSION
    assert len(endpoint.requests) == 1


def test_does_not_send_empty_texts_and_gives_them_zeros(embedder: EndpointEmbedder, endpoint: Endpoint) -> None:
    rows = embedder.embed(["", "lease", " \n"])
    assert endpoint.requests[0]["input"] == ["lease"]
    assert np.allclose(np.linalg.norm(rows, axis=1), [0, 1, 0])


def test_keeps_one_row_a_text_when_all_are_empty(embedder: EndpointEmbedder) -> None:
    assert embedder.embed(["", ""]).shape == (2, DIMENSION)
    assert len(embedder.embed([])) == 0


def test_cuts_long_texts(embedder: EndpointEmbedder, endpoint: Endpoint) -> None:
    embedder.embed(["x" * (LONGEST + 10)])
    assert len(endpoint.requests[0]["input"][0]) == LONGEST


def test_tries_again_and_waits_as_long_as_it_is_told(
    embedder: EndpointEmbedder, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.first = [(429, {"Retry-After": "3"}, b""), (503, {"Retry-After": "86400"}, b""), (500, {}, b"oh")]
    assert embedder.embed(["lease"]).shape == (1, DIMENSION)
    assert pauses[:2] == [3, LONGEST_PAUSE]
    assert 0 < pauses[2] <= LONGEST_PAUSE


def test_gives_up_after_its_tries_and_says_why(
    embedder: EndpointEmbedder, endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.first = [(503, {}, b'{"error": {"message": "model is loading"}}')] * TRIES
    with pytest.raises(Unavailable, match=r"HTTP 503 model is loading \(4 tries\)"):
        embedder.embed(["lease"])
    assert len(pauses) == TRIES - 1


def test_does_not_repeat_what_was_refused(embedder: EndpointEmbedder, endpoint: Endpoint, pauses: list[float]) -> None:
    endpoint.first = [(401, {}, b'{"error": "no such key"}')]
    with pytest.raises(Unavailable, match="HTTP 401 no such key"):
        embedder.embed(["lease"])
    assert pauses == []


def test_says_that_nobody_listens(pauses: list[float]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody accepts
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(Unavailable, match="refused"):
            EndpointEmbedder(model="m", url=url, pause=pauses.append).embed(["x"])


@pytest.mark.parametrize(
    "body",
    [
        b"<html>a proxy</html>",
        b"[]",
        b'{"data": "none"}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": ["a"]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]}',
        b"[" * 100_000,
        b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}",
        b"\xff",
    ],
)
def test_refuses_answers_of_another_shape(embedder: EndpointEmbedder, endpoint: Endpoint, body: bytes) -> None:
    endpoint.first = [(200, {}, body)]
    with pytest.raises(Unavailable):
        embedder.embed(["lease"])


def test_refuses_fewer_vectors_than_texts(embedder: EndpointEmbedder, endpoint: Endpoint) -> None:
    endpoint.first = [(200, {}, json.dumps({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}).encode())]
    with pytest.raises(Unavailable, match="1 vectors came for 2 texts"):
        embedder.embed(["lease", "tide"])


def test_refuses_a_dimension_that_changes(embedder: EndpointEmbedder, endpoint: Endpoint) -> None:
    embedder.embed(["lease"])
    endpoint.first = [(200, {}, json.dumps({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}).encode())]
    with pytest.raises(Unavailable, match=f"vectors of 2 numbers came after {DIMENSION}"):
        embedder.embed(["tide"])


def test_turns_numbers_that_are_none_into_zeros(embedder: EndpointEmbedder, endpoint: Endpoint) -> None:
    endpoint.first = [
        (200, {}, b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}, {"index": 1, "embedding": [3, 4]}]}')
    ]
    assert embedder.embed(["lease", "tide"]) == pytest.approx(np.array([[0, 0], [0.6, 0.8]]))
