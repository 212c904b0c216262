"""The list of memories and the page of one: what they show, to whom, at what cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from memory.audit import COMMAND
from memory.engram import curation, observations, relations
from memory.engram.observations import Edit
from memory.models import Observation
from tests.memory.engram.makers import make_observation, make_session

URL = "/dock/memories/"
HTMX = {"HX-Request": "true"}
NOW = timezone.now()
SCRIPT = '"><script>alert(1)</script>'


def page_of(row: Observation) -> str:
    return f"{URL}{row.pk}/"


def titles(browser: Client, **query: str) -> list[str]:
    return [row.title for row in browser.get(URL, query).context["page"].rows]


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


@pytest.fixture
def shelf(db: None) -> dict[str, Observation]:
    """One memory of each state, of two projects."""
    make_session("w1", project="quay")
    rows = {
        "plain": make_observation("Leases are kept in Redis", type="bugfix", at=ago(hours=3)),
        "pinned": make_observation("Berths have one owner", type="decision", scope="personal", at=ago(hours=4)),
        "due": make_observation("Cranes poll each minute", type="decision", at=ago(days=400)),
        "gone": make_observation("Old rule of the quay", type="pattern", at=ago(hours=2)),
        "elsewhere": make_observation("Quay lamps are green", session_id="w1", topic_key="quay/lamps", at=ago(hours=1)),
    }
    observations.pin(pk=rows["pinned"].pk, is_pinned=True, at=NOW)
    observations.delete(pk=rows["gone"].pk, at=NOW)
    return rows


def test_lists_what_is_not_deleted_the_newest_first(browser: Client, shelf: dict[str, Observation]) -> None:
    assert titles(browser) == [shelf[name].title for name in ("elsewhere", "plain", "pinned", "due")]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"project": "quay"}, ["elsewhere"]),
        ({"type": "decision"}, ["pinned", "due"]),
        ({"scope": "personal"}, ["pinned"]),
        ({"state": "pinned"}, ["pinned"]),
        ({"state": "due"}, ["due"]),
        ({"state": "deleted"}, ["gone"]),
        ({"q": "LEASES"}, ["plain"]),
        ({"q": "as we decided", "type": "bugfix"}, ["plain"]),
        ({"q": "quay/lamps"}, ["elsewhere"]),
        ({"q": "100% sure"}, []),
        ({"state": "pinned", "type": "bugfix"}, []),
        ({"state": "nonsense", "scope": "nonsense", "cursor": "nonsense"}, ["elsewhere", "plain", "pinned", "due"]),
        ({"q": "a\0b"}, ["elsewhere", "plain", "pinned", "due"]),
    ],
)
def test_the_address_says_what_is_listed(
    browser: Client, shelf: dict[str, Observation], query: dict[str, str], found: list[str]
) -> None:
    assert titles(browser, **query) == [shelf[name].title for name in found]


def test_counts_are_those_of_the_filter(browser: Client, shelf: dict[str, Observation]) -> None:
    page = browser.get(URL, {"type": "decision"}).context["page"]
    assert (page.matching, page.deleted) == (2, 1)
    assert [option.label for option in page.states] == ["Any state", "pinned, 1", "due for review, 1"]
    assert {option.label for option in page.types} == {"All types", "decision, 2", "bugfix, 1", "manual, 1"}


def test_a_type_that_nothing_has_stays_chosen(browser: Client, shelf: dict[str, Observation]) -> None:
    page = browser.get(URL, {"type": "policy"}).context["page"]
    assert [option.value for option in page.types if option.is_selected] == ["policy"]


def test_turns_pages_of_fifty_and_keeps_the_filter(browser: Client) -> None:
    for number in range(53):
        make_observation(f"Rule {number}", type="pattern", at=ago(minutes=number))
    first = browser.get(URL, {"type": "pattern"}).context["page"]
    second = browser.get(first.next_url).context["page"]
    assert (len(first.rows), len(second.rows)) == (50, 3)
    assert "type=pattern" in first.next_url
    assert [row.title for row in browser.get(second.previous_url).context["page"].rows] == [
        row.title for row in first.rows
    ]


def test_says_what_fills_an_empty_list(browser: Client) -> None:
    assert "No memories yet" in browser.get(URL).content.decode()
    assert "The trash is empty" in browser.get(URL, {"state": "deleted"}).content.decode()
    assert "No memory fits" in browser.get(URL, {"q": "x"}).content.decode()


def test_a_fragment_is_the_list_alone_and_history_gets_the_page(browser: Client, shelf: dict[str, Observation]) -> None:
    fragment = browser.get(URL, headers=HTMX).content.decode()
    assert "<html" not in fragment
    assert fragment.lstrip().startswith('<div id="rows"')
    whole = browser.get(URL, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()
    assert "<html" in whole
    assert "<html" not in browser.get(page_of(shelf["plain"]), headers=HTMX).content.decode()


@pytest.mark.parametrize("path", [URL, "{}"])
def test_pages_are_read_only_and_ask_who_is_there(
    browser: Client, client: Client, shelf: dict[str, Observation], path: str
) -> None:
    url = path.format(page_of(shelf["plain"]))
    assert browser.post(url).status_code == 405
    assert Client().get(url).status_code == 302


def test_an_unknown_memory_or_project_is_not_found(browser: Client) -> None:
    for url in (f"{URL}1/", f"{URL}{2**70}/", f"{URL}?project=nowhere"):
        assert browser.get(url).status_code == 404


def test_who_may_only_read_is_offered_nothing_else(guest: User, client: Client, shelf: dict[str, Observation]) -> None:
    client.force_login(guest)
    for url in (URL, page_of(shelf["plain"]), page_of(shelf["gone"]), f"{page_of(shelf['plain'])}?view=versions"):
        page = client.get(url).content.decode().partition("<main")[2].partition("</main>")[0]
        assert 'method="post"' not in page.replace('id="bulk" method="post"', "")
        assert 'name="pk"' not in page
        assert "/edit/" not in page
        assert "/purge/" not in page


def test_a_page_tells_where_a_memory_comes_from(browser: Client) -> None:
    make_session("s9", platform="claude-code")
    row = make_observation(
        "Leases", session_id="s9", tool_name="mem_save", topic_key="lease/clock", content="**What**: a\n**Why**: b"
    )
    observations.save(session_id="s9", title="Leases", content="**What**: a\n**Why**: b", at=timezone.now())
    text = browser.get(page_of(row)).content.decode()
    for told in ("claude-code", "mem_save", "lease/clock", row.sync_id, f"observation:{row.pk}", "/dock/sessions/s9/"):
        assert told in text
    assert "<br" in text.partition("<strong>Why")[0].partition("<strong>What")[2]


def test_a_text_that_was_cut_says_how_much_there_was(browser: Client) -> None:
    row = make_observation("Long", content="x" * 60_000)
    assert "50,015 of 60,000 bytes" in browser.get(page_of(row)).content.decode()


def test_json_is_what_agents_get(browser: Client, shelf: dict[str, Observation]) -> None:
    page = browser.get(page_of(shelf["plain"]), {"view": "json"})
    lines = page.context["page"].reading.source.lines
    told = json.loads(unescape(strip_tags("\n".join(line for _, line in lines))))
    assert told["sync_id"] == shelf["plain"].sync_id
    assert told["content"] == shelf["plain"].content


def test_shows_what_stands_around_it_in_its_session(browser: Client) -> None:
    rows = [make_observation(f"Step {number}", at=ago(minutes=60 - number)) for number in range(9)]
    page = browser.get(page_of(rows[4])).context["page"]
    assert [moment.title for moment in page.moments] == [row.title for row in rows]
    assert (page.newer_url, page.older_url) == (page_of(rows[5]), page_of(rows[3]))
    assert [moment.is_this for moment in page.moments].index(True) == 4


def test_names_the_relations_from_either_end(browser: Client) -> None:
    old, new = make_observation("Lease clock is the node"), make_observation("Lease clock is the database")
    relations.compare(a=new.pk, b=old.pk, relation="supersedes", confidence=0.9, reasoning="Newer.", at=NOW)
    ends = [browser.get(page_of(row)).context["page"].relations for row in (new, old)]
    assert [one.words for (one,) in ends] == ["supersedes", "superseded by"]
    assert [one.url for (one,) in ends] == [page_of(old), page_of(new)]
    curation.delete(pks=[new.pk], actor=COMMAND, at=NOW)
    curation.purge(pks=[new.pk], actor=COMMAND, at=NOW)
    (left,) = browser.get(page_of(old)).context["page"].relations
    assert (left.title, left.url) == ("A memory that was removed", "")


def test_a_list_marks_what_may_conflict(browser: Client) -> None:
    old, new = make_observation("Lease clock is the node"), make_observation("Lease clock is the database")
    other = make_observation("Cranes")
    assert relations.candidates(new, at=NOW)
    marked = {row.pk for row in browser.get(URL).context["page"].rows if row.may_conflict}
    assert marked == {old.pk, new.pk}
    assert other.pk not in marked


def test_versions_stand_side_by_side(browser: Client) -> None:
    row = make_observation("Leases", content="Leases last 30 s.\nThey are in Redis.")
    for number, text in enumerate(("Leases last 60 s.\nThey are in Redis.", "Leases last 90 s.\nThey are in Redis.")):
        observations.update(pk=row.pk, edit=Edit(content=text, title=f"Leases {number}"), actor=COMMAND, at=NOW)
    versions = browser.get(page_of(row), {"view": "versions"}).context["page"].reading.versions
    assert (versions.difference.before.split(",")[0], versions.difference.after) == (
        "Version 2",
        "Version 3, current, by command line",
    )
    first = browser.get(page_of(row), {"view": "versions", "old": "1", "new": "2"})
    versions = first.context["page"].reading.versions
    assert [(one.label, one.before, one.after) for one in versions.difference.fields] == [
        ("Title", "Leases", "Leases 0")
    ]
    assert versions.restored == 1
    text = first.content.decode()
    assert "<del>30</del>" in text
    assert "<ins>60</ins>" in text


@pytest.mark.parametrize("asked", [("x", "y"), ("9", "1"), ("-1", "0"), ("9" * 30, ""), ("²", "")])
def test_odd_numbers_of_versions_are_no_error(browser: Client, asked: tuple[str, str]) -> None:
    row = make_observation("Leases")
    observations.update(pk=row.pk, edit=Edit(title="Leases again"), at=NOW)
    answer = browser.get(page_of(row), {"view": "versions", "old": asked[0], "new": asked[1]})
    assert answer.status_code == 200
    assert answer.context["page"].reading.versions.restored == 1


def test_a_memory_that_was_never_changed_has_no_versions(browser: Client, shelf: dict[str, Observation]) -> None:
    assert "Never changed" in browser.get(page_of(shelf["plain"]), {"view": "versions"}).content.decode()


def test_a_deleted_memory_says_that_it_is_one(browser: Client, shelf: dict[str, Observation]) -> None:
    text = browser.get(page_of(shelf["gone"])).content.decode()
    assert "In the trash since" in text
    assert f"/dock/memories/{shelf['gone'].pk}/restore/" in text
    assert f"/dock/memories/{shelf['gone'].pk}/edit/" not in text


def test_hostile_text_is_shown_and_not_obeyed(browser: Client) -> None:
    make_session("a/b?c#ñ %", project="harbor")
    row = make_observation(
        SCRIPT, session_id="a/b?c#ñ %", content=SCRIPT, type=SCRIPT, topic_key=SCRIPT, tool_name=SCRIPT
    )
    observations.update(pk=row.pk, edit=Edit(content=f"{SCRIPT}\n2", title=f"{SCRIPT} 2"), at=NOW)
    session_url = browser.get(page_of(row)).context["page"].provenance.session_url
    assert browser.get(session_url).status_code == 200
    for url in (
        URL,
        f"{URL}?type=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&q=script",
        *(f"{page_of(row)}?view={view}" for view in ("text", "json", "versions")),
        f"{page_of(row)}edit/",
    ):
        text = browser.get(url).content.decode()
        assert "script&gt;alert" in text
        assert "<script>alert" not in text


def _queries(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        ask()
    return len(captured)


def test_the_number_of_queries_does_not_grow(browser: Client) -> None:
    row = make_observation("Rule 0 of the lease")
    relations.candidates(row, at=NOW)
    asked = (URL, page_of(row), f"{page_of(row)}?view=versions", f"{URL}?state=deleted")
    make_observation("Rule 1 of the lease")
    gone = make_observation("Gone 0")
    observations.delete(pk=gone.pk, at=NOW)
    observations.update(pk=row.pk, edit=Edit(title="Rule 0a of the lease"), at=NOW)
    few = [_queries(lambda url=url: browser.get(url)) for url in asked]  # type: ignore[misc]
    for number in range(2, 21):
        relations.candidates(make_observation(f"Rule {number} of the lease"), at=NOW)
        observations.update(pk=row.pk, edit=Edit(title=f"Rule {number} of the clock"), at=NOW)
        observations.delete(pk=make_observation(f"Gone {number}").pk, at=NOW)
    assert [_queries(lambda url=url: browser.get(url)) for url in asked] == few  # type: ignore[misc]
