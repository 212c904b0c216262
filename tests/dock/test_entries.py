"""The page of one entry."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from dock.contexts import versions
from memory.models import Entry, Project
from memory.projects import sync
from tests.makers import make_entry_text, make_project, make_tree

DAY = "2026-01-15"


def show(browser: Client, entry: Entry, query: str = "", **headers: str) -> str:
    response = browser.get(f"/dock/entries/{entry.pk}/{query}", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def make_entries(root: Path, *texts: str) -> list[Entry]:
    make_project(make_tree(root, {DAY: "".join(texts)}))
    return list(Entry.objects.order_by("ordinal"))


def test_shows_every_entry_of_the_sample(browser: Client, sample: Project) -> None:
    for entry in sample.entries.select_related("journal"):
        page = show(browser, entry)
        assert escape(entry.title) in page
        assert f"<code>entry:{entry.pk}</code>" in page
        assert f"{entry.journal.path}, lines {entry.start_line} to {entry.end_line}" in page


def test_says_where_the_entry_comes_from(browser: Client, tree: Path) -> None:
    [entry] = make_entries(tree, make_entry_text("09:12", session="abc", turn="4"))
    page = show(browser, entry)
    assert '<a href="/dock/sessions/abc/">abc</a>' in page
    assert 'href="/dock/journals/2026-01-15/?project=harbor"' in page
    assert "15 Jan 2026, 09:12" in page
    assert '<span class="badge">dsh</span>' in page
    assert "/dock/files/harbor/?path=memory%2F2026-01-15.md&amp;view=text#L1" in page


def test_shows_the_anchor_as_text_to_copy(browser: Client, tree: Path) -> None:
    [entry] = make_entries(tree, "### 09:00\n<!-- session:s turn:1 db:/etc/passwd -->\n- A\n")
    page = show(browser, entry)
    assert "<pre>/etc/passwd</pre>" in page
    assert "root:" not in page
    assert '"/etc/passwd' not in page  # no address leads there


def test_leads_to_the_entries_around_it_in_the_file(browser: Client, tree: Path) -> None:
    first, middle, last = make_entries(tree, *(make_entry_text(turn=turn, body=f"- In {turn}") for turn in "123"))
    page = show(browser, middle)
    assert f'href="/dock/entries/{first.pk}/" rel="prev"' in page
    assert f'href="/dock/entries/{last.pk}/" rel="next"' in page
    assert 'rel="prev"' not in show(browser, first)
    assert 'rel="next"' not in show(browser, last)


def test_shows_the_source_with_the_lines_of_the_file(browser: Client, tree: Path) -> None:
    _, entry = make_entries(tree, make_entry_text(turn="1"), make_entry_text(turn="2", body="- *A*\n\n- B\n  - <i>C"))
    page = show(browser, entry, "?view=source")
    numbers = [int(number) for number in re.findall(r'<tr id="L(\d+)">', page)]
    lines = (tree / ".memsearch" / "memory" / f"{DAY}.md").read_text().split("\n")
    assert [lines[number - 1] for number in numbers] == ["- *A*", "", "- B", "  - <i>C"]
    assert "&lt;i&gt;C" in re.sub(r"<span[^>]*>|</span>", "", page)
    assert f"view=text#L{numbers[-1]}" in page


def test_keeps_the_lines_right_in_a_file_from_windows(browser: Client, tree: Path) -> None:
    text = "### 09:00\r\n\r\n<!-- session:s turn:1 db:/d -->\r\n- A\r\n- B\r\n\r\n"
    [entry] = make_entries(tree, text)
    assert re.findall(r'<tr id="L(\d+)">', show(browser, entry, "?view=source")) == ["4", "5"]


def test_says_that_a_summary_is_missing(browser: Client, tree: Path) -> None:
    [entry] = make_entries(tree, make_entry_text(body="- Memory summary unavailable: timed out"))
    page = show(browser, entry)
    assert "The anchor below still leads to the conversation." in page
    assert "no summary" in page


def test_compares_a_version_with_the_one_before(browser: Client, tree: Path) -> None:
    before, after = make_entries(
        tree,
        make_entry_text(turn="4", body="- Kept\n- Leases should take the row lock"),
        make_entry_text("09:20", turn="4", body="- Kept\n- Leases now take the row lock\n- Confirmed"),
    )
    page = show(browser, after)
    assert "<del>should</del>" in page and "<ins>now</ins>" in page
    assert "09:12, before" in page and "09:20, this entry" in page
    assert "A later version of this turn exists" not in page
    older = show(browser, before)
    assert "A later version of this turn exists" in older
    assert f'<a href="/dock/entries/{after.pk}/">Open it</a>' in older


def test_lists_repeats_of_a_turn_without_calling_them_later_versions(browser: Client, tree: Path) -> None:
    first, second = make_entries(tree, make_entry_text(turn="4"), make_entry_text(turn="4"))
    page = show(browser, first)
    assert "Versions of this turn" in page
    assert f"/dock/entries/{second.pk}/" in page
    assert "A later version" not in page


def test_follows_its_file(browser: Client, tree: Path) -> None:
    [entry] = make_entries(tree, make_entry_text(body="- Old words"))
    make_tree(tree, {DAY: make_entry_text(body="- New words")})
    sync.sync(entry.project, at=timezone.now())
    part = show(browser, entry, **{"HX-Request": "true", "HX-Target": "entry"})
    assert "New words" in part
    make_tree(tree, {DAY: "# empty\n"})
    sync.sync(entry.project, at=timezone.now())
    assert browser.get(f"/dock/entries/{entry.pk}/").status_code == 404


def test_gives_its_fragment_alone_to_htmx(browser: Client, sample: Project) -> None:
    entry = sample.entries.first()
    assert entry
    part = show(browser, entry, "?view=source", **{"HX-Request": "true"})
    assert "<html" not in part
    assert part.strip().startswith('<div id="entry" data-live="entry"')
    assert f'data-src="/dock/entries/{entry.pk}/?view=source"' in part
    assert "<html" in show(browser, entry, **{"HX-Request": "true", "HX-History-Restore-Request": "true"})


def test_escapes_hostile_text(browser: Client, tree: Path) -> None:
    evil = "<script>alert(1)</script>"
    body = f"- A {evil}\n- [x](javascript:alert(1)) ![i](http://t/x.png)"
    texts = (
        f"### 09:00\n<!-- session:{evil}/%?q=' ñ turn:{evil} db:{evil} -->\n{body}\n\n",
        f"### 09:01\n<!-- session:{evil}/%?q=' ñ turn:{evil} db:{evil} -->\n{body} {evil}\n\n",
    )
    _, entry = make_entries(tree, *texts)
    for query in ("", "?view=source"):
        page = show(browser, entry, query)
        assert "<script>alert" not in page
        assert 'href="javascript' not in page and "<img" not in page
    session = re.search(r'href="(/dock/sessions/[^"]+)"', page)
    assert session and browser.get(session[1]).status_code == 200


def test_says_how_much_of_a_huge_entry_it_shows(browser: Client, tree: Path) -> None:
    [entry] = make_entries(tree, make_entry_text(body="- Huge\n\n" + "word " * 30_000))
    assert "100,000 of 150,007 characters." in show(browser, entry)


def test_asks_the_database_as_often_among_many_entries(browser: Client, tmp_path: Path) -> None:
    counts = []
    for size in (3, 60):
        text = "".join(make_entry_text(session=f"s{size}", turn=str(turn)) for turn in range(size))
        project = make_project(make_tree(tmp_path / f"p{size}", {DAY: text}))
        entry = project.entries.get(ordinal=2)
        with CaptureQueriesContext(connection) as queries:
            show(browser, entry)
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("pk", ["0", "999999", "9" * 30])
def test_answers_404_for_an_entry_that_is_not_there(browser: Client, db: None, pk: str) -> None:
    assert browser.get(f"/dock/entries/{pk}/").status_code == 404


def test_is_for_people_who_are_signed_in_and_only_reads(client: Client, browser: Client, sample: Project) -> None:
    path = f"/dock/entries/{sample.entries.values_list('pk', flat=True)[0]}/"
    assert browser.post(path).status_code == 405
    assert Client().get(path)["Location"] == f"/dock/sign-in/?next={quote(path)}"


def test_a_comparison_folds_what_is_equal_and_keeps_what_is_near() -> None:
    lines = [f"- {number}" for number in range(40)]
    rows = versions.compare("\n".join(lines), "\n".join([*lines[:20], "- changed", *lines[21:]]))
    assert rows is not None
    assert [row.folded for row in rows if row.folded] == [17, 16]
    assert [row.old.number for row in rows if row.new.side == "same"] == [18, 19, 20, 22, 23, 24]


def test_a_comparison_of_texts_that_are_too_long_is_not_made() -> None:
    assert versions.compare("a\n" * versions.LINES, "b") is None
