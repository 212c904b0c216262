"""Search with an embedder behind an endpoint, which finds by meaning alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone

from memory.models import Project, SearchDocument
from memory.projects import sync
from memory.recall.relevance import WEAK
from memory.search import index, meaning
from memory.search.query import search
from memory.search.types import Filters
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.search_embed.endpoint_server import Endpoint, serving

pytestmark = pytest.mark.django_db

ENTRIES = Filters(kind="entry")
BODIES = ["Mended the lorry", "Painted the fence", "The lorry needs fuel", "Bread for breakfast"]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        server.same = {"contraption": "lorry", "refurbished": "mended"}
        monkeypatch.setenv("MEMDOCK_EMBEDDING", "openai:tiny")
        monkeypatch.setenv("MEMDOCK_EMBEDDING_URL", server.url)
        meaning.reset()
        yield server
    meaning.reset()


@pytest.fixture
def project(tree: Path, endpoint: Endpoint) -> Project:
    project = make_project(make_tree(tree, {"2026-03-14": _journal(BODIES)}))
    understand()
    return project


def _journal(bodies: list[str]) -> str:
    return "".join(make_entry_text(f"09:{n:02}", turn=str(n), body=f"- {body}") for n, body in enumerate(bodies))


def understand() -> None:
    index.follow()
    while meaning.fill():
        pass


def titles(text: str, filters: Filters = ENTRIES) -> list[str]:
    return [hit.title for hit in search(text, filters=filters).items]


def test_finds_what_has_none_of_the_words(project: Project) -> None:
    found = search("refurbished contraption", filters=ENTRIES)
    assert found.items[0].title == "Mended the lorry"
    assert found.items[0].why.semantic > 0.5 > found.items[0].why.lexical
    assert found.items[0].relevance < WEAK
    assert found.total == len(found.items) == found.facets["kind"]["entry"] == len(BODIES)


def test_puts_first_what_words_and_meaning_agree_on(project: Project) -> None:
    assert titles("mended contraption")[0] == "Mended the lorry"
    assert titles("fuel for the contraption")[0] == "The lorry needs fuel"


def test_keeps_to_filters_phrases_and_forbidden_words(project: Project) -> None:
    other = make_tree(Path(project.root).parent / "other", {"2026-03-15": _journal(["Sold the lorry"])})
    make_project(other)
    understand()
    assert titles("contraption", Filters(kind="entry", project="other")) == ["Sold the lorry"]
    assert titles('contraption "painted the fence"') == ["Painted the fence"]
    assert "Painted the fence" not in titles("lorry -fence")
    assert titles("contraption", Filters(kind="skill")) == []


def test_follows_what_is_written_changed_and_removed(project: Project) -> None:
    assert titles("contraption")[0] != "A new lorry"
    root = Path(project.root)

    make_tree(root, {"2026-03-15": _journal(["A new lorry"])})
    sync.sync(project, at=timezone.now())
    understand()
    assert "A new lorry" in titles("contraption")[:3]

    make_tree(root, {"2026-03-15": _journal(["A new bridge"])})
    sync.sync(project, at=timezone.now())
    index.follow()
    assert "A new lorry" not in titles("contraption")

    SearchDocument.objects.filter(title="Mended the lorry").delete()
    assert "Mended the lorry" not in titles("contraption")


def test_goes_by_words_while_the_endpoint_is_away(project: Project, endpoint: Endpoint) -> None:
    endpoint.first = [(401, {}, b"{}")]
    assert titles("contraption lorry") == titles("lorry")
    assert titles("contraption") == []


def test_embeds_each_text_once_and_as_a_whole(project: Project, endpoint: Endpoint) -> None:
    texts = [text for request in endpoint.requests for text in request["input"]]
    assert sorted(texts) == sorted(f"{row.title}\n{row.text}" for row in SearchDocument.objects.all())
