"""The page of numbers: what is counted, in which days, and where each number leads."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone

from memory.models import Capture, Injection, Observation, Session
from memory.recall.injection import recall
from memory.search import index
from memory.stats import period, told
from memory.stats.written import memories
from tests.dock.test_captures import make_capture
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.engram.makers import make_observation, make_prompt, make_session

STATS = "/dock/stats/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'
CLAUDE = "### 10:00\n<!-- session:c1 turn:1 transcript:/h/c.jsonl -->\n- Did another thing\n\n"


def ago(days: int) -> date:
    return timezone.localdate() - timedelta(days=days)


def make_day(root: Path, days: int, text: str = "", *, entries: int = 1) -> None:
    """Write a day file of so many days ago."""
    made = "".join(make_entry_text(f"09:{n:02d}", turn=str(n)) for n in range(entries))
    make_tree(root, {ago(days).isoformat(): text or made})


def make_told(session: Session, *refs: str, **over: Any) -> Injection:
    hits = [{"ref": ref, "title": f"About {ref}", "relevance": 0.7} for ref in refs]
    reason = "" if refs else "Nothing was found."
    values = {"query": "Where are leases kept?", "text": "told" if refs else "", "hits": hits, "reason": reason}
    return Injection.objects.create(session=session, **values | {"took_ms": 8, "at": timezone.now()} | over)


def shown(browser: Client, **query: str) -> Any:
    return browser.get(STATS, query).context["page"]


def figures(page: Any) -> dict[str, str]:
    return {one.name: one.value for one in page.figures}


def shares(rows: Any) -> list[tuple[str, int, str]]:
    return [(row.label, row.value, row.share) for row in rows]


def test_counts_what_was_written_in_the_period(browser: Client, tree: Path) -> None:
    for days, entries in ((1, 2), (20, 3), (40, 1), (200, 4)):
        make_day(tree, days, entries=entries)
    make_project(tree)
    make_observation(project="harbor")
    make_prompt(project="harbor")
    Observation.objects.filter(pk=make_observation("Old").pk).update(created_at=timezone.now() - timedelta(days=40))
    found = {name: figures(shown(browser, period=name)) for name in ("7", "30", "90", "all")}
    assert [found[name]["Entries written"] for name in found] == ["2", "5", "6", "10"]
    assert [found[name]["Memories saved"] for name in found] == ["1", "1", "2", "2"]
    assert found["7"]["Prompts"] == "1"
    assert {one.name: one.note for one in shown(browser).figures}["Entries written"] == (
        "4 more than in the 30 days before"
    )


def test_deleted_memories_do_not_count(browser: Client) -> None:
    Observation.objects.filter(pk=make_observation().pk).update(deleted_at=timezone.now())
    assert figures(shown(browser))["Memories saved"] == "0"


def test_numbers_lead_to_their_lists(browser: Client, tree: Path) -> None:
    make_day(tree, 1)
    make_project(tree)
    make_observation(project="harbor")
    for query in ({}, {"period": "all"}, {"project": "harbor", "by": "agent"}):
        page = shown(browser, **query)
        lines = [number.url for line in page.chart.lines for number in line.numbers if number.value]
        rows = [row.url for row in (*page.projects, *page.agents, *page.types)]
        for url in {*lines, *rows, *(one.url for one in page.figures if one.url != "#told")}:
            assert url
            assert browser.get(url).status_code == 200, url
    [url] = {one.url for one in shown(browser).figures if one.name == "Entries written"}
    assert parse_qs(urlsplit(url).query) == {
        "kind": ["entry"],
        "since": [ago(29).isoformat()],
        "until": [ago(0).isoformat()],
    }


def test_tells_projects_and_agents_apart(browser: Client, tree: Path, tmp_path: Path) -> None:
    make_day(tree, 1, make_entry_text() + make_entry_text(turn="2") + CLAUDE)
    make_project(tree)
    other = tmp_path / "gate"
    other.mkdir()
    make_day(other, 2, make_entry_text(session="g1"))
    make_project(other)
    page = shown(browser)
    assert shares(page.projects) == [("harbor", 3, "75 %"), ("gate", 1, "25 %")]
    assert shares(page.agents) == [("dsh", 3, "75 %"), ("claude-code", 1, "25 %")]
    assert figures(page)["Entries written"] == "4"
    own = shown(browser, project="gate")
    assert (own.projects, shares(own.agents)) == ([], [("dsh", 1, "100 %")])
    by_agent = shown(browser, by="agent").chart
    assert [(one.name, one.level) for one in by_agent.series] == [("dsh", 4), ("claude-code", 3)]
    assert [[number.value for number in line.numbers] for line in by_agent.lines] == [[2, 1], [1, 0]]


def test_the_chart_says_the_same_as_a_table(browser: Client, tree: Path) -> None:
    make_day(tree, 0, entries=2)
    make_day(tree, 3, entries=1)
    make_project(tree)
    make_observation(project="harbor")
    told_ = browser.get(STATS, {"period": "7"}).content.decode()
    assert 'role="img" aria-label="Entries and memories a day, ' in told_
    chart = shown(browser, period="7").chart
    assert [[number.value for number in line.numbers] for line in chart.lines] == [[2, 1], [1, 0]]
    assert len(chart.columns) == 7
    assert " style=" not in told_


def test_sums_up_what_agents_were_told(browser: Client) -> None:
    session = make_session()
    for refs, ms in ((["entry:1", "observation:2"], 4), (["entry:1"], 6), ([], 90)):
        make_told(session, *refs, took_ms=ms)
    make_told(session, query="", reason="Nothing is told at the start of a session in this project.")
    make_told(session, "entry:3", at=timezone.now() - timedelta(days=50))
    page = shown(browser)
    assert (page.told.asked, page.told.answered, page.told.share, page.told.memories) == (3, 2, "67 %", 3)
    assert [(one.title, one.times, one.url) for one in page.told.most] == [
        ("About entry:1", 2, "/dock/entries/1/"),
        ("About observation:2", 1, "/dock/memories/2/"),
    ]
    assert shares(page.told.sure) == [("likely", 3, "100 %")]
    assert [(one.title, one.times) for one in page.told.reasons] == [("Nothing was found.", 1)]
    assert [(one.title, one.times) for one in page.told.unanswered] == [("Where are leases kept?", 1)]
    assert browser.get(page.told.unanswered[0].url).status_code == 200
    [pace] = page.paces
    assert (pace.what, pace.median, pace.p95, pace.slowest) == ("Recall before a turn", "6 ms", "90 ms", "90 ms")
    make_told(make_session("g1", project="gate"), "entry:9")
    assert shown(browser, project="gate").told.asked == 1


def test_reads_only_the_newest_times_and_says_so(browser: Client) -> None:
    session = make_session()
    row = make_told(session)
    Injection.objects.bulk_create(
        Injection(session=session, query="q", text="told", took_ms=1, at=row.at + timedelta(microseconds=n + 1))
        for n in range(told.MOST_READ)
    )
    page = shown(browser, period="all").told
    assert (page.asked, page.answered, page.read) == (told.MOST_READ, told.MOST_READ, told.MOST_READ)


@pytest.mark.parametrize("query", ["zzyzx quux?", "Which coffee machine has the kitchen?"])
def test_recall_says_in_these_words_that_nothing_is_known(tree: Path, db: None, query: str) -> None:
    make_day(tree, 1, make_entry_text(body="- The lease race in the berth allocator was fixed"))
    make_project(tree)
    index.follow()
    recalled = recall(session="now", cwd=str(tree), query=query, at=timezone.now())
    assert recalled.reason in told.UNANSWERED


def test_sums_up_captured_turns(browser: Client) -> None:
    now = timezone.now().replace(microsecond=0)
    done: dict[str, Any] = {
        "state": "written",
        "summarizer": "custom",
        "written_at": now,
        "occurred_at": now - timedelta(seconds=8),
    }
    make_capture(1, **done, input_tokens=1000, output_tokens=50, cost_usd="0.25", duration_ms=3000)
    make_capture(2, **done, input_tokens=500, output_tokens=50, duration_ms=5000)
    make_capture(3, **done | {"written_at": now - timedelta(days=60)}, input_tokens=1)
    make_capture(4, state="unavailable")
    page = shown(browser)
    assert shares(page.turns.states) == [("written", 3, "75 %"), ("no summary", 1, "25 %")]
    [day] = page.turns.days
    assert (day.day, day.summaries, day.tokens, day.cost) == (timezone.localdate(now), 2, 1600, "$0.25")
    assert (page.turns.total.summaries, page.turns.total.detail) == (2, "1,500 in, 100 out")
    assert [(one.what, one.median) for one in page.paces] == [
        ("Summary of a turn", "3.0 s"),
        ("End of a turn to its entry", "8.0 s"),
    ]
    assert browser.get(page.turns.states[1].url).context["page"].rows[0].state == "unavailable"


def test_turns_of_the_past_say_nothing_about_how_quick_entries_come(browser: Client) -> None:
    now = timezone.now()
    make_capture(1, state="written", summarizer="custom", written_at=now, is_backfilled=True)
    page = shown(browser)
    assert (page.turns.total.summaries, page.paces) == (1, [])


def test_tells_how_much_is_in_the_index(browser: Client, tree: Path) -> None:
    make_day(tree, 1, entries=3)
    make_project(tree)
    index.follow()
    for query in ({}, {"project": "harbor"}):
        page = shown(browser, **query)
        assert shares(page.index.kinds) == [("entry", 3, "75 %"), ("session", 1, "25 %")]
        assert page.index.documents == 4
        assert (page.index.vectors is None) == bool(query)


def test_the_day_of_a_memory_is_the_local_one(db: None) -> None:
    for zone, day in (
        ("UTC", date(2026, 1, 14)),
        ("Asia/Kolkata", date(2026, 1, 15)),
        ("America/Lima", date(2026, 1, 14)),
    ):
        Observation.objects.all().delete()
        row = make_observation(f"Seen from {zone}")
        Observation.objects.filter(pk=row.pk).update(created_at=datetime(2026, 1, 14, 23, 30, tzinfo=UTC))
        with override_settings(TIME_ZONE=zone):
            assert [key[0] for key in memories(None, period.Period(date(2026, 1, 20)))] == [day]
            assert memories(None, period.Period(day, 1))
            assert not memories(None, period.Period(day - timedelta(days=1), 1))


def test_filters_that_cannot_be_are_left_out(browser: Client) -> None:
    page = shown(browser, period="12 parsecs", by="moon")
    assert [label for label, _, is_current in page.periods if is_current] == ["30 days"]
    assert browser.get(STATS, {"project": "nowhere"}).status_code == 404


def test_the_state_is_kept_in_links(browser: Client, tree: Path) -> None:
    make_day(tree, 1)
    make_project(tree)
    page = shown(browser, project="harbor", period="90", by="agent")
    assert page.url == f"{STATS}?project=harbor&period=90&by=agent"
    assert [url for label, url, _ in page.periods if label == "7 days"] == [f"{STATS}?project=harbor&period=7&by=agent"]
    assert [url for _, url, is_current in page.views if not is_current] == [f"{STATS}?project=harbor&period=90"]


def test_an_empty_dock_says_what_comes_next(browser: Client) -> None:
    told_ = browser.get(STATS, {"period": "all"}).content.decode()
    assert "Nothing to count yet" in told_
    assert "Connect an agent" in told_
    assert "Nothing was written in these days." in browser.get(STATS).content.decode()


def test_a_fragment_is_its_part_alone(browser: Client) -> None:
    fragment = browser.get(STATS, headers=HTMX).content.decode()
    assert "<html" not in fragment
    assert fragment.strip().startswith('<div class="stack" id="stats" data-live=')
    restored = browser.get(STATS, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()
    assert "<html" in restored


def test_only_people_who_are_signed_in_read_it_and_nobody_writes(client: Client, browser: Client) -> None:
    assert browser.post(STATS).status_code == 405
    client.logout()
    assert client.get(STATS)["Location"].startswith("/dock/sign-in/")


def test_the_rail_leads_here(browser: Client) -> None:
    [item] = [one for one in browser.get(STATS).context["shell"].nav if one.name == "stats"]
    assert (item.label, item.url, item.icon, item.is_current) == ("Stats", STATS, "chart-bar", True)


def test_hostile_names_are_escaped_and_lead_on(browser: Client) -> None:
    session = make_session(f"a/b?%{SCRIPT}", project="x y/ñ")
    make_observation(f"{SCRIPT}", session_id=session.external_id, project="x y/ñ", type="<b>&?#")
    make_told(session, "weird:1", query=f"{SCRIPT} & more?", hits=[{"ref": "weird:1", "title": SCRIPT}])
    make_told(session, query=f"{SCRIPT} & more?")
    answer = browser.get(STATS)
    assert "<script>alert" not in answer.content.decode()
    page = answer.context["page"]
    for url in (*(row.url for row in page.types), *(row.url for row in page.told.unanswered)):
        assert browser.get(url).status_code == 200
    assert browser.get(STATS, {"project": session.project.name}).status_code == 200


def test_many_rows_take_as_many_queries_as_one(browser: Client, tree: Path) -> None:
    counts = []
    for number in (1, 20):
        for day in range(number):
            make_day(tree, day, entries=2)
        project = make_project(tree)
        for n in range(number):
            session = make_session(f"s{number}-{n}", project=project.name)
            make_observation(f"Memory {number} {n}", session_id=session.external_id, type=f"type{n}")
            make_told(session, f"entry:{n}")
            make_capture(n, session=f"s{number}-{n}", state="written", summarizer="x", written_at=timezone.now())
        index.follow()
        with CaptureQueriesContext(connection) as queries:
            browser.get(STATS)
        counts.append(len(queries))
    assert Capture.objects.count() == 21
    assert counts[0] == counts[1]
