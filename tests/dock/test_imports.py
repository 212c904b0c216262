"""Importing from a browser: looked at, confirmed, done, and listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memory.engram.exchange import runs
from memory.models import AuditEntry, ImportRun, Observation, Project
from tests.makers import make_entry_text, make_tree

PAGE = "/dock/import/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'


@pytest.fixture(autouse=True)
def data(tmp_path: Path, settings: Any) -> None:
    """A data directory of its own, where uploads wait."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()


def export(*titles: str, project: str = "harbor") -> bytes:
    """Return an export of Engram with one session and these memories."""
    at = "2026-01-05 10:00:00"
    session = {"id": "s1", "project": project, "directory": "/src", "started_at": at}
    memories = [
        {
            "id": number,
            "sync_id": f"obs-{number:016x}",
            "session_id": "s1",
            "type": "decision",
            "title": title,
            "content": f"{title}.",
            "project": project,
            "scope": "project",
            "revision_count": 1,
            "duplicate_count": 1,
            "created_at": at,
            "updated_at": at,
        }
        for number, title in enumerate(titles, 1)
    ]
    told = {"version": "0.1.0", "exported_at": at, "sessions": [session], "observations": memories, "prompts": []}
    return json.dumps(told).encode()


def upload(browser: Client, content: bytes, *, name: str = "export.json", project: str = "") -> Any:
    """Upload a file and follow to what importing it would do."""
    return browser.post(PAGE, {"file": SimpleUploadedFile(name, content), "project": project}, follow=True)


def rows(answer: Any) -> dict[str, tuple[int, int, int]]:
    return {row.label: (row.new, row.updated, row.same) for row in answer.context["page"].counts}


def finish(answer: Any) -> ImportRun:
    """Do what the worker does with the run of a page."""
    row = ImportRun.objects.get(pk=int(answer.context["page"].url.split("/")[-2]))
    runs.perform.call(row.pk)
    row.refresh_from_db()
    return row


def test_shows_what_an_upload_would_bring_and_imports_nothing(browser: Client) -> None:
    answer = upload(browser, export("Leases", "Tides"))
    page = answer.context["page"]
    assert (page.source, page.kind, page.state) == ("export.json", "an Engram export", "not imported yet")
    assert rows(answer)["Sessions"] == (1, 0, 0)
    assert rows(answer)["Memories"] == (2, 0, 0)
    assert not Observation.objects.exists()


def test_imports_after_the_confirmation(browser: Client, owner: User) -> None:
    page = upload(browser, export("Leases", "Tides")).context["page"]
    answer = browser.post(page.start_url, follow=True)
    assert "Waits for the worker" in answer.content.decode()
    assert 'hx-trigger="every 1s"' in answer.content.decode()
    assert finish(answer).state == "done"
    done = browser.get(page.url)
    assert "every 1s" not in done.content.decode()
    assert (done.context["page"].counted, rows(done)["Memories"]) == ("What was imported", (2, 0, 0))
    assert set(Observation.objects.values_list("title", flat=True)) == {"Leases", "Tides"}
    assert AuditEntry.objects.get(action="import.started").actor == owner
    [row] = browser.get(PAGE).context["page"].rows
    assert (row.state, row.words) == ("done", "1 session new, 2 memories new")


def test_the_same_again_is_the_same(browser: Client) -> None:
    content = export("Leases")
    finish(browser.post(upload(browser, content).context["page"].start_url, follow=True))
    assert rows(upload(browser, content))["Memories"] == (0, 0, 1)


def test_starting_twice_is_harmless(browser: Client) -> None:
    page = upload(browser, export("Leases")).context["page"]
    browser.post(page.start_url)
    assert "This import was started already." in browser.post(page.start_url, follow=True).content.decode()
    assert "This import was started already." in browser.post(page.discard_url, follow=True).content.decode()
    assert ImportRun.objects.get().state == "queued"


def test_forgets_what_nobody_wants(browser: Client, settings: Any) -> None:
    page = upload(browser, export("Leases")).context["page"]
    assert _kept(settings)
    answer = browser.post(page.discard_url, follow=True)
    assert "Nothing was imported." in answer.content.decode()
    assert not ImportRun.objects.exists()
    assert not _kept(settings)
    assert browser.post(page.discard_url).status_code == 404


