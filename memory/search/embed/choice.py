"""Which embedder the environment asks for."""

from __future__ import annotations

from collections.abc import Mapping

import httpx
from django.core.exceptions import ImproperlyConfigured

from memory.search.embed.bundled import WordLlamaEmbedder
from memory.search.embed.endpoint import OPENAI, EndpointEmbedder
from memory.search.embed.types import Embedder


def from_environment(env: Mapping[str, str]) -> Embedder | None:
    """Return what MEMDOCK_EMBEDDING names: wordllama (also when unset), `openai:MODEL`, or None for `none`.

    Nothing is loaded or asked yet. Raises ImproperlyConfigured with one line that starts with the variable's name.
    """
    wanted = env.get("MEMDOCK_EMBEDDING", "").strip() or "wordllama"
    kind, _, model = wanted.partition(":")
    if wanted == "none":
        return None
    if wanted == "wordllama":
        return WordLlamaEmbedder()
    if kind == "openai" and model.strip():
        return EndpointEmbedder(model=model.strip(), url=_url(env), key=_key(env))
    raise ImproperlyConfigured(f"MEMDOCK_EMBEDDING: {wanted!r} is none of wordllama, none and openai:MODEL.")


def _url(env: Mapping[str, str]) -> str:
    text = env.get("MEMDOCK_EMBEDDING_URL", "").strip() or OPENAI
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host:
        raise ImproperlyConfigured("MEMDOCK_EMBEDDING_URL: an address such as http://localhost:11434/v1 is needed.")
    if url.userinfo:
        raise ImproperlyConfigured("MEMDOCK_EMBEDDING_URL: put the secret into MEMDOCK_EMBEDDING_KEY, not the address.")
    return text


def _key(env: Mapping[str, str]) -> str:
    key = env.get("MEMDOCK_EMBEDDING_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ImproperlyConfigured("MEMDOCK_EMBEDDING_KEY: a key is one line of ASCII characters.")
    return key
