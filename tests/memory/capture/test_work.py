"""A captured turn becomes an entry of the journal: once, in MemSearch's bytes, and never lost."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.capture import document, outbox, work
from memory.capture.accept import accept
from memory.models import Capture, Change, Entry, Project, Setting
from memory.search.query import search
from tests.makers import make_project, make_tree
from tests.memory.capture.events import dsh_document, dsh_turn

pytestmark = pytest.mark.django_db(transaction=True)

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(make_tree(tmp_path / "harbor"))
    choose("extractive")
    return tmp_path / "harbor"


def choose(summarizer: str, key: str = "capture.summarizer") -> None:
    Setting.objects.update_or_create(project=None, key=key, defaults={"value": summarizer})


def deliver(root: Path | str, number: int = 1, *, session: str = "s1") -> None:
    turn = dsh_turn(number, first=number * 10, asked="Why does src/importer.py skip rows?")
    accept(document.parse(dsh_document(root, turn, session=session, transcript="/h/s.jsonl")), at=timezone.now())


def journals(root: Path) -> str:
    return "".join(path.read_text() for path in sorted((root / ".memsearch" / "memory").glob("*.md")))


def test_a_turn_is_summarised_written_read_and_found(root: Path) -> None:
    deliver(root)

    assert work.step(at=timezone.now())
    assert not work.step(at=timezone.now())

    text = journals(root)
    assert "<!-- session:s1 turn:1 db:/h/s.jsonl -->\n- User asked: Why does src/importer.py skip rows?\n" in text
    assert "- Files: src/importer.py\n- Answer: It trims them.\n\n" in text
    capture = Capture.objects.get()
    assert (capture.state, capture.summarizer) == ("written", "extractive")
    assert capture.entry == Entry.objects.get()
    assert Change.objects.filter(kind="capture.written").count() == 1
    assert [hit.ref for hit in search("importer rows kind:entry").items] == [f"entry:{capture.entry.pk}"]


def test_without_a_summarizer_the_note_says_why_and_a_retry_adds_a_better_version(root: Path) -> None:
    choose("no-such-thing")
    deliver(root)
    work.step(at=timezone.now())
    capture = Capture.objects.get()
    assert (capture.state, capture.reason) == ("unavailable", "there is no summarizer named no-such-thing")
    assert Entry.objects.get().state == "unavailable"

    choose("extractive")
    outbox.retry(pk=capture.pk, actor=COMMAND, at=timezone.now())
    work.step(at=timezone.now())

    capture.refresh_from_db()
    assert (capture.state, capture.version) == ("written", 2)
    assert [entry.state for entry in Entry.objects.order_by("ordinal")] == ["unavailable", "summary"]
    assert capture.entry is not None
    assert capture.entry.supersedes == Entry.objects.get(state="unavailable")


def test_a_written_turn_is_not_tried_again(root: Path) -> None:
    deliver(root)
    work.step(at=timezone.now())

    with pytest.raises(outbox.CannotRetry, match="written"):
        outbox.retry(pk=Capture.objects.get().pk, actor=COMMAND, at=timezone.now())


def test_what_a_crash_left_behind_goes_on_and_is_written_once(root: Path) -> None:
    deliver(root)
    claimed = outbox.claim(worker="elsewhere/1", at=timezone.now())
    assert claimed
    work._work(claimed)  # the process ended between the file and the row
    Capture.objects.update(state="summarising", entry=None, written_at=None, claimed_by="elsewhere/1")
    assert outbox.claim(worker="w", at=timezone.now()) is None

    assert outbox.release_lost(at=timezone.now() + outbox.LEASE + timedelta(minutes=1)) == 1
    work.step(at=timezone.now())

    assert journals(root).count("turn:1 ") == 1
    assert Capture.objects.get().state == "written"


def test_captures_of_one_project_never_overlap(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    make_project(make_tree(other))
    deliver(root, 1)
    deliver(root, 2)
    deliver(other, 3, session="s2")

    claims = [outbox.claim(worker="w", at=timezone.now()) for _ in range(3)]

    assert [claim and claim.turn for claim in claims] == ["1", "3", None]


def test_a_directory_without_memory_gets_one(tmp_path: Path) -> None:
    choose("extractive")
    subprocess.run(["git", "init", "-q", tmp_path / "fresh"], check=True)
    (tmp_path / "fresh" / "src").mkdir()
    deliver(tmp_path / "fresh" / "src")

    work.step(at=timezone.now())

    assert "turn:1 " in journals(tmp_path / "fresh")
    assert not (tmp_path / "fresh" / "src" / ".memsearch").exists()
    assert Project.objects.get(name="fresh").root == str(tmp_path / "fresh")


def test_a_directory_of_another_machine_is_said_and_nothing_is_lost() -> None:
    choose("extractive")
    deliver("/no/such/machine/repo")

    for _ in range(outbox.ATTEMPTS):
        work.step(at=timezone.now() + timedelta(hours=1))

    capture = Capture.objects.get()
    assert (capture.state, capture.reason) == ("skipped", "The directory of this session is not on this machine.")
    assert "It trims them." in capture.rendered


def test_the_daily_limit_stops_summaries_and_no_capture(root: Path, modelled: Path) -> None:
    Setting.objects.create(project=None, key="capture.daily_summaries", value=1)
    deliver(root, 1)
    deliver(root, 2)

    work.step(at=timezone.now())
    work.step(at=timezone.now())

    assert [capture.state for capture in Capture.objects.order_by("pk")] == ["written", "unavailable"]
    assert "the daily limit of 1 summaries is reached" in journals(root)

    choose("extractive")
    deliver(root, 3)
    work.step(at=timezone.now())
    assert Capture.objects.latest("pk").state == "written", "what asks no model counts towards no limit"
