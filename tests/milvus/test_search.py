"""The one search with Milvus beside the words."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memory import doctor
from memory.doctor.check import Check
from memory.search import index, meaning
from memory.search.backends.milvus import asking
from memory.search.backends.milvus.following import Follower
from memory.search.query import search
from memory.search.types import Results
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.search_embed.endpoint_server import Endpoint
from tests.milvus.trees import read_again, write_day

pytest.importorskip("memsearch", reason="the group milvus is not installed")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("milvus")]


TWINS = ("quay", "gangway")
"""Two words that the endpoint's hash puts into one place, as a model does with words of one meaning."""


def entries(found: Results) -> list[str]:
    return [hit.title for hit in found.items if hit.kind == "entry"]


def check() -> Check:
    return next(one for one in doctor.examine(at=timezone.now()) if one.name == "search")


def test_finds_what_shares_no_word_with_the_question(tree: Path) -> None:
    make_project(write_day(tree, f"{TWINS[0]} lease", "Moved the crane"))
    Follower().follow()

    found = search(TWINS[1])

    assert entries(found)[0] == f"{TWINS[0]} lease"
    assert found.total == len(found.items)
    assert found.facets["kind"]["entry"] == len(entries(found))
    assert 0 < found.items[0].relevance < 0.5


def test_hits_have_refs_that_open(tree: Path, browser: Client) -> None:
    make_project(write_day(tree, "Fixed the lease manager"))
    Follower().follow()

    page = browser.get("/dock/search/", {"q": "lease"})

    assert page.status_code == 200
    assert "Fixed the lease manager" in page.text.replace("<mark>", "").replace("</mark>", "")
    [hit] = [hit for hit in search("lease").items if hit.kind == "entry"]
    assert hit.ref.startswith("entry:")


def test_everything_else_is_found_by_words(tree: Path) -> None:
    make_tree(tree, {}, **{"PROJECT.md": "# Harbor\nThe lease manager listens on 4242.\n"})
    make_project(write_day(tree, "Moved the crane"))
    Follower().follow()

    assert search("lease manager").items[0].ref == "file:harbor/PROJECT.md"


def test_filters_hold_for_what_milvus_finds(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write_day(tree, "Early lease", day="2026-01-05")
    make_project(write_day(tree, "Late lease"))
    make_project(write_day(other, "Foreign lease"))
    Follower().follow()

    assert set(entries(search(f"{TWINS[1]} lease"))) == {"Early lease", "Late lease", "Foreign lease"}
    assert entries(search(f"{TWINS[1]} lease since:2026-02-01 project:harbor")) == ["Late lease"]
    assert set(entries(search("lease -late"))) == {"Early lease", "Foreign lease"}
    assert entries(search('"early lease"')) == ["Early lease"]
    assert entries(search("lease kind:session")) == []
    assert entries(search("lease", sort="time"))[-1] == "Early lease"


def test_hostile_questions_are_only_text(tree: Path) -> None:
    make_project(write_day(tree, "Fixed the lease manager"))
    Follower().follow()

    for text in ('lease" or "x', "lease' } [ ( %", 'source == "x"', "lease \\ \0 \n", "lease " * 4000, "€ 汉字 lease"):
        assert entries(search(text)) == ["Fixed the lease manager"] or "source" in text
        assert search(text).hint == ""


def test_a_line_that_moved_is_not_mistaken_for_another(tree: Path) -> None:
    project = make_project(write_day(tree, f"{TWINS[0]} lease", "Moved the crane"))
    Follower().follow()
    write_day(tree, "Something new", f"{TWINS[0]} lease", "Moved the crane")
    read_again(project)

    assert f"{TWINS[0]} lease" not in entries(search(TWINS[1]))
    Follower().follow()
    assert entries(search(TWINS[1]))[0] == f"{TWINS[0]} lease"


def test_words_answer_alone_while_milvus_is_away(tree: Path, settings: Settings, browser: Client) -> None:
    make_project(write_day(tree, "Fixed the lease manager"))
    index.follow()
    settings.MILVUS_URI = "http://127.0.0.1:1"
    asking.forget()

    found = search("lease")

    assert entries(found) == ["Fixed the lease manager"]
    assert found.hint.startswith(
        "Milvus could not be asked; this was found by words alone. Milvus at http://127.0.0.1:1"
    )
    assert browser.get("/dock/search/", {"q": "lease"}).status_code == 200
    assert check().state == "warn"
    assert "words alone" in check().text


def test_words_answer_alone_while_the_endpoint_is_away(tree: Path, endpoint: Endpoint) -> None:
    make_project(write_day(tree, "Fixed the lease manager"))
    Follower().follow()
    endpoint.first += [(401, {}, b"{}")] * 4

    found = search("lease")

    assert entries(found) == ["Fixed the lease manager"]
    assert "HTTP 401" in found.hint


def test_the_doctor_says_what_milvus_holds(tree: Path) -> None:
    make_project(write_day(tree, "Fixed the lease manager"))
    index.follow()
    assert check().state == "ok"

    Follower().follow()

    assert check().state == "ok"
    assert "Milvus holds 1 chunk of 1 project" in check().text


def test_the_doctor_sees_another_models_collection(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(write_day(tree, "Fixed the lease manager"))
    index.follow()
    Follower().follow()
    monkeypatch.setenv("MEMDOCK_EMBEDDING", "wordllama")
    meaning.reset()

    assert check().state == "warn"
    assert "harbor" in check().text


def test_an_entry_with_headings_of_its_own_is_one_hit(tree: Path) -> None:
    body = "- Report\n#### Lease\nlease of berth 4\n#### More lease\nlease of berth 5"
    make_tree(tree, {"2026-03-14": make_entry_text(body=body)})
    make_project(tree)
    Follower().follow()

    assert entries(search("lease")) == ["Report"]
