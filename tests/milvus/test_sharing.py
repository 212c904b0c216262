"""MemDock and MemSearch in one index: what either wrote the other finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.projects.collection import collection
from memory.search.backends.milvus.following import Follower
from memory.search.query import search
from tests.makers import make_project
from tests.memory.search_embed.endpoint_server import Endpoint
from tests.milvus.conftest import Memsearch
from tests.milvus.trees import DAY, ids, write_day

pytest.importorskip("memsearch", reason="the group milvus is not installed")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("milvus")]


def test_memsearch_finds_what_memdock_indexed(tree: Path, memsearch: Memsearch) -> None:
    make_project(write_day(tree, "Fixed the lease manager", "Moved the crane"))
    assert Follower().follow() == 2

    found = memsearch("search", "lease manager", "--json-output", collection=collection(tree))

    assert [hit["heading"] for hit in found] == ["09:00", "09:01"]
    assert found[0]["source"] == str(tree.resolve() / ".memsearch/memory" / f"{DAY}.md")
    expanded = memsearch("expand", found[0]["chunk_hash"], "--json-output", collection=collection(tree))
    assert "Fixed the lease manager" in expanded["content"]


def test_memsearch_has_nothing_to_index_after_memdock(tree: Path, memsearch: Memsearch) -> None:
    long = "\n".join(f"- Line {n} of a long summary. 第{n}行。" for n in range(200))
    make_project(write_day(tree, "Fixed the lease manager", long, "Windows\r\nlines"))
    written = Follower().follow()
    kept = ids(tree)

    told = memsearch("index", str(tree / ".memsearch/memory"), collection=collection(tree))

    assert "Indexed 0 chunks" in told
    assert ids(tree) == kept
    assert len(kept) == written > 3


def test_memdock_has_nothing_to_index_after_memsearch(tree: Path, memsearch: Memsearch, endpoint: Endpoint) -> None:
    write_day(tree, "Fixed the lease manager", "Moved the crane")
    memsearch("index", str(tree / ".memsearch/memory"), collection=collection(tree))
    make_project(tree)

    assert Follower().follow() == 0
    assert "lease" in search("lease").items[0].snippet + search("lease").items[0].title


def test_memdock_finds_by_meaning_what_memsearch_indexed(tree: Path, memsearch: Memsearch) -> None:
    write_day(tree, "Fixed the lease manager", "Moved the crane")
    memsearch("index", str(tree / ".memsearch/memory"), collection=collection(tree))
    make_project(tree)

    found = search("the")  # a word that is too frequent to be looked for by words alone

    assert {hit.title for hit in found.items if hit.kind == "entry"} == {"Fixed the lease manager", "Moved the crane"}


def test_other_markdown_that_memsearch_indexed_stays(tree: Path, memsearch: Memsearch) -> None:
    write_day(tree, "Fixed the lease manager")
    (tree / ".memsearch/memory/notes.md").write_text("# Notes\nOn the tide\n")
    memsearch("index", str(tree / ".memsearch/memory"), collection=collection(tree))
    kept = ids(tree)
    make_project(tree)

    Follower().follow()

    assert ids(tree) == kept


def test_the_python_package_reads_the_same_rows(tree: Path, endpoint: Endpoint, database: Path) -> None:
    from memsearch.store import MilvusStore  # type: ignore[import-untyped]

    make_project(write_day(tree, "Fixed the lease manager"))
    Follower().follow()

    with MilvusStore(str(database), collection=collection(tree), dimension=32) as store:
        [row] = store.query()

    assert row["heading"] == "09:00"
    assert (row["heading_level"], row["start_line"], row["end_line"]) == (3, 5, 9)
    assert row["content"].startswith("### 09:00\n<!-- session:s1 turn:0")
