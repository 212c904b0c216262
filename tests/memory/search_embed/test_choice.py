"""MEMDOCK_EMBEDDING and its companions."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from memory.search.embed.bundled import WordLlamaEmbedder
from memory.search.embed.choice import from_environment
from memory.search.embed.endpoint import EndpointEmbedder
from tests.memory.search_embed.endpoint_server import serving


@pytest.mark.parametrize("value", ["", " ", "wordllama"])
def test_takes_the_bundled_model_by_default(value: str) -> None:
    assert isinstance(from_environment({"MEMDOCK_EMBEDDING": value}), WordLlamaEmbedder)
    assert isinstance(from_environment({}), WordLlamaEmbedder)


def test_takes_none() -> None:
    assert from_environment({"MEMDOCK_EMBEDDING": "none"}) is None


def test_takes_an_endpoint_and_keeps_colons_in_the_model() -> None:
    with serving() as endpoint:
        env = {
            "MEMDOCK_EMBEDDING": "openai:bge-m3:567m",
            "MEMDOCK_EMBEDDING_URL": endpoint.url + "/",
            "MEMDOCK_EMBEDDING_KEY": "sk-1\n",
        }
        embedder = from_environment(env)
        assert isinstance(embedder, EndpointEmbedder)
        assert embedder.name == "openai:bge-m3:567m"
        embedder.embed(["lease"])
        assert endpoint.requests[0]["model"] == "bge-m3:567m"
        assert endpoint.keys == ["Bearer sk-1"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMDOCK_EMBEDDING", "openai"),
        ("MEMDOCK_EMBEDDING", "openai: "),
        ("MEMDOCK_EMBEDDING", "onnx:bge"),
        ("MEMDOCK_EMBEDDING", "None"),
        ("MEMDOCK_EMBEDDING_URL", "localhost:11434"),
        ("MEMDOCK_EMBEDDING_URL", "file:///etc/passwd"),
        ("MEMDOCK_EMBEDDING_URL", "http://"),
        ("MEMDOCK_EMBEDDING_URL", "http://[::1"),
        ("MEMDOCK_EMBEDDING_URL", "https://user:hunter2@example.com/v1"),
        ("MEMDOCK_EMBEDDING_KEY", "sk-ключ"),
        ("MEMDOCK_EMBEDDING_KEY", "sk-1\nX-Other: 1"),
    ],
)
def test_names_the_variable_that_is_wrong(name: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{name}: ") as raised:
        from_environment({"MEMDOCK_EMBEDDING": "openai:m"} | {name: value})
    assert "hunter2" not in str(raised.value)
