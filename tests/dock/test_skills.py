"""The pages of skills."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memory.models import Project
from memory.projects import sync
from memory.skills.store import blob_hash
from tests.makers import make_entry_text, make_project, make_tree

HTMX = {"HX-Request": "true"}
LIST = "/dock/skills/"


def write_skill(root: Path, slug: str, *, body: str = "# Read tides\n\nLook.\n", **record: Any) -> None:
    folder = root / ".memsearch" / "skill-candidates" / slug
    folder.mkdir(parents=True, exist_ok=True)
    skill = f"---\nname: {slug}\ndescription: About {slug}\n---\n\n{body}".encode()
    (folder / "SKILL.md").write_bytes(skill)
    values = {"name": slug, "status": "candidate", "content_hash": blob_hash(skill), "occurrences": 3} | record
    (folder / "meta.json").write_text(json.dumps(values))


def install(root: Path, slug: str) -> None:
    write_skill(root, slug)
    skill = root / ".memsearch" / "skill-candidates" / slug / "SKILL.md"
    write_skill(root, slug, status="installed", installed_hash=blob_hash(skill.read_bytes()))


def make_skills(root: Path, *slugs: str) -> Project:
    make_tree(root)
    for slug in slugs:
        write_skill(root, slug)
    return make_project(root)


def page_of(slug: str, project: str = "harbor") -> str:
    return reverse("dock:skill-detail", args=[project, slug])


def slugs(answer: Any) -> list[str]:
    return [row.slug for row in answer.context["page"].rows]


def test_shows_what_waits_first(browser: Client, sample: Project) -> None:
    answer = browser.get(LIST)
    page = answer.context["page"]
    assert page.state == "waiting"
    assert set(slugs(answer)) >= set(sample.skills.exclude(pending="").values_list("slug", flat=True))
    counts = {tab.label: tab.count for tab in page.tabs}
    assert (counts["To review"], counts["Installed"], counts["Broken"], counts["All"]) == (len(slugs(answer)), 2, 1, 4)


def test_shows_all_where_nothing_waits(browser: Client, tree: Path) -> None:
    install(tree, "tide")
    make_project(tree)
    assert browser.get(LIST).context["page"].state == "all"
    assert "Nothing waits" in browser.get(LIST, {"state": "waiting"}).content.decode()


@pytest.mark.parametrize(
    ("state", "expected"), [("installed", ["kept"]), ("broken", ["odd"]), ("all", ["kept", "new", "odd"])]
)
def test_filters_by_state(browser: Client, tree: Path, state: str, expected: list[str]) -> None:
    install(tree, "kept")
    write_skill(tree, "new")
    write_skill(tree, "odd", status="asleep")
    make_project(tree)
    assert slugs(browser.get(LIST, {"state": state})) == expected


def test_finds_skills_by_their_words(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide-tables", "crane-shift")
    assert slugs(browser.get(LIST, {"q": "ABOUT CRANE"})) == ["crane-shift"]


def test_ignores_a_filter_that_cannot_be_one(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    assert slugs(browser.get(LIST, {"state": "?", "q": "\0", "cursor": "!"})) == ["tide"]


def test_pages_without_losing_or_repeating_a_skill(browser: Client, tree: Path) -> None:
    names = [f"skill-{number:03}" for number in range(60)]
    make_skills(tree, *names)
    first = browser.get(LIST)
    second = browser.get(first.context["page"].next_url)
    assert slugs(first) + slugs(second) == names


def test_asks_the_database_the_same_for_one_row_and_for_twenty(browser: Client, tmp_path: Path) -> None:
    counts = []
    for count in (1, 20):
        make_skills(tmp_path / f"p{count}", *(f"s{number}" for number in range(count)))
        with CaptureQueriesContext(connection) as told:
            browser.get(LIST, {"project": f"p{count}"})
        counts.append(len(told))
    assert counts[0] == counts[1]


def test_answers_htmx_with_the_rows_alone(browser: Client, sample: Project) -> None:
    told = browser.get(LIST, headers=HTMX).content.decode()
    assert told.strip().startswith('<div id="rows"')
    assert "<html" not in told


@pytest.mark.parametrize("url", [LIST, "/dock/skills/harbor/tide/"])
def test_asks_strangers_to_sign_in(client: Client, db: None, url: str) -> None:
    assert client.get(url)["Location"].startswith("/dock/sign-in/")


@pytest.mark.parametrize("url", [LIST, "/dock/skills/harbor/tide/"])
def test_takes_no_post(browser: Client, url: str) -> None:
    assert browser.post(url).status_code == 405


def test_says_what_fills_an_empty_list(browser: Client) -> None:
    assert "No skills yet" in browser.get(LIST).content.decode()


def test_renders_a_skill_with_its_front_matter(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    text = browser.get(page_of("tide"), {"view": "rendered"}).context["page"].text
    assert text.fields == [("name", "tide"), ("description", "About tide")]
    assert "Look." in text.html


def test_shows_the_source_with_a_permalink_for_each_line(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    told = browser.get(page_of("tide"), {"view": "source"}).content.decode()
    assert '<tr id="L2"><td class="ln"><a href="#L2">2</a></td>' in told
    assert "description" in told


@pytest.mark.parametrize("view", ["changes", "rendered", "source", "history"])
def test_makes_hidden_characters_of_every_view_visible(browser: Client, tree: Path, view: str) -> None:
    make_tree(tree)
    write_skill(tree, "tide", body="# Tide\n\n`rm \u202e-rf` a\u200bb\n")
    make_project(tree)
    told = browser.get(page_of("tide"), {"view": view}).content.decode()
    assert "U+202E" in told and "\u202e" not in told and "\u200b" not in told
    assert "2 hidden or direction-changing characters" in told


def test_makes_hidden_characters_of_the_source_visible(browser: Client, tree: Path) -> None:
    make_tree(tree)
    write_skill(tree, "tide", body="# Tide\n\nrm \u202ex\u2066 a\u200bb \U000e0041\n")
    make_project(tree)
    told = browser.get(page_of("tide"), {"view": "source"}).content.decode()
    assert all(f">U+{code}</span>" in told for code in ("202E", "2066", "200B", "E0041"))
    assert not set("\u202e\u2066\u200b\U000e0041") & set(told)
    assert "4 hidden or direction-changing characters" in browser.get(page_of("tide")).content.decode()


def test_shows_what_a_revision_changed(browser: Client, tree: Path) -> None:
    project = make_skills(tree, "tide")
    write_skill(tree, "tide", body="# Read tides\n\nLook twice.\n")
    sync.sync(project, at=timezone.now())
    page = browser.get(page_of("tide"), {"view": "history"}).context["page"]
    assert [item.number for item in page.text.history.items] == [2, 1]
    rows = page.text.history.diff.rows
    assert [(row.kind, row.number, row.text) for row in rows if row.kind in {"add", "del"}] == [
        ("del", 8, "Look."),
        ("add", 8, "Look twice."),
    ]


def test_shows_the_first_revision_as_added(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    diff = browser.get(page_of("tide"), {"view": "history", "revision": "1"}).context["page"].text.history.diff
    assert (diff.before, diff.removed) == (0, 0)
    assert {row.kind for row in diff.rows} == {"add"}


@pytest.mark.parametrize(
    "query",
    [
        {"view": "upside-down"},
        {"view": "history", "revision": "99999999999999999999"},
        {"view": "history", "revision": "²"},
    ],
)
def test_answers_an_odd_view_with_a_page(browser: Client, tree: Path, query: dict[str, str]) -> None:
    make_skills(tree, "tide")
    assert browser.get(page_of("tide"), query).status_code == 200


def test_opens_the_journals_that_a_skill_cites(browser: Client, tree: Path) -> None:
    make_tree(tree, {"2026-01-05": make_entry_text(body="- Read the tides")})
    cited = [".memsearch/memory/2026-01-05.md", ".memsearch/memory/2026-01-06.md", "/etc/passwd", "javascript:alert(1)"]
    write_skill(tree, "tide", sources=cited)
    project = make_project(tree)
    sources = browser.get(page_of("tide")).context["page"].evidence.cited
    assert [source.day_url for source in sources] == ["/dock/journals/2026-01-05/?project=harbor", "", "", ""]
    assert sources[0].entry_url == reverse("dock:entry-detail", args=[project.entries.get().pk])
    assert "Read the tides" in sources[0].html
    assert [bool(source.problem) for source in sources] == [False, True, True, True]


def test_says_everything_that_is_wrong_with_a_broken_skill(browser: Client, tree: Path) -> None:
    make_tree(tree)
    write_skill(tree, "tide", status="asleep", occurrences="many")
    make_project(tree)
    told = html.unescape(browser.get(page_of("tide")).content.decode())
    assert "has the unknown status 'asleep'." in told
    assert 'has a value of "occurrences" that is not a count.' in told


def test_lists_keys_that_it_does_not_know(browser: Client, tree: Path) -> None:
    make_tree(tree)
    write_skill(tree, "tide", colour={"hue": "<b>blue</b>"})
    make_project(tree)
    told = browser.get(page_of("tide")).content.decode()
    assert "colour" in told and "&lt;b&gt;blue" in told and "<b>blue" not in told


def test_leads_to_the_skills_before_and_after(browser: Client, tree: Path) -> None:
    make_skills(tree, "a", "b", "c")
    page = browser.get(page_of("b")).context["page"]
    assert (page.head.previous_url, page.head.next_url) == (page_of("a"), page_of("c"))
    assert browser.get(page_of("a")).context["page"].head.previous_url == ""


@pytest.mark.parametrize("slug", ["ñandú 100%", "what?#", '"><script>alert(1)<', "<img src=x>", "~tilde"])
def test_links_to_skills_with_odd_names(browser: Client, tree: Path, slug: str) -> None:
    make_skills(tree, slug)
    [row] = browser.get(LIST, {"state": "all"}).context["page"].rows
    page = browser.get(row.url)
    assert page.context["page"].slug == slug
    assert "<script>alert" not in page.content.decode() and "<img src=x" not in page.content.decode()


def test_answers_404_for_an_unknown_skill(browser: Client, sample: Project) -> None:
    assert browser.get(page_of("nothing", "harbor-api")).status_code == 404
    assert browser.get(page_of("import-tide-tables", "nowhere")).status_code == 404


def test_refreshes_a_skill_as_a_fragment(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    told = browser.get(page_of("tide"), headers=HTMX).content.decode()
    assert told.strip().startswith('<div id="skill">')
    assert "<html" not in told
