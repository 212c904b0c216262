"""From a memory back to the conversation that it was made from: by API, command and page."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memory.models import Entry, Project
from memory.recall import transcript as recall
from memory.recall.expand import CannotExpand, NotFound
from tests.makers import make_project, make_tree
from tests.memory.transcripts.homes import Home, Written, make
from tests.places import FIXTURES

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    if not FIXTURES.is_dir():
        pytest.skip("the generator of conversations is not here")
    return make(tmp_path_factory.mktemp("agents") / "out")


@pytest.fixture
def remembered(made: Home, settings: Settings) -> Project:
    """The journals of a home whose agents' folders are the known ones, in the home's own time zone."""
    settings.MEMDOCK_TRANSCRIPT_ROOTS = {name: [str(root) for root in roots] for name, roots in made.roots.items()}
    settings.TIME_ZONE = "UTC"
    return make_project(made.folder / "project")


def written(entry: Entry) -> Written:
    """Return an entry's anchor as it stands in its file."""
    lines = (Path(entry.project.memory_dir) / entry.journal.path).read_text().split("\n")
    return Written(entry.date, entry.time, lines[entry.start_line])


def forbidden(made: Home, *, is_active: bool) -> set[str]:
    """Return what must not be told; an entry of a turn that was rewound shows that turn all the same."""
    every = [one for session in made.truth["sessions"] for one in session["forbidden"]]
    return {one["marker"] for one in every if one["scope"] == "never" or is_active}


def test_every_entry_leads_to_its_turn(made: Home, remembered: Project) -> None:
    assert timezone.get_default_timezone_name() == "UTC"
    assert made.truth["utc_offset_minutes"] == 0
    for entry in remembered.entries.select_related("journal", "project", "session"):
        _, turn = made.turn_of(written(entry))
        found = recall.of_entry(entry, context=1).transcript
        asked = next((one for one in found.turns if one.number == found.asked), None)
        assert found.found_by == turn["resolve"]
        if turn["resolve"] == "id":
            assert asked
            assert asked.user == turn["user"]


def test_the_api_tells_the_turns_and_never_what_is_forbidden(made: Home, remembered: Project, browser: Client) -> None:
    for entry in remembered.entries.select_related("journal", "project"):
        _, turn = made.turn_of(written(entry))
        reply = browser.get(f"/api/v1/recall/transcript?ref=entry:{entry.pk}&context=2")
        assert reply.status_code == 200
        assert reply.json()["ref"] == f"entry:{entry.pk}"
        assert {message["role"] for message in reply.json()["turns"]} <= {"user", "assistant"}
        assert not [marker for marker in forbidden(made, is_active=turn["active"]) if marker in reply.content.decode()]


def test_a_session_leads_to_its_last_turns(remembered: Project, browser: Client) -> None:
    session = remembered.sessions.filter(platform="claude-code")[0]

    reply = browser.get("/api/v1/recall/transcript", {"ref": f"session:{session.key}"})

    assert reply.status_code == 200
    assert reply.json()["turns"]


def test_the_page_shows_the_conversation(remembered: Project, browser: Client) -> None:
    entry = remembered.entries.filter(platform="dsh").exclude(turn="")[0]

    page = browser.get(f"/dock/entries/{entry.pk}/transcript/").content.decode()

    assert "Conversation</h1>" in page
    assert 'aria-current="true"' in page
    assert "LEAK-" not in page


def test_the_entry_links_to_its_conversation(remembered: Project, browser: Client) -> None:
    entry = remembered.entries.all()[0]

    assert f"/dock/entries/{entry.pk}/transcript/" in browser.get(f"/dock/entries/{entry.pk}/").content.decode()


def test_the_command_tells_the_same(remembered: Project) -> None:
    entry, out = remembered.entries.filter(platform="codex")[0], StringIO()

    call_command("transcript", f"entry:{entry.pk}", as_json=True, stdout=out)

    told = json.loads(out.getvalue())
    assert (told["ref"], told["platform"]) == (f"entry:{entry.pk}", "codex")


def test_a_conversation_elsewhere_is_said_in_words(tree: Path, browser: Client) -> None:
    text = "### 09:00\n<!-- session:nowhere turn:1 db:/etc/passwd -->\n- A\n"
    entry = make_project(make_tree(tree, {"2026-01-05": text})).entries.get()

    page = browser.get(f"/dock/entries/{entry.pk}/transcript/")
    reply = browser.get("/api/v1/recall/transcript", {"ref": f"entry:{entry.pk}"})

    assert page.status_code == 200
    assert "cannot be shown" in page.content.decode()
    assert "root:" not in page.content.decode()
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "unavailable")
    with pytest.raises(CommandError):
        call_command("transcript", f"entry:{entry.pk}")


@pytest.mark.parametrize("ref", ["entry:999999", "entry:x", "entry:" + "9" * 30, "session:nobody", "session:"])
def test_what_is_not_there_is_not_found(ref: str, browser: Client) -> None:
    with pytest.raises(NotFound):
        recall.transcript(ref)
    assert browser.get("/api/v1/recall/transcript", {"ref": ref}).status_code == 404


def test_a_skill_has_no_conversation(browser: Client) -> None:
    with pytest.raises(CannotExpand):
        recall.transcript("skill:harbor/tidy")
    assert browser.get("/api/v1/recall/transcript", {"ref": "skill:harbor/tidy"}).status_code == 422
