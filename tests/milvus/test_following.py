"""Milvus follows the files: what changed, what went, what is private, and what fails on the way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytest_django import Settings

from memory.projects.collection import collection
from memory.search import meaning
from memory.search.backends.milvus import following
from memory.search.backends.milvus.collections import Collection
from memory.search.backends.milvus.connection import Unreachable, opened
from memory.search.backends.milvus.following import Follower
from memory.search.embed.types import Unavailable
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.search_embed.endpoint_server import Endpoint
from tests.milvus.trees import contents, read_again, write_day

pytest.importorskip("memsearch", reason="the group milvus is not installed")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("milvus")]


def test_follows_what_is_appended_changed_and_removed(tree: Path) -> None:
    project, follower = make_project(write_day(tree, "One lease", "Two cranes")), Follower()
    follower.follow()
    assert contents(tree) == ["- One lease", "- Two cranes"]

    write_day(tree, "One lease", "Two cranes", "Three tides")
    read_again(project)
    assert follower.follow() == 2  # the entry that was last has other lines now, and so another id
    assert contents(tree) == ["- One lease", "- Two cranes", "- Three tides"]

    write_day(tree, "One lease", "Two ships", "Three tides")
    read_again(project)
    follower.follow()
    assert contents(tree) == ["- One lease", "- Two ships", "- Three tides"]

    (tree / ".memsearch/memory/2026-03-14.md").unlink()
    read_again(project)
    follower.follow()
    assert contents(tree) == []


def test_removes_what_went_while_nobody_followed(tree: Path) -> None:
    write_day(tree, "One lease")
    project = make_project(write_day(tree, "Two cranes", day="2026-03-15"))
    Follower().follow()
    (tree / ".memsearch/memory/2026-03-14.md").unlink()
    read_again(project)

    Follower().follow()

    assert contents(tree) == ["- Two cranes"]


def test_keeps_what_it_has_of_a_folder_that_is_away(tree: Path) -> None:
    project = make_project(write_day(tree, "One lease"))
    Follower().follow()
    (tree / ".memsearch").rename(tree / "away")
    read_again(project)

    Follower().follow()

    assert contents(tree) == ["- One lease"]


def test_writes_nothing_again_that_did_not_change(tree: Path, endpoint: Endpoint) -> None:
    make_project(write_day(tree, "One lease"))
    follower = Follower()
    assert follower.follow() == 1
    asked = len(endpoint.requests)

    assert follower.follow() == 0
    assert Follower().follow() == 0
    assert len(endpoint.requests) == asked


def test_private_text_goes_neither_to_the_endpoint_nor_to_milvus(tree: Path, endpoint: Endpoint) -> None:
    secret = "- Deployed\n<private>\n### Heading\nhunter2\n</private>\n- Done"
    make_tree(tree, {"2026-03-14": make_entry_text(body=secret) + make_entry_text("09:30", turn="2", body="- After")})
    make_project(tree)

    Follower().follow()

    assert contents(tree) == ["- Done", "- After"]
    assert "hunter2" not in str(endpoint.requests)


def test_another_models_collection_is_left_alone(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make_project(write_day(tree, "One lease"))
    Follower().follow()
    other = tmp_path / "other"
    other.mkdir()
    make_project(write_day(other, "Another lease"))
    monkeypatch.setenv("MEMDOCK_EMBEDDING", "wordllama")
    meaning.reset()

    assert Follower().follow() == 1

    assert "holds vectors of 32 numbers and the model of MEMDOCK_EMBEDDING makes 256" in caplog.text
    assert contents(tree) == ["- One lease"]
    assert contents(other) == ["- Another lease"]


def test_goes_on_where_an_endpoint_failed(tree: Path, endpoint: Endpoint) -> None:
    make_project(write_day(tree, "One lease"))
    follower = Follower()
    follower.follow()
    write_day(tree, "One lease", "Two cranes")
    make_project(tree)
    endpoint.first.append((401, {}, b"{}"))
    with pytest.raises(Unavailable):
        follower.follow()
    assert contents(tree) == ["- One lease"]

    assert follower.follow() == 2
    assert contents(tree) == ["- One lease", "- Two cranes"]


def test_makes_a_dropped_collection_anew(tree: Path, database: Path) -> None:
    make_project(write_day(tree, "One lease"))
    Follower().follow()
    shutil.rmtree(database)

    Follower().follow()

    assert contents(tree) == ["- One lease"]


def test_says_that_a_server_is_away(tree: Path, settings: Settings) -> None:
    settings.MILVUS_URI = "http://127.0.0.1:1"
    make_project(write_day(tree, "One lease"))

    with pytest.raises(Unreachable, match=r"^Milvus at http://127\.0\.0\.1:1: "):
        Follower().follow()


def test_the_worker_says_it_once_and_waits(
    tree: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(following, "_follower", Follower())
    monkeypatch.setattr(following, "_silent_until", 0.0)
    settings.MILVUS_URI = "http://127.0.0.1:1"
    make_project(write_day(tree, "One lease"))

    assert following.share() == following.share() == 0

    assert len([one for one in caplog.records if "not brought up to date" in one.message]) == 1


@pytest.mark.parametrize(
    "name", ['a"b', "back\\slash", "it's", '" or chunk_hash != "', "{x}%_", "new\nline", "日本 語"]
)
def test_hostile_paths_are_only_text_in_filters(tmp_path: Path, name: str) -> None:
    hostile = tmp_path / name
    hostile.mkdir()
    project, follower = make_project(write_day(hostile, "One lease", "Two cranes")), Follower()
    follower.follow()
    write_day(hostile, "One lease")
    write_day(hostile, "Three tides", day="2026-03-15")
    read_again(project)

    follower.follow()

    assert contents(hostile) == ["- One lease", "- Three tides"]
    source = str(hostile / ".memsearch/memory/2026-03-14.md")
    with opened() as client:
        kept = Collection(client, collection(hostile))
        kept.load()
        assert len(kept.ids_of(source)) == 1