def _kept(settings: Any) -> list[Path]:
    return [path for path in settings.DATA_DIR.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_takes_a_path_on_this_machine(browser: Client, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "harbor", {"2026-01-05": make_entry_text()})
    answer = browser.post(PAGE, {"path": str(root)}, follow=True)
    page = answer.context["page"]
    assert (page.journals.project, page.journals.days, page.journals.entries) == ("harbor", 1, 1)
    assert not Project.objects.exists()
    finish(browser.post(page.start_url, follow=True))
    assert Project.objects.get().name == "harbor"


def test_puts_everything_into_one_project(browser: Client) -> None:
    answer = upload(browser, export("Leases"), project="gate")
    assert answer.context["page"].project == "gate"
    finish(browser.post(answer.context["page"].start_url, follow=True))
    assert Observation.objects.get().project.name == "gate"


def test_says_what_cannot_be_imported_and_keeps_what_was_typed(browser: Client) -> None:
    answer = browser.post(PAGE, {"path": "/nowhere/at/all", "project": "gate"})
    assert answer.status_code == 422
    told = answer.content.decode()
    assert "/nowhere/at/all does not exist." in told and 'value="gate"' in told
    for data in ({}, {"path": "/x", "file": SimpleUploadedFile("a.json", b"{}")}):
        assert "Choose a file or name a path, one of the two." in browser.post(PAGE, data).content.decode()
    assert "This file is empty." in upload(browser, b"").content.decode()
    assert upload(browser, b"no json").status_code == 422
    assert browser.post(PAGE, {"path": "a\0b"}).status_code == 422
    assert upload(browser, export("Leases"), project="x" * 201).status_code == 422
    assert not ImportRun.objects.exists()


def test_lists_what_was_skipped_and_why_up_to_a_bound(browser: Client) -> None:
    row = ImportRun.objects.create(
        source="a",
        state="done",
        report={
            "observations": {"new": 1},
            "relations": {"new": 0, "unresolved": 2},
            "skipped": [{"what": f"observation {number}", "why": "It names no session."} for number in range(130)],
            "problems": [{"what": SCRIPT, "why": SCRIPT}],
        },
    )
    answer = browser.get(f"{PAGE}{row.pk}/")
    skipped, problems = answer.context["page"].notes
    assert (len(skipped.rows), skipped.count, skipped.more, problems.count) == (100, 130, 30, 1)
    told = answer.content.decode()
    assert "2 relations wait for a memory" in told and "<script>alert" not in told


def test_says_how_far_it_is_and_why_it_failed(browser: Client) -> None:
    row = ImportRun.objects.create(source=SCRIPT, state="running", report={"progress": [40, 90]})
    answer = browser.get(f"{PAGE}{row.pk}/", headers=HTMX)
    assert answer.content.decode().strip().startswith('<div id="run"')
    assert "40 of 90 records" in answer.content.decode()
    ImportRun.objects.update(state="failed", error="The disk is full.")
    for address in (f"{PAGE}{row.pk}/", PAGE):
        told = browser.get(address).content.decode()
        assert "The disk is full." in told and "<script>alert" not in told


def test_pages_through_all_imports(browser: Client) -> None:
    ImportRun.objects.bulk_create(ImportRun(source=str(number), state="done") for number in range(60))
    first = browser.get(PAGE).context["page"]
    second = browser.get(first.next_url).context["page"]
    assert [row.source for row in first.rows + second.rows] == [str(number) for number in reversed(range(60))]


def test_only_who_may_import_does(client: Client, guest: User) -> None:
    row = ImportRun.objects.create(source="a", state="preview")
    client.force_login(guest)
    for address in (PAGE, f"{PAGE}{row.pk}/start/", f"{PAGE}{row.pk}/discard/"):
        assert client.post(address, {"path": "/etc"}).status_code == 403
    assert client.get(PAGE).context["page"].form is None
    assert client.get(f"{PAGE}{row.pk}/").context["page"].start_url == ""


def test_answers_404_and_405_where_there_is_nothing_to_do(browser: Client) -> None:
    for pk in (1, 2**70):
        assert browser.get(f"{PAGE}{pk}/").status_code == 404
        assert browser.post(f"{PAGE}{pk}/start/").status_code == 404
    assert browser.get(f"{PAGE}1/start/").status_code == browser.get(f"{PAGE}1/discard/").status_code == 405
    assert browser.put(PAGE).status_code == browser.post(f"{PAGE}1/").status_code == 405
