"""The search page, hits opened in place, and the palette's hits."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import refs
from memory.models import Entry, Project, Session
from tests.makers import make_entry_text, make_project, make_tree

URL = "/dock/search/"
EXPAND = "/dock/search/expand/"
PALETTE = "/dock/search/palette/"
HTMX = {"HX-Request": "true", "HX-Target": "results"}
DAY = "2026-02-03"
SCRIPT = '"><script>alert(1)</script>'


def make_memory(tree: Path, *bodies: str) -> Project:
    text = "".join(make_entry_text(turn=str(turn), body=body) for turn, body in enumerate(bodies, 1))
    return make_project(make_tree(tree, {DAY: text}))


def search(browser: Client, text: str, **filters: str) -> str:
    response = browser.get(URL, {"q": text} | filters)
    assert response.status_code == 200
    return response.content.decode()


def test_shows_hits_with_their_marks_their_place_and_how_sure_they_are(browser: Client, tree: Path) -> None:
    make_memory(tree, "- Berth leases take the row lock\n- Before the outbox is written")
    page = search(browser, "outbox", kind="entry")
    entry = Entry.objects.get()
    assert f'href="/dock/entries/{entry.pk}/">Berth leases take the row lock</a>' in page
    assert "Before the <mark>outbox</mark> is written" in page
    assert 'class="relevance" data-level=' in page
    assert ">words</span>" in page
    assert f">{DAY}.md, line 1</a>" in page
    assert f"/dock/files/harbor/?path=memory%2F{DAY}.md&amp;view=text#L1" in page
    assert "1 result in" in page


def test_a_hit_reads_as_text_and_not_as_markdown(browser: Client, tree: Path) -> None:
    make_memory(tree, "- Title\n- [ ] Take the **outbox** lock in `lease.py`\n- [x] Done")
    [hit] = browser.get(URL, {"q": "outbox", "kind": "entry"}).context["page"].hits
    assert "".join(part.text for part in hit.snippet) == "☐ Take the outbox lock in lease.py ☑ Done"
    assert [part.text for part in hit.snippet if part.is_marked] == ["outbox"]


def test_a_hit_leads_to_its_conversation_where_it_names_one(browser: Client, tree: Path) -> None:
    text = make_entry_text(body="- Lease of a turn") + "### 10:00\n- Lease by hand\n"
    make_project(make_tree(tree, {DAY: text}, **{"PROJECT.md": "# Lease\n"}))
    hits = browser.get(URL, {"q": "lease"}).context["page"].hits
    found = {(hit.kind, hit.title): hit.transcript_url for hit in hits}
    entry = Entry.objects.exclude(turn="").get()
    assert found["entry", "Lease of a turn"] == f"/dock/entries/{entry.pk}/transcript/"
    assert found["entry", "Lease by hand"] == ""
    assert {hit.transcript_url for hit in hits if hit.kind == "document"} == {""}
    part = browser.get(EXPAND, {"ref": refs.entry(entry)}, headers=HTMX).content.decode()
    assert f"/dock/entries/{entry.pk}/transcript/" in part


def test_names_the_project_only_where_there_may_be_several(browser: Client, tree: Path) -> None:
    make_memory(tree, "- Lock")
    assert [hit.project for hit in browser.get(URL, {"q": "lock"}).context["page"].hits] == ["harbor"] * 2
    found = browser.get(URL, {"q": "lock", "project": "Harbor"}).context["page"]
    assert [hit.project for hit in found.hits] == [""] * 2


def test_an_empty_query_says_what_the_box_understands(browser: Client, sample: Project) -> None:
    page = search(browser, "")
    assert "What the search box understands" in page
    assert 'class="row"' not in page
    found = browser.get(URL).context["page"].tips
    assert {parse_qs(urlsplit(tip.url).query)["q"][0] for tip in found} == {tip.example for tip in found}
    for tip in found:
        assert browser.get(tip.url).status_code == 200


def test_filters_without_words_list_what_has_them(browser: Client, sample: Project) -> None:
    found = browser.get(URL, {"kind": "skill"}).context["page"]
    assert {hit.kind for hit in found.hits} == {"skill"}
    assert {hit.level for hit in found.hits} == {0}


def test_facets_count_and_lead_there_and_back(browser: Client, sample: Project) -> None:
    found = browser.get(URL, {"q": "lease", "sort": "time"}).context["page"]
    kinds = next(facet for facet in found.facets if facet.name == "kind")
    skill = next(value for value in kinds.values if value.label == "skill")
    narrowed = browser.get(skill.url).context["page"]
    assert len(narrowed.hits) == skill.count
    assert {hit.kind for hit in narrowed.hits} == {"skill"}
    assert [chip.words for chip in narrowed.chips] == ["kind: skill"]
    [only] = next(facet for facet in narrowed.facets if facet.name == "kind").values
    assert only.is_on
    assert only.url == narrowed.chips[0].url == URL + "?q=lease&sort=time"


def test_sorts_by_time(browser: Client, sample: Project) -> None:
    found = browser.get(URL, {"q": "lease", "sort": "time", "kind": "entry"}).context["page"]
    times = [hit.when for hit in found.hits]
    assert times == sorted(times, reverse=True)
    assert found.cut == -1


def test_hits_from_the_first_weak_one_on_stand_below_a_line(browser: Client, sample: Project) -> None:
    found = browser.get(URL, {"q": "lease race"}).context["page"]
    assert 0 < found.cut < len(found.hits)
    assert not found.hits[found.cut - 1].is_weak
    assert all(hit.is_weak for hit in found.hits[found.cut :])
    assert "Weaker hits from here on" in search(browser, "lease race")


def test_pages_keep_the_question(browser: Client, sample: Project) -> None:
    first = browser.get(URL, {"q": "user asked", "kind": "entry"}).context["page"]
    second = browser.get(first.next_url).context["page"]
    assert not {hit.ref for hit in first.hits} & {hit.ref for hit in second.hits}
    assert second.previous_url == URL + "?q=user+asked&kind=entry"
    third = browser.get(second.next_url).context["page"]
    assert browser.get(third.previous_url).context["page"].hits == second.hits
    assert (first.place[:11], second.place[:12]) == ("1 to 20 of ", "21 to 40 of ")


def test_a_page_that_is_no_longer_there_is_the_first_one(browser: Client, sample: Project) -> None:
    found = browser.get(URL, {"q": "lease", "cursor": "4000"}).context["page"]
    assert found.hits == browser.get(URL, {"q": "lease"}).context["page"].hits
    assert found.previous_url == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"cursor": "nonsense"},
        {"cursor": "999999"},
        {"sort": "best"},
        {"since": "yesterday"},
        {"until": "2026-99-99"},
        {"kind": "\0"},
        {"platform": "x" * 1000},
    ],
)
def test_a_filter_that_cannot_be_one_is_left_out(browser: Client, sample: Project, wrong: dict[str, str]) -> None:
    assert browser.get(URL, {"q": "lease"} | wrong).context["page"].hits


def test_an_unknown_project_is_not_found(browser: Client, sample: Project) -> None:
    assert browser.get(URL, {"q": "lease", "project": "nothing"}).status_code == 404


def test_where_nothing_is_found_it_says_what_would_help(browser: Client, sample: Project) -> None:
    found = browser.get(URL, {"q": '"lease of a race" -x', "kind": "skill", "project": "harbor-api"}).context["page"]
    assert found.hits == []
    assert [one.words for one in found.advice] == [
        "Only the words, leave nothing out",
        "Without kind: skill",
        "In all projects",
    ]
    for one in found.advice:
        assert browser.get(one.url).status_code == 200
    assert "No results in harbor-api" in search(browser, "zzzqqq", project="harbor-api")


@pytest.mark.parametrize("text", [SCRIPT, "'\"</title><mark>x", "{{ page }}", "a\0b", "%", "\u202ex", "<mark>" * 1000])
def test_hostile_text_stays_text(browser: Client, sample: Project, text: str) -> None:
    for headers in ({}, HTMX):
        page = browser.get(URL, {"q": text, "kind": text, "platform": SCRIPT}, headers=headers).content.decode()
        assert "<script>alert" not in page
        assert page.lower().count("</title>") == 1


def test_memory_is_escaped_wherever_a_hit_shows_it(browser: Client, tmp_path: Path) -> None:
    project = make_project(
        make_tree(tmp_path / "odd", {DAY: make_entry_text(session="a/b", body=f"- lease {SCRIPT}\n- lease <mark>x")}),
        name='"><script>alert(1)</script>',
    )
    now = timezone.now()
    key = '<img src=x onerror="alert(1)">/%?ñ'
    Session.objects.create(
        project=project, key=key, external_id=key, started_at=now, last_activity_at=now, title=f"lease {SCRIPT}"
    )
    for url in (URL, PALETTE):
        page = browser.get(url, {"q": "lease"}, headers=HTMX).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page
    found = browser.get(URL, {"q": "lease"}).context["page"]
    assert {hit.kind for hit in found.hits} == {"entry", "session"}
    for hit in found.hits:
        assert browser.get(hit.url).status_code == 200
        assert browser.get(hit.expand_url, headers=HTMX).status_code == 200
    assert "&lt;mark&gt;x" in browser.get(URL, {"q": "lease"}).content.decode()


def test_htmx_gets_the_results_alone_and_history_the_page(browser: Client, sample: Project) -> None:
    part = browser.get(URL, {"q": "lease"}, headers=HTMX).content.decode()
    assert "<html" not in part
    assert '<div id="results">' in part
    assert "<title>lease · Search · MemDock</title>" in part
    whole = browser.get(URL, {"q": "lease"}, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()
    assert whole.count("<title>") == 1
    assert "<html" in whole


def test_the_top_box_is_on_every_page_and_keeps_the_project(browser: Client, sample: Project) -> None:
    page = browser.get("/dock/sessions/", {"project": "harbor-api"}).content.decode()
    assert '<form class="searchbox" id="search-form" role="search" aria-label="Search" method="get"' in page
    assert '<input type="hidden" name="project" value="harbor-api">' in page
    assert 'id="palette"' in page
    here = search(browser, "lease", project="harbor-api", kind="entry")
    assert 'value="lease"' in here
    assert '<input type="hidden" name="kind" value="entry" form="search-form">' in here
    assert f"{URL}?q=lease&amp;project=harbor-api" in here  # the switcher keeps the question


def test_the_number_of_queries_does_not_grow_with_the_hits(browser: Client, tree: Path) -> None:
    make_memory(tree, "- Lease 1")
    browser.get(URL, {"q": "lease"})
    with CaptureQueriesContext(connection) as few:
        assert len(browser.get(URL, {"q": "lease", "kind": "entry"}).context["page"].hits) == 1
    make_memory(tree, *(f"- Lease {number}" for number in range(1, 30)))
    browser.get(URL, {"q": "lease"})
    with CaptureQueriesContext(connection) as many:
        assert len(browser.get(URL, {"q": "lease", "kind": "entry"}).context["page"].hits) == 20
    assert len(few) == len(many)


def test_a_hit_opens_in_place_with_its_neighbours(browser: Client, tree: Path) -> None:
    make_memory(tree, "- One", "- Two <b>bold</b>", "- Three")
    entry = Entry.objects.get(ordinal=2)
    part = browser.get(EXPAND, {"ref": refs.entry(entry)}, headers=HTMX).content.decode()
    assert "<html" not in part
    assert "&lt;b&gt;bold&lt;/b&gt;" in part
    assert "<h3" not in part
    assert ">One</a>" in part
    assert ">Three</a>" in part


def test_a_hit_that_is_gone_says_so(browser: Client, sample: Project) -> None:
    for ref in ("entry:999999", "project:harbor-api", "", "x", "session:a\0b"):
        response = browser.get(EXPAND, {"ref": ref}, headers=HTMX)
        assert response.status_code == 200
        assert 'class="notice"' in response.content.decode()


def test_opening_in_place_leads_to_the_record_without_scripts(browser: Client, sample: Project) -> None:
    entry = Entry.objects.first()
    assert entry
    assert browser.get(EXPAND, {"ref": refs.entry(entry)})["Location"] == f"/dock/entries/{entry.pk}/"
    assert browser.get(EXPAND, {"ref": "https://elsewhere.example/"})["Location"] == URL


def test_the_palette_finds_the_best_few(browser: Client, sample: Project) -> None:
    found = browser.get(PALETTE, {"q": "lease"}, headers=HTMX)
    assert 0 < len(found.context["page"].hits) <= 8
    assert "<html" not in found.content.decode()
    assert 'id="palette-hits"' in found.content.decode()
    assert browser.get(PALETTE, {"q": ""}, headers=HTMX).context["page"].hits == []
    assert browser.get(PALETTE, {"q": "lease", "project": "harbor-api"})["Location"] == (
        URL + "?q=lease&project=harbor-api"
    )


@pytest.mark.parametrize("url", [URL, EXPAND, PALETTE])
def test_only_people_who_are_signed_in_read_and_nobody_posts(client: Client, browser: Client, url: str) -> None:
    assert browser.post(url).status_code == 405
    browser.logout()
    assert browser.get(url)["Location"].startswith("/dock/sign-in/")
