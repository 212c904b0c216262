"""Taking in agents' conversations from a browser: looked at by the worker, chosen in part, confirmed, done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memory.engram.exchange import runs
from memory.models import AuditEntry, Capture, ImportRun, Project, Setting
from tests.makers import make_project, make_tree
from tests.memory.capture.backfill.stores import WHEN, lines, write

PAGE = "/dock/import/"
HTMX = {"HX-Request": "true"}
SCRIPT = '/gone/"><script>alert(1)</script>'


@pytest.fixture(autouse=True)
def greenwich() -> Iterator[None]:
    with timezone.override(UTC):
        yield


@pytest.fixture
def quay(db: None, tmp_path: Path) -> Project:
    return make_project(make_tree(tmp_path / "quay"))


@pytest.fixture
def store(quay: Project, tmp_path: Path, settings: Any) -> Path:
    """The store of Claude Code on this machine; there is no other agent."""
    projects = tmp_path / "claude" / "projects"
    write(projects / "a", lines(quay.root, 1, 2), session="one")
    write(projects / "b", lines(quay.root, 3, when=WHEN.replace(day=9)), session="two")
    write(projects / "c", lines(SCRIPT, 4), session="three")
    empty: dict[str, list[Path]] = {name: [] for name in ("codex", "openclaw", "opencode", "dsh")}
    settings.MEMDOCK_TRANSCRIPT_ROOTS = {"claude-code": [projects], **empty}
    return projects


def look(browser: Client, path: Path | str = "agents", *, works: bool = True) -> Any:
    """Name a source, have the worker look at it, and return the page that tells what it found."""
    return answered(browser, browser.post(PAGE, {"path": str(path)}, follow=True), works=works)


def answered(browser: Client, answer: Any, *, works: bool = True) -> Any:
    url = answer.context["page"].url
    if works:
        runs.perform.call(int(url.split("/")[-2]))
    return browser.get(url)


def rows(answer: Any) -> list[tuple[str, int, int, int]]:
    return [(row.name, row.new, row.known, row.left_out) for row in answer.context["page"].turns.rows]


def test_the_worker_looks_first_and_takes_nothing(browser: Client, store: Path) -> None:
    waiting = look(browser, works=False)
    page = waiting.context["page"]
    assert (page.source, page.kind, page.state) == (
        "Agents of this machine",
        "conversations of Claude Code",
        "being looked at",
    )
    assert "Waits for the worker" in waiting.content.decode()
    assert (page.is_under_way, page.start_url, page.turns) == (True, "", None)
    assert browser.get(PAGE).context["page"].rows[0].words == ""

    found = answered(browser, waiting)

    page = found.context["page"]
    assert (page.state, page.is_under_way) == ("not imported yet", False)
    assert rows(found) == [("quay", 3, 0, 0), (SCRIPT, 0, 0, 1)]
    assert page.turns.left_out == ["1 from directories without a project"]
    assert not Capture.objects.exists()
    assert "<script>alert" not in found.content.decode()


def test_a_path_on_the_server_is_as_good(browser: Client, store: Path) -> None:
    assert rows(look(browser, store / "a")) == [("quay", 2, 0, 0)]
    assert rows(look(browser, store / "b" / "two.jsonl")) == [("quay", 1, 0, 0)]
    assert browser.post(PAGE, {"path": str(store / "none")}).status_code == 422


def test_a_part_is_chosen_by_project_and_days(browser: Client, store: Path) -> None:
    page = look(browser).context["page"]
    assert [option.label for option in page.part.projects] == ["quay"]

    found = answered(browser, browser.post(page.part.url, {"since": "2026-03-05"}, follow=True))
    assert rows(found) == [("quay", 1, 0, 0)]
    assert (found.context["page"].part.since, found.context["page"].part.is_part) == ("2026-03-05", True)
    found = answered(browser, browser.post(page.part.url, {"project": "quay", "until": "2026-03-05"}, follow=True))
    assert rows(found) == [("quay", 3, 0, 0)]
    assert "1 new from directories without a project" in found.content.decode()
    assert found.context["page"].part.projects[0].is_selected

    browser.post(found.context["page"].start_url)
    runs.perform.call(ImportRun.objects.get().pk)
    assert Capture.objects.count() == 3
    assert not Capture.objects.filter(session__external_id="two").exists()


def test_turns_are_queued_after_the_confirmation_and_known_then(browser: Client, owner: User, store: Path) -> None:
    page = look(browser).context["page"]
    answer = browser.post(page.start_url, follow=True)
    assert answer.context["page"].state == "queued"

    done = answered(browser, answer)

    page = done.context["page"]
    assert (page.state, page.counted, page.part) == ("done", "What was imported", None)
    assert rows(done) == [("quay", 3, 0, 0), (SCRIPT, 0, 0, 1)]
    assert Capture.objects.filter(state="queued", is_backfilled=True).count() == 3
    assert browser.get(page.turns.captures_url).status_code == 200
    assert AuditEntry.objects.get(action="import.started").actor == owner
    assert browser.get(PAGE).context["page"].rows[0].words == "3 turns new, 2 sessions new"
    assert rows(look(browser)) == [("quay", 0, 3, 0), (SCRIPT, 0, 0, 1)]


def test_says_how_long_the_summaries_take(browser: Client, store: Path) -> None:
    Setting.objects.create(project=None, key="capture.daily_summaries", value=2)
    found = look(browser)
    assert (found.context["page"].turns.per_day, found.context["page"].turns.days) == (1, 3)
    assert "At most 1 old turn a day is summarised" in found.content.decode()
    Setting.objects.update(value=0)
    assert "a day" not in browser.get(found.context["page"].url).content.decode()


def test_says_how_far_it_is(browser: Client, store: Path) -> None:
    url = look(browser, works=False).context["page"].url
    report = ImportRun.objects.get().report
    ImportRun.objects.update(state="running", report=report | {"progress": [40, 90]})
    told = browser.get(url, headers=HTMX).content.decode()
    assert told.strip().startswith('<div id="run"')
    assert "40 of 90 conversations looked at" in told


def test_wrong_days_are_said_and_change_nothing(browser: Client, store: Path) -> None:
    page = look(browser).context["page"]
    for wrong in ({"since": "soon"}, {"since": "2026-03-05", "until": "2026-03-04"}, {"project": "x" * 201}):
        assert browser.post(page.part.url, wrong).status_code == 422
    assert ImportRun.objects.get().state == "preview"


def test_what_was_started_is_not_chosen_anew(browser: Client, store: Path) -> None:
    page = look(browser).context["page"]
    browser.post(page.start_url)
    answer = browser.post(page.part.url, {}, follow=True)
    assert "This import was started already." in answer.content.decode()
    assert (ImportRun.objects.get().state, "looking" in ImportRun.objects.get().report) == ("queued", False)


def test_a_source_that_went_away_fails_and_says_why(browser: Client, store: Path) -> None:
    waiting = look(browser, store / "a", works=False)
    (store / "a" / "one.jsonl").unlink()
    failed = answered(browser, waiting)
    assert failed.context["page"].state == "failed"
    assert "holds nothing to import" in failed.context["page"].error


def test_only_who_may_import_looks(client: Client, guest: User, browser: Client, store: Path) -> None:
    page = look(browser).context["page"]
    client.force_login(guest)
    assert client.post(PAGE, {"path": "agents"}).status_code == 403
    assert client.post(page.part.url, {}).status_code == 403
    seen = client.get(page.url).context["page"]
    assert (seen.part, seen.start_url) == (None, "")
    assert client.get(page.part.url).status_code == 405
    client.logout()
    assert client.post(page.part.url, {}).status_code == 302
