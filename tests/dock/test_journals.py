"""Pages of journals: the index with its heat map, and the page of a day."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from memory.models import Project
from tests.makers import make_entry_text, make_project, make_tree

DAY = "/dock/journals/2026-01-15/"


def show(browser: Client, path: str, **headers: str) -> str:
    response = browser.get(path, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def titles(page: str) -> list[str]:
    return re.findall(r'<h4 class="row-title"><a [^>]*>(.*?)</a>', page)


def entries(count: int, **over: str) -> str:
    return "".join(make_entry_text(turn=str(turn), body=f"- Entry {turn}", **over) for turn in range(1, count + 1))


def test_shows_the_newest_day_and_the_whole_count(browser: Client, sample: Project) -> None:
    page = show(browser, "/dock/journals/")
    assert "87 entries on 10 days" in page
    assert "Thursday 15 January 2026" in page
    assert page.count('<li class="row" id="entry-') == 9


def test_links_each_day_of_the_heat_map(browser: Client, sample: Project) -> None:
    page = show(browser, "/dock/journals/?project=harbor-api")
    labels = re.findall(r'<td data-level="\d"[^>]*><a href="([^"]+)" tabindex="(-?\d)" aria-label="([^"]+)"', page)
    assert len(labels) == 10
    assert ("/dock/journals/2026-01-15/?project=harbor-api", "0", "15 Jan 2026: 9 entries") in labels
    assert [tabindex for _, tabindex, _ in labels].count("0") == 1


def test_offers_earlier_years_only_where_there_is_something(browser: Client, tree: Path) -> None:
    make_project(make_tree(tree, {"2023-05-02": make_entry_text(), "2026-01-15": make_entry_text()}))
    newest = show(browser, "/dock/journals/")
    earlier = re.search(r'href="([^"]+)" aria-label="A year earlier"', newest)
    assert earlier and "A year later" not in newest
    assert "15 Jan 2026: 1 entry" not in show(browser, earlier[1])
    oldest = show(browser, "/dock/journals/2023-05-02/")
    assert "2 May 2023: 1 entry" in oldest
    assert "A year later" in oldest and "A year earlier" not in oldest


def test_goes_to_the_day_of_the_date_field(browser: Client, sample: Project) -> None:
    response = browser.get("/dock/journals/?day=2026-01-07&project=harbor-api")
    assert response.status_code == 302
    assert response["Location"] == "/dock/journals/2026-01-07/?project=harbor-api"


@pytest.mark.parametrize("query", ["day=yesterday", "until=2026-99-99", "cursor=%00", "q=%00", "platform=%00"])
def test_leaves_out_what_it_cannot_read(browser: Client, sample: Project, query: str) -> None:
    assert len(titles(show(browser, f"/dock/journals/?{query}"))) == 9


def test_groups_the_day_by_session_in_the_order_of_the_file(browser: Client, tree: Path) -> None:
    text = (
        make_entry_text("09:00", session="one", turn="1", body="- A")
        + make_entry_text("09:10", session="two", turn="1", body="- B")
        + make_entry_text("09:20", session="one", turn="2", body="- C")
    )
    make_project(make_tree(tree, {"2026-01-15": text}))
    page = show(browser, DAY)
    assert titles(page) == ["A", "C", "B"]
    assert "one</span> · 09:00 to 09:20 · 2 entries" in page
    assert "two</span> · 09:10 · 1 entry" in page


def test_shows_what_has_no_session_under_its_heading(browser: Client, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-15": "## Session 08:55\n\n### 09:00\n- By hand\n"}))
    page = show(browser, DAY)
    assert "Without a session, 08:55" in page
    assert titles(page) == ["By hand"]


def test_says_when_times_are_out_of_order(browser: Client, tree: Path) -> None:
    make_project(
        make_tree(
            tree,
            {
                "2026-01-14": make_entry_text("14:45") + make_entry_text("14:52"),
                "2026-01-15": make_entry_text("14:52", turn="a") + make_entry_text("14:45", turn="b"),
            },
        )
    )
    assert "In the order of the file" in show(browser, DAY)
    assert "In the order of the file" not in show(browser, "/dock/journals/2026-01-14/")


def test_counts_empty_session_headings_and_shows_none(browser: Client, tree: Path) -> None:
    text = "## Session 05:29\n\n\n## Session 14:46\n\n\n## Session 15:00\n\n" + make_entry_text("14:52")
    make_project(make_tree(tree, {"2026-01-15": text}))
    page = show(browser, DAY)
    assert "Two session headings in this file have no entries and are not shown." in page
    assert "14:46" not in page


def test_shows_text_outside_of_entries_as_notes(browser: Client, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-15": f"# 2026-01-15\n\nRemember *this*.\n\n{make_entry_text()}"}))
    page = show(browser, DAY)
    assert "Notes in this file" in page
    assert "Remember <em>this</em>." in page
    assert "#L3" in page


def test_says_what_is_wrong_with_the_file(browser: Client, tree: Path) -> None:
    make_tree(tree)
    (tree / ".memsearch" / "memory" / "2026-01-15.md").write_bytes(make_entry_text().encode() + b"- \xff\n")
    make_project(tree)
    assert "is not valid UTF-8" in show(browser, DAY)


def test_does_not_repeat_the_title_in_the_text(browser: Client, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-15": make_entry_text(body="- First line\n- Second line")}))
    page = show(browser, DAY)
    assert page.count("First line") == 2  # the session's title and the entry's
    assert "<li>Second line</li>" in page


def test_shows_the_beginning_of_a_very_long_entry(browser: Client, tree: Path) -> None:
    long = "- Title\n- " + "word " * 2000
    make_project(make_tree(tree, {"2026-01-15": make_entry_text(body=long)}))
    page = show(browser, DAY)
    assert "Open the entry to read all of it." in page
    assert page.count("word ") < 100


def test_marks_versions_and_missing_summaries(browser: Client, tree: Path) -> None:
    text = (
        make_entry_text(turn="7", body="- Before")
        + make_entry_text(turn="7", body="- After")
        + make_entry_text(turn="8", body="- Memory summary unavailable: timed out")
    )
    make_project(make_tree(tree, {"2026-01-15": text}))
    page = show(browser, DAY)
    assert page.count("2 versions") == 2
    assert "no summary" in page


def test_filters_by_text_and_platform(browser: Client, tree: Path) -> None:
    text = (
        make_entry_text(turn="1", body="- Lease\n- The row lock stays")
        + "### 10:00\n<!-- session:c turn:x transcript:/t.jsonl -->\n- Other\n"
    )
    make_project(make_tree(tree, {"2026-01-15": text}))
    assert titles(show(browser, f"{DAY}?q=ROW+lock")) == ["Lease"]
    assert titles(show(browser, f"{DAY}?platform=claude-code")) == ["Other"]
    nothing = show(browser, f"{DAY}?q=%3Cb%3E")
    assert titles(nothing) == []
    assert "No entry fits" in nothing
    assert 'value="&lt;b&gt;"' in nothing


def test_leads_to_the_days_before_and_after(browser: Client, sample: Project) -> None:
    page = show(browser, "/dock/journals/2026-01-12/")
    assert re.search(r'href="/dock/journals/2026-01-10/" rel="prev"', page)
    assert re.search(r'href="/dock/journals/2026-01-13/" rel="next"', page)


def test_names_the_nearest_days_where_nothing_was_written(browser: Client, sample: Project) -> None:
    page = show(browser, "/dock/journals/2026-01-11/")
    assert "Nothing was written on this day" in page
    assert "10 January 2026" in page and "12 January 2026" in page


def test_pages_a_day_with_very_many_entries(browser: Client, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-15": entries(450)}))
    seen: list[str] = []
    address: str | None = DAY
    while address:
        page = show(browser, address)
        seen += titles(page)
        rest = re.search(r'href="([^"]+)">[^<]*<svg[^>]*><use[^>]*/></svg>Show the rest', page)
        address = rest[1].replace("&amp;", "&") if rest else None
    assert seen == [f"Entry {number}" for number in range(1, 451)]
    assert "450 entries" in page


def test_tells_projects_apart_on_the_day_of_all(browser: Client, tmp_path: Path) -> None:
    for name in ("harbor-api", "harbor-web"):
        make_project(make_tree(tmp_path / name, {"2026-01-15": make_entry_text(session=name, body=f"- In {name}")}))
    page = show(browser, DAY)
    assert titles(page) == ["In harbor-api", "In harbor-web"]
    assert "harbor-web: memory/2026-01-15.md" in page
    assert titles(show(browser, f"{DAY}?project=harbor-web")) == ["In harbor-web"]


def test_escapes_hostile_text_and_its_links_work(browser: Client, tree: Path) -> None:
    session = 'a/b %25?q="><script>alert(1)</script>ñ'
    name = '"><script>alert(2)</script>'
    make_project(
        make_tree(tree, {"2026-01-15": make_entry_text(session=session, body="- A\n- <script>alert(3)</script>")}),
        name=name,
    )
    page = show(browser, DAY)
    assert "<script>alert" not in page
    assert escape("<script>alert(3)</script>") in page
    assert name in unquote(page)
    for address in re.findall(r'href="(/dock/(?:sessions/[^"]+|entries/[^"]+|journals/[^"]+))"', page):
        assert browser.get(address.replace("&amp;", "&")).status_code == 200


def test_gives_its_fragments_alone_to_htmx(browser: Client, sample: Project) -> None:
    for name in ("day", "heat"):
        part = show(browser, f"{DAY}?q=lock", **{"HX-Request": "true", "HX-Target": name})
        assert "<html" not in part
        assert part.strip().startswith(f'<section class="{"stack" if name == "day" else "panel"}" id="{name}"')
        assert f'data-src="{DAY}?q=lock"' in part


def test_gives_the_whole_page_back_from_history(browser: Client, sample: Project) -> None:
    page = show(browser, DAY, **{"HX-Request": "true", "HX-History-Restore-Request": "true"})
    assert "<html" in page


def test_follows_a_new_day_on_the_index(browser: Client, tree: Path) -> None:
    project = make_project(make_tree(tree))
    assert "No journals yet" in show(browser, "/dock/journals/")
    today = timezone.localdate()
    make_tree(tree, {today.isoformat(): make_entry_text(body="- Just now")})
    make_project(tree)
    part = show(browser, f"/dock/journals/?project={project.name}", **{"HX-Request": "true", "HX-Target": "day"})
    assert titles(part) == ["Just now"]


def test_asks_the_database_as_often_for_one_entry_as_for_many(browser: Client, tmp_path: Path) -> None:
    counts = []
    for number, size in enumerate((1, 60)):
        text = "".join(make_entry_text(session=f"s{one}", turn=str(one)) for one in range(size))
        day = date(2026, 1, 15) + timedelta(days=number)
        make_project(make_tree(tmp_path / f"p{number}", {day.isoformat(): text}))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            show(browser, f"/dock/journals/{day.isoformat()}/?project=p{number}")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_asks_a_stranger_to_sign_in(client: Client, db: None) -> None:
    for path in ("/dock/journals/", DAY):
        assert client.get(path)["Location"].startswith("/dock/sign-in/")


def test_refuses_what_is_not_there(browser: Client, sample: Project) -> None:
    assert browser.post("/dock/journals/").status_code == 405
    assert browser.get("/dock/journals/2026-02-31/").status_code == 404
    assert browser.get(f"{DAY}?project=nobody").status_code == 404
