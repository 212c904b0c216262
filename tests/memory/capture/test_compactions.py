"""What an agent keeps of a shortened conversation is archived, and its next turn says once what became of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from django.utils import timezone

from memory.capture.accept import accept
from memory.capture.compactions import TITLE, TOPIC
from memory.capture.document import parse
from memory.engram import observations, sessions
from memory.models import Injection, Observation, Setting
from memory.recall.injection import recall
from memory.transcripts.conversation import Json
from tests.makers import make_entry_text, make_project, make_tree

pytestmark = pytest.mark.django_db(transaction=True)

BODY = "- Found that `trim_rows` in src/importer.py drops trailing blanks"
QUESTION = "why does trim_rows in src/importer.py drop blanks?"
SUMMARY = "We were fixing the importer."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(make_tree(tmp_path / "harbor", {"2026-01-15": make_entry_text(session="old", body=BODY)}))
    return tmp_path / "harbor"


def compact(cwd: Path | str, *, text: str = SUMMARY) -> None:
    """Deliver a compaction of the session `now`, as DSH's connector does."""
    data: Json = {"compactionId": "c1", "summary": [{"type": "text", "text": text}]}
    event: Json = {"type": "compaction/summary", "seq": 3, "data": data}
    session: Json = {"id": "now", "cwd": str(cwd)}
    body: Json = {"platform": "dsh", "session": session, "from_seq": 0, "next_seq": 4, "events": [event]}
    accept(parse(body), at=timezone.now())


def told(cwd: Path | str, *, query: str = "", session: str = "now", budget: int = 3000) -> str:
    return recall(session=session, cwd=str(cwd), query=query, budget=budget, at=timezone.now()).text


def test_the_next_turn_says_that_the_summary_is_safe_and_the_one_after_does_not(root: Path) -> None:
    compact(root)
    compact(root)

    assert Observation.objects.get().content == SUMMARY
    assert told(root, session="another") == ""
    assert "its summary is saved: do not save it again" in told(root)
    assert told(root) == ""


def test_it_stands_before_what_is_recalled_and_within_the_budget(root: Path) -> None:
    compact(root)

    text = told(root, query=QUESTION, budget=500)

    notice, _, memory = text.partition("\n\n")
    assert notice.startswith("[memdock]") and "trim_rows" in memory
    assert len(text) <= 500
    assert [bool(row.hits) for row in Injection.objects.all()] == [True]


def test_a_session_without_a_project_is_told_that_nothing_is_saved() -> None:
    compact("")

    assert not Observation.objects.exists()
    assert "its project is not known" in told("")
    assert told("") == ""


def test_what_the_plugin_archived_is_neither_saved_nor_told_again(root: Path) -> None:
    sessions.register(id="now", project="harbor", directory=str(root), at=timezone.now())
    observations.save(
        session_id="now",
        project="harbor",
        title=TITLE,
        content=SUMMARY,
        type="session_summary",
        scope="project",
        topic_key=TOPIC,
        operation_id=f"compaction/now/{hashlib.sha256(SUMMARY.encode()).hexdigest()[:16]}",
        at=timezone.now(),
    )

    compact(root)

    assert Observation.objects.get().revision_count == 1
    assert told(root) == ""


def test_a_project_that_wants_no_recall_is_told_nothing(root: Path) -> None:
    Setting.objects.create(project=None, key="recall.enabled", value=False)
    compact(root)

    assert told(root, query=QUESTION) == ""
    assert Observation.objects.exists()
