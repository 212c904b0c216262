"""Vectors: made in the background, kept with their model, and never in the way of words."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory.jobs import indexing
from memory.models import SearchDocument, SearchVectors
from memory.search import index, meaning
from memory.search.embed import endpoint
from memory.search.query import search
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.search_embed.endpoint_server import serving

pytestmark = pytest.mark.django_db

BODIES = [
    "- The cat slept on the sofa all day",
    "- Repaired the broken engine of the lorry",
    "- Wrote the release notes",
]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Which embedder the environment names, and whether it answers, is asked anew by each test."""
    meaning.reset()
    yield
    meaning.reset()


@pytest.fixture
def written(tree: Path) -> Path:
    text = "".join(make_entry_text(f"09:{n:02}", turn=str(n), body=body) for n, body in enumerate(BODIES))
    make_project(make_tree(tree, {"2026-03-14": text}))
    index.follow()
    return tree


def test_makes_vectors_in_batches_until_none_is_missing(written: Path) -> None:
    total = SearchDocument.objects.count()

    assert [meaning.fill(limit=3) for _ in range(3)] == [3, total - 3, 0]
    assert meaning.progress() == meaning.Progress("wordllama:l2_supercat:256", total, total)


def test_a_hit_says_how_near_it_is_in_meaning(written: Path) -> None:
    meaning.warm()
    assert {hit.why.semantic for hit in search("lorry engine").items} == {0.0}

    indexing.understand()

    hit = search("lorry engine", limit=1).items[0]
    assert hit.title == "Repaired the broken engine of the lorry"
    assert hit.why.semantic > 0.5


def test_meaning_decides_between_hits_with_the_same_words(written: Path) -> None:
    text = "".join(
        make_entry_text(f"10:{n:02}", turn=f"b{n}", body=body)
        for n, body in enumerate(["- The tide of opinion turned", "- The tide of the harbour sea water level"])
    )
    make_project(make_tree(written.parent / "other", {"2026-03-15": text}))
    index.follow()
    indexing.understand()

    found = search("high tide ocean", limit=1).items

    assert [hit.title for hit in found] == ["The tide of the harbour sea water level"]


def test_questions_that_are_asked_at_the_same_time_are_all_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "PATIENCE", 60)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(meaning.ask, ["high tide"] * 200))


def test_a_changed_text_loses_its_vectors_and_gets_new_ones(written: Path) -> None:
    indexing.understand()
    row = SearchDocument.objects.get(title__startswith="Wrote", kind="entry")
    before = bytes(row.vectors.lines)

    make_project(make_tree(written, {"2026-03-14": make_entry_text("09:02", turn="2", body="- Wrote a poem")}))
    index.follow()
    assert not SearchVectors.objects.filter(pk=row.pk).exists()
    indexing.understand()

    assert bytes(SearchVectors.objects.get(pk=row.pk).lines) != before


def test_another_model_makes_them_anew_and_searches_go_on(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexing.understand()
    with serving() as server:
        monkeypatch.setenv("MEMDOCK_EMBEDDING", "openai:tiny")
        monkeypatch.setenv("MEMDOCK_EMBEDDING_URL", server.url)
        meaning.reset()

        assert [hit.why.semantic for hit in search("lorry", limit=1).items] == [0.0]
        assert meaning.progress().done == 0
        indexing.understand()

        assert meaning.progress().done == meaning.progress().total
        assert SearchVectors.objects.values("model").distinct().count() == 1


def test_without_an_embedder_words_are_enough(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOCK_EMBEDDING", "none")

    assert indexing.understand() == 0
    assert search("lorry").total > 0
    assert "none" in meaning.progress().reason


def test_an_endpoint_that_does_not_answer_is_no_error(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOCK_EMBEDDING", "openai:tiny")
    monkeypatch.setenv("MEMDOCK_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setattr(endpoint, "TRIES", 1)
    monkeypatch.setattr(indexing, "_silent_until", 0.0)

    assert indexing.understand() == 0
    assert search("lorry").total > 0
