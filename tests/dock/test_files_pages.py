"""The pages of the file browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from dock.files import PREVIEW_LIMIT
from memory.models import Project
from tests.makers import make_entry_text, make_project, make_tree

HTMX = {"HX-Request": "true"}
PAGE = "/dock/files/harbor/"
BRANCH = f"{PAGE}branch/"
RAW = f"{PAGE}raw/"
TRAVERSAL = [
    "../../etc/passwd", "/etc/passwd", "memory/../../secret", "..%2f..%2fetc%2fpasswd", "%252e%252e%252f",
    "memory\\..\\..\\x", "memory/2026-01-05.md\0.png", "..", "memory/..", "./memory", "memory//x", "x" * 5000,
]  # fmt: skip


@pytest.fixture
def harbor(db: None, tree: Path) -> Project:
    make_tree(tree, {"2026-01-05": make_entry_text(), "2026-01-06": make_entry_text("10:00")})
    memory = tree / ".memsearch"
    (memory / "PROJECT.md").write_text("# Harbor\n")
    (memory / "state.json").write_text('{"a": 1}\n')
    skill = memory / "skill-candidates" / "tide"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tide\n---\n# Tide\n")
    return make_project(tree)


def put(tree: Path, path: str, data: bytes) -> None:
    (tree / ".memsearch" / path).write_bytes(data)


def content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def pane(answer: Any) -> Any:
    return answer.context["page"].pane


def names(branch: Any) -> list[str]:
    return [node.name for node in branch.nodes]


def test_opens_the_only_project_at_once(browser: Client, harbor: Project) -> None:
    assert browser.get("/dock/files/")["Location"] == PAGE


def test_lets_choose_among_several_projects(browser: Client, harbor: Project, sample: Project) -> None:
    told = browser.get("/dock/files/").content.decode()
    assert PAGE in told and "/dock/files/harbor-api/" in told
    assert browser.get("/dock/files/", {"project": "harbor-api"})["Location"] == "/dock/files/harbor-api/"


def test_says_what_to_do_without_a_project(browser: Client) -> None:
    assert "Add a project" in browser.get("/dock/files/").content.decode()


def test_shows_the_tree_that_is_on_disk(browser: Client, harbor: Project) -> None:
    answer = browser.get(PAGE)
    assert names(answer.context["page"].tree) == ["memory", "skill-candidates", "PROJECT.md", "state.json"]
    assert [row.name for row in pane(answer).folder.rows] == names(answer.context["page"].tree)


def test_shows_the_newest_day_first(browser: Client, harbor: Project) -> None:
    rows = pane(browser.get(PAGE, {"path": "memory"})).folder.rows
    assert [row.name for row in rows] == ["2026-01-06.md", "2026-01-05.md"]


def test_opens_the_folders_that_lead_to_the_open_file(browser: Client, harbor: Project) -> None:
    answer = browser.get(PAGE, {"path": "skill-candidates/tide/SKILL.md"})
    memory, skills, *_ = answer.context["page"].tree.nodes
    assert memory.group is None
    [tide] = skills.group.nodes
    [skill] = tide.group.nodes
    assert skill.is_selected
    assert answer.content.decode().count('aria-selected="true"') == 1


def test_leads_a_closed_folder_to_its_branch(browser: Client, harbor: Project) -> None:
    told = browser.get(PAGE).content.decode()
    assert f'aria-expanded="false" tabindex="-1" data-src="{BRANCH}?path=memory"' in told


def test_answers_a_branch_as_a_group_alone(browser: Client, harbor: Project) -> None:
    answer = browser.get(BRANCH, {"path": "memory"}, headers=HTMX)
    told = answer.content.decode()
    assert told.strip().startswith('<ul role="group"')
    assert told.strip().endswith("</ul>")
    assert names(answer.context["branch"]) == ["2026-01-06.md", "2026-01-05.md"]


def test_keeps_the_open_file_selected_when_its_branch_is_read_again(browser: Client, harbor: Project) -> None:
    current = {"HX-Current-URL": f"http://testserver{PAGE}?path=memory%2F2026-01-05.md"}
    nodes = browser.get(BRANCH, {"path": "memory"}, headers=HTMX | current).context["branch"].nodes
    assert [node.is_selected for node in nodes] == [False, True]


def test_refreshes_the_tree_for_the_file_that_is_open_by_now(browser: Client, harbor: Project) -> None:
    current = {"HX-Target": "tree", "HX-Current-URL": f"http://testserver{PAGE}?path=memory%2F2026-01-05.md"}
    answer = browser.get(PAGE, headers=HTMX | current)
    assert answer.content.decode().startswith('<ul class="tree" role="tree"')
    assert answer.context["page"].tree.nodes[0].group is not None


def test_answers_htmx_with_the_file_alone(browser: Client, harbor: Project) -> None:
    told = browser.get(PAGE, {"path": "PROJECT.md"}, headers=HTMX | {"HX-Target": "pane"}).content.decode()
    assert told.startswith('<section class="panel" id="pane"')
    assert "<html" not in told
    assert "<title>PROJECT.md · harbor · MemDock</title>" in told


def test_answers_a_restore_from_history_with_the_whole_page(browser: Client, harbor: Project) -> None:
    assert "<html" in browser.get(PAGE, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()


def test_sends_htmx_to_the_page_where_a_file_is_gone(browser: Client, harbor: Project) -> None:
    answer = browser.get(PAGE, {"path": "gone.md"}, headers=HTMX | {"HX-Target": "pane"})
    assert (answer.status_code, answer["HX-Redirect"]) == (404, f"{PAGE}?path=gone.md")


def test_renders_markdown_or_shows_its_text(browser: Client, harbor: Project, tree: Path) -> None:
    put(tree, "PROJECT.md", b"# Harbor\n\n**strong** <script>alert(1)</script>\n")
    rendered = browser.get(PAGE, {"path": "PROJECT.md"}).content.decode()
    assert "<strong>strong</strong>" in rendered and "<script>alert" not in rendered
    text = browser.get(PAGE, {"path": "PROJECT.md", "view": "text"}).content.decode()
    assert '<tr id="L3">' in text and "**strong** &lt;script&gt;" in text


def test_shows_long_markdown_as_text_unless_asked(browser: Client, harbor: Project, tree: Path) -> None:
    put(tree, "long.md", b"word " * 20_000)
    assert pane(browser.get(PAGE, {"path": "long.md"})).file.source
    assert pane(browser.get(PAGE, {"path": "long.md", "view": "rendered"})).file.html


def test_leads_a_day_to_its_journal_and_a_document_to_its_page(browser: Client, harbor: Project) -> None:
    assert pane(browser.get(PAGE, {"path": "memory/2026-01-05.md"})).file.page_url == (
        "/dock/journals/2026-01-05/?project=harbor"
    )
    assert pane(browser.get(PAGE, {"path": "PROJECT.md"})).file.page_url == "/dock/documents/harbor/PROJECT.md/"
    assert pane(browser.get(PAGE, {"path": "state.json"})).file.page_url == ""


def test_offers_both_ends_of_a_large_file(browser: Client, harbor: Project, tree: Path) -> None:
    put(tree, "big.txt", b"first\n" + b"x" * PREVIEW_LIMIT + b"\nlast\n")
    head, tail = (pane(browser.get(PAGE, {"path": "big.txt", "part": part})).file for part in ("head", "tail"))
    assert head.words == "262,144 of 262,156 bytes"
    assert [(tab.label, tab.is_current) for tab in head.parts] == [("Start", True), ("End", False)]
    assert head.source.lines[0] == (1, "first")
    assert tail.source.block.endswith("\nlast\n") and not tail.source.lines


@pytest.mark.parametrize("size", [PREVIEW_LIMIT - 1, PREVIEW_LIMIT])
def test_offers_no_parts_of_a_file_that_fits(browser: Client, harbor: Project, tree: Path, size: int) -> None:
    put(tree, "fits.txt", b"x" * size)
    file = pane(browser.get(PAGE, {"path": "fits.txt"})).file
    assert (file.parts, file.words) == ([], f"{size:,} bytes")


def test_shows_a_file_of_very_many_lines_without_a_row_each(browser: Client, harbor: Project, tree: Path) -> None:
    put(tree, "many.txt", b"x\n" * 20_000)
    source = pane(browser.get(PAGE, {"path": "many.txt"})).file.source
    assert not source.lines and source.block.endswith(" 20000  x")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.md", b"", "This file is empty."),
        ("a.db", b"\0\1\2", "no preview"),
        ("w.txt", b"\xff\xfea\0b\0", "no preview"),
    ],
)
def test_says_why_there_is_no_preview(
    browser: Client, harbor: Project, tree: Path, name: str, data: bytes, said: str
) -> None:
    put(tree, name, data)
    answer = browser.get(PAGE, {"path": name})
    assert answer.status_code == 200
    assert said in answer.content.decode()


@pytest.mark.parametrize("path", TRAVERSAL)
def test_answers_every_way_out_of_the_tree_alike(browser: Client, harbor: Project, path: str) -> None:
    answer = browser.get(PAGE, {"path": path})
    assert answer.status_code == 404
    assert pane(answer).error == pane(browser.get(PAGE, {"path": "gone"})).error
    assert browser.get(BRANCH, {"path": path}).status_code == 404
    assert browser.get(RAW, {"path": path}).status_code == 404


@pytest.mark.parametrize("path", [".index-state.json", "skill-candidates/.git/config", "memory/.hidden"])
def test_treats_what_is_hidden_as_missing(browser: Client, harbor: Project, tree: Path, path: str) -> None:
    (tree / ".memsearch" / path).parent.mkdir(parents=True, exist_ok=True)
    put(tree, path, b"secret")
    for url in (PAGE, BRANCH, RAW):
        answer = browser.get(url, {"path": path})
        assert answer.status_code == 404
        assert b"secret" not in answer.content


@pytest.mark.parametrize("target", ["/etc/hostname", "nowhere", "PROJECT.md"])
def test_lists_links_and_never_follows_them(browser: Client, harbor: Project, tree: Path, target: str) -> None:
    (tree / ".memsearch" / "link.md").symlink_to(target)
    listed = next(row for row in pane(browser.get(PAGE)).folder.rows if row.name == "link.md")
    assert (listed.url, listed.note[:4]) == ("", "link")
    answer = browser.get(PAGE, {"path": "link.md"})
    assert (answer.status_code, pane(answer).error) == (403, "This is a link; links are not followed.")
    assert browser.get(RAW, {"path": "link.md"}).status_code == 404


def test_does_not_wait_for_a_pipe(browser: Client, harbor: Project, tree: Path) -> None:
    os.mkfifo(tree / ".memsearch" / "pipe")
    assert browser.get(PAGE, {"path": "pipe"}).status_code == 403
    assert browser.get(RAW, {"path": "pipe"}).status_code == 404


@pytest.mark.parametrize(
    "name", ["<svg onload=alert(1)>.md", "a b&c.txt", "ñandú%20.md", "what?#x.txt", "\"'.txt", "_x"]
)
def test_opens_files_with_odd_names(browser: Client, harbor: Project, tree: Path, name: str) -> None:
    put(tree, name, b"odd one\n")
    row = next(row for row in pane(browser.get(PAGE)).folder.rows if row.name == name)
    for url in (row.url, PAGE):
        assert "<svg onload" not in browser.get(url).content.decode()
    assert "odd one" in browser.get(row.url).content.decode()
    raw = browser.get(pane(browser.get(row.url)).file.download_url)
    assert content(raw) == b"odd one\n"
    assert "\n" not in raw["Content-Disposition"] and raw["Content-Disposition"].startswith("attachment")


def test_lists_a_name_that_cannot_be_opened(browser: Client, harbor: Project, tree: Path) -> None:
    Path(os.fsdecode(bytes(tree / ".memsearch") + b"/bad\xff.md")).write_text("x")
    row = next(row for row in pane(browser.get(PAGE)).folder.rows if row.name.startswith("bad"))
    assert (row.url, row.note) == ("", "name cannot be opened")


def test_pages_a_folder_with_very_many_names(browser: Client, harbor: Project, tree: Path) -> None:
    for number in range(320):
        put(tree, f"skill-candidates/n{number:03}.txt", b"")
    first = browser.get(PAGE, {"path": "skill-candidates"})
    assert (len(pane(first).folder.rows), pane(first).folder.earlier_url) == (200, "")
    second = pane(browser.get(pane(first).folder.later_url)).folder
    assert (len(second.rows), second.later_url) == (121, "")
    assert second.earlier_url == f"{PAGE}?path=skill-candidates"
    branch = first.context["page"].tree.nodes[1].group
    assert (len(branch.nodes), branch.more) == (200, 121)
    assert "121 more" in first.content.decode()


def test_says_how_many_names_it_leaves_out(browser: Client, harbor: Project, tree: Path) -> None:
    put(tree, ".maintenance.lock", b"")
    assert "1 name of tools left out" in browser.get(PAGE).content.decode()


@pytest.mark.parametrize("url", ["/dock/files/", PAGE, BRANCH, RAW])
def test_asks_strangers_to_sign_in(client: Client, db: None, url: str) -> None:
    assert client.get(url)["Location"].startswith("/dock/sign-in/")


@pytest.mark.parametrize("url", ["/dock/files/", PAGE, BRANCH, RAW])
def test_takes_no_post(browser: Client, url: str) -> None:
    assert browser.post(url).status_code == 405


@pytest.mark.parametrize("url", ["/dock/files/nowhere/", "/dock/files/nowhere/branch/", "/dock/files/nowhere/raw/"])
def test_answers_404_for_an_unknown_project(browser: Client, db: None, url: str) -> None:
    assert browser.get(url).status_code == 404


def test_never_shows_the_working_directory_for_a_project_without_a_folder(browser: Client) -> None:
    Project.objects.create(name="harbor")
    answer = browser.get(PAGE)
    assert (answer.status_code, pane(answer).error) == (404, "This project has no memory folder.")
    assert answer.context["page"].tree is None
    assert browser.get(BRANCH).status_code == 404
    assert browser.get(RAW, {"path": "pyproject.toml"}).status_code == 404


def test_says_that_the_folder_is_gone(browser: Client, harbor: Project, tree: Path) -> None:
    (tree / ".memsearch").rename(tree / "moved")
    answer = browser.get(PAGE, {"path": "memory"})
    assert answer.status_code == 404
    assert "has no memory folder" in answer.content.decode()


def test_asks_the_database_the_same_for_few_and_many_files(browser: Client, harbor: Project, tree: Path) -> None:
    counts = []
    for count in (1, 20):
        for number in range(count):
            put(tree, f"n{number}.txt", b"x")
        with CaptureQueriesContext(connection) as told:
            browser.get(PAGE)
        counts.append(len(told))
    assert counts[0] == counts[1]


@settings(max_examples=60)
@given(
    path=st.text(max_size=30)
    | st.lists(st.sampled_from(["..", ".", "", "memory", "PROJECT.md", "\0", "\\", "~"])).map("/".join)
)
def test_answers_any_path_without_an_error(browser: Client, harbor: Project, path: str) -> None:
    query = {"path": path.encode("utf-8", "replace").decode(), "part": path[:4], "view": path[:4], "start": path[:3]}
    assert browser.get(PAGE, query).status_code in {200, 403, 404}
    assert browser.get(BRANCH, query).status_code in {200, 404}
