"""Vectors from an endpoint that speaks OpenAI's `POST /embeddings`.

The shape is that of https://platform.openai.com/docs/api-reference/embeddings/create; Ollama, vLLM, LM Studio, llama.cpp and
text-embeddings-inference answer to it as well.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import numpy as np

from memory.search.embed.types import Matrix, Unavailable, unit_rows

OPENAI = "https://api.openai.com/v1"
BATCH = 64
LONGEST = 8000
"""Characters of a text that are sent: about 2,000 tokens, which every model in use takes."""

TIMEOUT = httpx.Timeout(30, connect=5)
TRIES = 4
LONGEST_PAUSE = 20.0
"""Seconds between two tries, also when the endpoint asks for more."""

LARGEST_ANSWER = 64 * 1024 * 1024
_MALFORMED = (ValueError, KeyError, TypeError, OverflowError, RecursionError)
"""What reading JSON of another shape, or deeply nested on purpose, may raise."""

_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}


class _Again(Exception):
    """A try failed that may succeed later, `pause` seconds on if the endpoint said so."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


class EndpointEmbedder:
    """A model behind an address ending in `/v1`; the dimension is what the first answer shows."""

    is_strong = True

    def __init__(
        self, *, model: str, url: str = OPENAI, key: str = "", pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._address = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self._pause = pause
        self._dimension = 0
        self._lock = threading.Lock()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=TIMEOUT, headers=headers)

    @property
    def dimension(self) -> int:
        """Length of a row; one request when nothing was embedded yet. Raises Unavailable."""
        if not self._dimension:
            self.embed(["dimension"])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row a text, asking for 64 at a time.

        Raises Unavailable after four tries, and at once for a refusal that no other try would change.
        """
        filled = [index for index, text in enumerate(texts) if text.strip()]  # endpoints refuse empty texts
        found = [
            self._checked(self._request([texts[index][:LONGEST] for index in filled[start : start + BATCH]]))
            for start in range(0, len(filled), BATCH)
        ]
        rows = np.zeros((len(texts), self.dimension if texts else 0), dtype=np.float32)
        if found:
            rows[filled] = np.concatenate(found)
        return unit_rows(rows)

    def _request(self, texts: list[str]) -> Matrix:
        for number in range(1, TRIES + 1):
            try:
                return self._try(texts)
            except _Again as failure:
                if number == TRIES:
                    raise Unavailable(f"{self._address}: {failure} ({TRIES} tries)") from failure
                self._pause(failure.pause or _backoff(number))
        raise AssertionError("unreachable")

    def _try(self, texts: list[str]) -> Matrix:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            with self._client.stream("POST", self._address, json=body) as response:
                data = _read(response)
        except httpx.TimeoutException as exc:
            raise _Again("no answer in time") from exc
        except httpx.TransportError as exc:
            raise _Again(str(exc) or type(exc).__name__) from exc
        except (httpx.InvalidURL, httpx.DecodingError) as exc:
            raise Unavailable(f"{self._address}: {exc}") from exc
        if response.status_code in _RETRIED:
            raise _Again(_refusal(response.status_code, data), _asked_pause(response))
        if response.status_code != 200:
            raise Unavailable(f"{self._address}: {_refusal(response.status_code, data)}")
        return self._rows(data, len(texts))

    def _rows(self, data: bytes, count: int) -> Matrix:
        try:
            answer = json.loads(data)
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            matrix = np.array([item["embedding"] for item in items], dtype=np.float32)
        except _MALFORMED as exc:
            raise Unavailable(f"{self._address}: this is not the answer of an embeddings endpoint") from exc
        if matrix.ndim != 2 or len(matrix) != count or not matrix.shape[1]:
            raise Unavailable(f"{self._address}: {len(items)} vectors came for {count} texts")
        return matrix

    def _checked(self, matrix: Matrix) -> Matrix:
        with self._lock:
            self._dimension = self._dimension or matrix.shape[1]
        if matrix.shape[1] != self._dimension:
            raise Unavailable(f"{self._address}: vectors of {matrix.shape[1]} numbers came after {self._dimension}")
        return matrix


def _read(response: httpx.Response) -> bytes:
    data = b""
    for chunk in response.iter_bytes():
        data += chunk
        if len(data) > LARGEST_ANSWER:
            raise Unavailable(f"{response.url}: the answer is larger than {LARGEST_ANSWER // 1024**2} MB")
    return data


def _refusal(status: int, data: bytes) -> str:
    """Return the status and the endpoint's own words, where it has any."""
    words: Any = ""
    try:
        words = json.loads(data)["error"]
        words = words["message"] if isinstance(words, dict) else words
    except _MALFORMED:
        pass
    return f"HTTP {status} {str(words)[:200]}".strip()


def _asked_pause(response: httpx.Response) -> float:
    text = str(response.headers.get("Retry-After", ""))
    return min(float(text), LONGEST_PAUSE) if text.isascii() and text.isdigit() else 0.0


def _backoff(number: int) -> float:
    """Double with each try; at random, so that many that failed together do not come back together."""
    longest: float = min(0.5 * 2**number, LONGEST_PAUSE)
    return longest * random.uniform(0.5, 1)  # noqa: S311  (keeps no secret)
