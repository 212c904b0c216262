"""The model in the wordllama wheel."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory.search.embed.bundled import DIMENSION, LONGEST, WordLlamaEmbedder
from memory.search.embed.types import Unavailable

_OFFLINE = """
import logging, pathlib, socket, sys
def refuse(*args): raise AssertionError(f"network: {args}")
socket.getaddrinfo = socket.socket.connect = refuse
from memory.search.embed.bundled import WordLlamaEmbedder
assert "wordllama" not in sys.modules
assert WordLlamaEmbedder().embed(["lease"]).any()
assert logging.getLogger().handlers == [] and logging.getLogger().level == logging.WARNING
assert not (pathlib.Path.home() / ".cache").exists()
"""


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_returns_unit_rows(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed(["fix the login bug", "租约竞争", "repair the sign-in error"])
    assert rows.shape == (3, DIMENSION)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_puts_like_texts_near_one_another(embedder: WordLlamaEmbedder) -> None:
    login, same, other = embedder.embed(["fix the login bug", "repair the sign-in error", "bake bread with rye"])
    assert login @ same > login @ other


def test_gives_zeros_for_texts_without_words(embedder: WordLlamaEmbedder) -> None:
    assert np.allclose(np.linalg.norm(embedder.embed(["", "lease", "\n "]), axis=1), [0, 1, 0])
    assert embedder.embed([]).shape == (0, DIMENSION)


def test_looks_at_the_beginning_of_a_long_text_only(embedder: WordLlamaEmbedder) -> None:
    head = "lease " * (LONGEST // 6 + 1)
    long, short = embedder.embed([head[:LONGEST] + "tide " * 50_000, head[:LONGEST]])
    assert np.allclose(long, short)


def test_gives_many_threads_the_same_rows(embedder: WordLlamaEmbedder) -> None:
    fresh = WordLlamaEmbedder()
    texts = [f"text number {number} about leases" for number in range(50)]
    wanted = embedder.embed(texts)
    with ThreadPoolExecutor(8) as pool:
        for rows in pool.map(fresh.embed, [texts] * 16):
            assert np.allclose(rows, wanted)


def test_needs_no_network_and_leaves_logging_alone(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _OFFLINE], env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_says_what_to_do_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(Unavailable, match=r"wordllama.*MEMDOCK_EMBEDDING=none"):
        WordLlamaEmbedder().embed(["lease"])
