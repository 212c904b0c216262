"""Turns of the past wait for those that are being made: for the worker, for the day's summaries, for a summarizer."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memory.capture import document, outbox, work
from memory.capture.accept import accept
from memory.models import Capture, Project, Setting
from tests.memory.capture.backfill.stores import lines, write
from tests.memory.capture.backfill.takings import take
from tests.memory.capture.events import dsh_document, dsh_turn

pytestmark = pytest.mark.django_db(transaction=True)


def choose(key: str, value: str | int) -> None:
    Setting.objects.update_or_create(project=None, key=key, defaults={"value": value})


@pytest.fixture
def root(harbor: Project, tmp_path: Path) -> Path:
    choose("capture.summarizer", "extractive")
    write(tmp_path / "projects" / "a", lines(harbor.root, 1, 2, 3))
    take(tmp_path / "projects")
    return Path(harbor.root)


def live(root: Path, number: int) -> None:
    turn = dsh_turn(number, first=number * 10, asked="Why does src/importer.py skip rows?")
    accept(document.parse(dsh_document(root, turn, session="live")), at=timezone.now())


def states(*, is_backfilled: bool = True) -> list[str]:
    return list(Capture.objects.filter(is_backfilled=is_backfilled).order_by("pk").values_list("state", flat=True))


def waits() -> tuple[set[str], timedelta]:
    """Return why turns of the past wait, and how long from now."""
    rows = Capture.objects.filter(state="queued", is_backfilled=True)
    return set(rows.values_list("reason", flat=True)), rows[0].next_attempt_at - timezone.now()


def test_live_turns_go_first(root: Path) -> None:
    live(root, 7)

    claimed = outbox.claim(worker="w", at=timezone.now())

    assert claimed is not None
    assert not claimed.is_backfilled


def test_half_of_a_day_is_left_to_live_turns_and_the_rest_waits_for_the_next(root: Path, modelled: Path) -> None:
    choose("capture.daily_summaries", 2)
    while work.step(at=timezone.now()):
        pass
    assert states() == ["written", "queued", "queued"]
    reasons, pause = waits()
    assert reasons == {"Waits: half of the daily limit of 2 summaries is reached."}
    assert timedelta(0) < pause <= timedelta(hours=25)

    live(root, 7)
    work.step(at=timezone.now())
    assert states(is_backfilled=False) == ["written"]

    Capture.objects.update(written_at=timezone.now() - timedelta(days=2))
    tomorrow = timezone.now() + pause + timedelta(minutes=1)
    work.step(at=tomorrow)
    assert states() == ["written", "written", "queued"]
    assert Capture.objects.filter(state="written", reason="").count() == 3


def test_a_summarizer_that_fails_leaves_no_notes_of_old_turns(root: Path) -> None:
    choose("capture.summarizer", "no-such-thing")
    while work.step(at=timezone.now()):
        pass
    assert states() == ["queued"] * 3
    reasons, pause = waits()
    assert reasons == {"Waits: there is no summarizer named no-such-thing."}
    assert timedelta(0) < pause <= work.PAUSE
    assert not list((root / ".memsearch" / "memory").glob("*.md"))

    for number in range(1, 3):
        work.step(at=timezone.now() + number * timedelta(hours=1))
    assert states() == ["skipped", "queued", "queued"]

    choose("capture.summarizer", "extractive")
    while work.step(at=timezone.now() + timedelta(days=1)):
        pass
    assert states() == ["skipped", "written", "written"]
