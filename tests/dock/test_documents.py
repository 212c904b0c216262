"""The pages of PROJECT.md and USER.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.models import Project
from memory.projects import sync
from tests.makers import make_project, make_tree

HTMX = {"HX-Request": "true"}
LIST = "/dock/documents/"
PAGE = "/dock/documents/harbor/PROJECT.md/"


def make_document(root: Path, text: str) -> Project:
    return make_project(write(root, text))


def write(root: Path, text: str) -> Path:
    make_tree(root)
    (root / ".memsearch" / "PROJECT.md").write_text(text)
    return root


def test_lists_the_documents_of_every_project(browser: Client, sample: Project, tree: Path) -> None:
    make_document(tree, "# Harbor\n\nA port.\n")
    rows = browser.get(LIST).context["page"].rows
    assert [(row.project, row.name) for row in rows] == [
        ("harbor", "PROJECT.md"),
        ("harbor-api", "PROJECT.md"),
        ("harbor-api", "USER.md"),
    ]
    assert rows[0].beginning == "A port."


def test_lists_one_project(browser: Client, sample: Project, tree: Path) -> None:
    make_document(tree, "# Harbor\n")
    rows = browser.get(LIST, {"project": "harbor"}).context["page"].rows
    assert [row.url for row in rows] == [PAGE]


def test_says_who_writes_documents_where_there_are_none(browser: Client) -> None:
    assert "maintenance writes PROJECT.md and USER.md" in browser.get(LIST).content.decode()


def test_asks_the_database_the_same_for_one_project_and_for_six(browser: Client, tmp_path: Path) -> None:
    counts = []
    for count in (1, 5):
        for number in range(count):
            make_document(tmp_path / f"p{count}-{number}", "# P\n")
        with CaptureQueriesContext(connection) as told:
            browser.get(LIST)
        counts.append(len(told))
    assert counts[0] == counts[1]


def test_answers_htmx_with_a_fragment(browser: Client, tree: Path) -> None:
    make_document(tree, "# Harbor\n")
    for url, name in ((LIST, "rows"), (PAGE, "document")):
        told = browser.get(url, headers=HTMX).content.decode()
        assert told.strip().startswith(f'<div id="{name}"')
        assert "<html" not in told


@pytest.mark.parametrize("url", [LIST, PAGE])
def test_asks_strangers_to_sign_in(client: Client, db: None, url: str) -> None:
    assert client.get(url)["Location"].startswith("/dock/sign-in/")


@pytest.mark.parametrize("url", [LIST, PAGE])
def test_takes_no_post(browser: Client, url: str) -> None:
    assert browser.post(url).status_code == 405


def test_renders_a_document(browser: Client, tree: Path) -> None:
    make_document(tree, "# Harbor\n\nA port of **medium** size.\n<script>alert(1)</script>\n")
    told = browser.get(PAGE).content.decode()
    assert "medium" in told
    assert "<script>alert" not in told


def test_shows_the_source_of_a_document(browser: Client, tree: Path) -> None:
    make_document(tree, "# Harbor\n\n<b>x</b>\n")
    told = browser.get(PAGE, {"view": "source"}).content.decode()
    assert '<tr id="L3">' in told and "&lt;b&gt;" in told


def test_shows_an_empty_document_as_empty(browser: Client, tree: Path) -> None:
    make_document(tree, "")
    assert "This file is empty" in browser.get(PAGE).content.decode()
    assert browser.get(PAGE, {"view": "source"}).status_code == 200


def test_compares_a_revision_with_the_one_before(browser: Client, tree: Path) -> None:
    lines = [f"line {number}" for number in range(40)]
    project = make_document(tree, "\n".join(lines))
    for changed in ("ten", "TEN"):
        lines[10] = changed
        write(tree, "\n".join(lines))
        sync.sync(project, at=timezone.now())
    diff = browser.get(PAGE, {"view": "history", "revision": "2"}).context["page"].reading.history.diff
    assert [(row.kind, row.number) for row in diff.rows] == [
        ("fold", 7), ("same", 8), ("same", 9), ("same", 10), ("del", 11), ("add", 11),
        ("same", 12), ("same", 13), ("same", 14), ("fold", 26),
    ]  # fmt: skip
    assert [row.text for row in diff.rows if row.kind in {"add", "del"}] == ["line 10", "ten"]


def test_compares_no_texts_that_differ_in_everything(browser: Client, tree: Path) -> None:
    project = make_document(tree, "\n".join(f"a{number}" for number in range(5000)))
    write(tree, "\n".join(f"b{number}" for number in range(5000)))
    sync.sync(project, at=timezone.now())
    assert "too many lines" in browser.get(PAGE, {"view": "history"}).content.decode()


def test_shows_a_long_source_without_a_row_a_line(browser: Client, tree: Path) -> None:
    make_document(tree, "x <y>\n" * 5000)
    source = browser.get(PAGE, {"view": "source"}).context["page"].reading.source
    assert source.lines == []
    assert source.block.startswith("     1  x &lt;y&gt;\n     2  x")


@pytest.mark.parametrize(
    "url", ["/dock/documents/harbor/USER.md/", "/dock/documents/x/USER.md/", "/dock/documents/harbor/~AA/"]
)
def test_answers_404_for_an_unknown_document(browser: Client, tree: Path, url: str) -> None:
    make_document(tree, "# Harbor\n")
    assert browser.get(url).status_code == 404
