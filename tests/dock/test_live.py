"""The change feed for people."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from dock.contexts import feed
from memory import changes
from memory.changes import Note
from memory.models import Change, Project
from memory.projects import sync
from tests.makers import make_entry_text, make_project, make_tree

LIVE = "/dock/"
DAY = "2026-01-15"


def show(browser: Client, path: str = LIVE, **headers: str) -> str:
    response = browser.get(path, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def titles(page: str) -> list[str]:
    return re.findall(r'<(?:a|span) class="row-title[^>]*>(.*?)</', page)


def heads(page: str) -> list[str]:
    return re.findall(r'<h3 id="group-[^>]*>(?:<a [^>]*>)?(.*?)</', page)


def append(project: Project | None, *notes: Note, at: datetime | None = None) -> None:
    with transaction.atomic():
        changes.append(notes, project=project, at=at or timezone.now())


def read_again(project: Project, root: Path, text: str) -> None:
    make_tree(root, {DAY: text})
    sync.sync(project, at=timezone.now())


@pytest.fixture
def project(tree: Path) -> Project:
    """A project whose first reading is long forgotten."""
    found = make_project(make_tree(tree, {DAY: make_entry_text(session="one", body="- First")}))
    Change.objects.all().delete()
    return found


def test_sets_up_while_there_is_no_project(browser: Client) -> None:
    page = show(browser)
    assert "Set up MemDock" in page
    assert "memdock add ~/src/project" in page
    assert 'action="/dock/projects/add/"' in page


def test_offers_the_form_only_to_who_may_add(client: Client, guest: User) -> None:
    client.force_login(guest)
    page = show(client)
    assert 'action="/dock/projects/add/"' not in page
    assert "memdock add ~/src/project" in page


def test_says_that_nothing_was_written_yet(browser: Client, project: Project) -> None:
    page = show(browser)
    assert "Nothing was written yet" in page
    assert "Set up MemDock" not in page


def test_tells_a_first_reading_in_a_few_rows(browser: Client, sample: Project) -> None:
    page = show(browser)
    told = titles(page)
    assert "87 entries read from disk" in told
    assert "19 sessions found" in told
    assert "Trace a lease race" in told
    assert len(told) == 12
    assert '<a class="row-title" href="/dock/journals/?project=harbor-api">87 entries' in page


def test_groups_entries_by_session_the_newest_first(browser: Client, project: Project, tree: Path) -> None:
    text = make_entry_text(session="one", body="- First")
    read_again(project, tree, text + make_entry_text("09:20", session="one", turn="2", body="- Second"))
    more = make_entry_text("09:30", session="two", turn="1", body="- Third\n- Told below")
    read_again(project, tree, text + make_entry_text("09:20", session="one", turn="2", body="- Second") + more)
    page = show(browser)
    assert heads(page) == ["Third", "First"]
    assert titles(page) == ["Third", "Third", "Second"]  # the entry, its session, the entry before
    assert "Told below" in page
    assert "Today" in page


def test_links_what_is_there_and_not_what_is_gone(browser: Client, project: Project, tree: Path) -> None:
    read_again(project, tree, make_entry_text(session="one", turn="9", body="- Another"))
    page = show(browser)
    assert re.search(r'<span class="row-title muted">First</span>', page)
    assert re.search(r'<a class="row-title" href="/dock/entries/\d+/">Another</a>', page)
    assert "removed</span>entry" in page


def test_names_the_days(browser: Client, project: Project) -> None:
    now = timezone.now()
    for days in (2, 1, 0):
        append(project, Note("entry.removed", "entry:1", f"{days} days ago"), at=now - timedelta(days=days))
    labels = re.findall(r'<h2 class="day" id="[^"]+">(\w+)', show(browser))
    assert labels[:2] == ["Today", "Yesterday"]
    assert labels[2] == f"{timezone.localtime(now - timedelta(days=2)):%A}"


def test_filters_by_kind_and_project(browser: Client, sample: Project, tmp_path: Path) -> None:
    make_project(make_tree(tmp_path / "other", {DAY: make_entry_text(session="o", body="- Elsewhere")}))
    assert titles(show(browser, "/dock/?kind=document")) == ["USER.md", "PROJECT.md"]
    assert "Elsewhere" in titles(show(browser, "/dock/?project=other&kind=entry"))
    assert "87 entries read from disk" not in titles(show(browser, "/dock/?project=other"))
    assert "No change of this kind" in show(browser, "/dock/?project=other&kind=skill")
    assert '<a class="btn" href="/dock/?project=other&amp;kind=skill">Skills</a>' in show(
        browser, "/dock/?project=other"
    )


@pytest.mark.parametrize("query", ["kind=nothing", "before=x", "before=-1", f"before={10**30}", "kind=%00"])
def test_leaves_out_what_it_cannot_read(browser: Client, sample: Project, query: str) -> None:
    assert "87 entries read from disk" in titles(show(browser, f"/dock/?{query}"))


def follow(browser: Client, path: str = LIVE) -> list[str]:
    """Read page after page to the end of the feed."""
    told: list[str] = []
    while path:
        page = show(browser, path)
        told += titles(page)
        more = re.search(r'href="([^"]+)" rel="next">Show earlier changes', page)
        path = more[1].replace("&amp;", "&") if more else ""
    return told


def test_shows_every_change_once_through_all_pages(browser: Client, project: Project) -> None:
    now = timezone.now()
    for number in range(2 * feed.PAGE + 20):
        append(project, Note("entry.removed", "entry:1", f"change {number}"), at=now + timedelta(seconds=number))
    assert follow(browser) == [f"change {number}" for number in reversed(range(2 * feed.PAGE + 20))]


def test_tells_a_batch_that_is_longer_than_a_page_once_and_nothing_below_it_twice(
    browser: Client, project: Project, tmp_path: Path
) -> None:
    other = make_project(make_tree(tmp_path / "other"))
    Change.objects.all().delete()
    now = timezone.now()
    append(project, Note("entry.removed", "entry:1", "before"), at=now - timedelta(hours=1))
    for part in range(3):  # a reading is many transactions; another project's change falls between them
        append(project, Note("session.started", "session:x", "s"), at=now)
        append(project, *[Note("entry.added", "entry:1", "e")] * 1000, at=now)
        append(other, Note("entry.removed", "entry:1", f"between {part}"), at=now + timedelta(seconds=part))
    append(project, Note("entry.removed", "entry:1", "after"), at=now + timedelta(hours=1))
    told = follow(browser)
    assert told.count("3,000 entries read from disk") == 1
    assert sorted(set(told)) == sorted(
        ["after", "between 0", "between 1", "between 2", "before", "3,000 entries read from disk", "3 sessions found"]
    )
    assert len(told) == 7


def test_refreshes_by_what_it_shows_and_not_on_earlier_pages(browser: Client, sample: Project) -> None:
    assert 'data-live="*" data-live-mode="pill" data-src="/dock/"' in show(browser)
    assert 'data-live="skill"' in show(browser, "/dock/?kind=skill")
    older = show(browser, f"/dock/?before={Change.objects.order_by('-pk')[3].pk}")
    assert not re.search(r'id="feed"[^>]* data-live=', older)
    assert "Newest changes" in older


def test_gives_its_fragment_alone_to_htmx(browser: Client, sample: Project) -> None:
    part = show(browser, **{"HX-Request": "true", "HX-Target": "feed"})
    assert "<html" not in part
    assert part.strip().startswith('<div class="stack" id="feed"')
    assert "<html" in show(browser, **{"HX-Request": "true", "HX-History-Restore-Request": "true"})


def test_escapes_hostile_titles_and_follows_odd_refs(browser: Client, tmp_path: Path) -> None:
    name = 'a "><script>alert(1)</script>'
    session = "a/b %25?q=\"><script>ñ'"
    project = make_project(
        make_tree(tmp_path / "odd", {DAY: make_entry_text(session=session, body="- <b>&amp; x")}), name=name
    )
    for ref in ("entry:x", "entry:", "skill:nobody", "file:", "nonsense", f"session:{session}", "entry:²"):
        append(project, Note("entry.changed", ref, "<script>alert(2)</script>"))
    append(None, Note("odd.kind", "odd:1"))
    page = show(browser)
    assert "<script>alert" not in page
    assert escape("<script>alert(2)</script>") in page
    for address in re.findall(r'href="(/dock/(?:sessions|entries)/[^"]+)"', page):
        assert browser.get(address.replace("&amp;", "&")).status_code == 200


def test_asks_the_database_as_often_for_one_change_as_for_many(browser: Client, tmp_path: Path) -> None:
    counts = []
    for size in (1, 20):
        project = make_project(make_tree(tmp_path / f"p{size}"))
        for number in range(size):
            text = "".join(make_entry_text(session=f"p{size}-{one}", turn=str(one)) for one in range(number + 1))
            read_again(project, tmp_path / f"p{size}", text)
        with CaptureQueriesContext(connection) as queries:
            show(browser, f"/dock/?project=p{size}")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_asks_a_stranger_to_sign_in_and_only_reads(client: Client, browser: Client) -> None:
    assert browser.post(LIVE).status_code == 405
    assert browser.get("/dock/?project=nobody").status_code == 404
    assert Client().get(LIVE)["Location"].startswith("/dock/sign-in/")
