"""Each agent may have a summarizer of its own, or none; limits and times hold for all."""

from __future__ import annotations

import stat
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils import timezone

from memory.capture import usage
from memory.capture.summarizers import choice
from memory.capture.summarizers.base import Unavailable
from memory.capture.usage import LimitReached
from memory.configuration import memsearch, summarizing
from memory.models import Capture, Project, Session, Setting
from memory.models.capture import CaptureState

pytestmark = pytest.mark.django_db


def settle(**values: object) -> None:
    for key, value in values.items():
        Setting.objects.create(project=None, key=key.replace("__", "."), value=value)


@pytest.fixture
def spent() -> Capture:
    """A turn whose summary took 1,000 tokens and three and a half cents."""
    at, project = timezone.now(), Project.objects.create(name="harbor")
    session = Session.objects.create(project=project, key="s1", external_id="s1", started_at=at, last_activity_at=at)
    return Capture.objects.create(
        project=project,
        session=session,
        platform="codex",
        turn="1",
        state=CaptureState.WRITTEN,
        summarizer="codex",
        input_tokens=900,
        output_tokens=100,
        cost_usd=Decimal("0.035"),
        occurred_at=at,
        next_attempt_at=at,
        written_at=at,
    )


def test_an_agent_may_have_another_summarizer_than_the_rest() -> None:
    settle(capture__summarizer="extractive")
    Setting.objects.create(project=None, key="capture.summarizers.claude-code", value="claude")
    project = Project.objects.create(name="harbor")

    assert choice.choose(Capture(project=project, platform="claude-code")).name == "claude"
    assert choice.choose(Capture(project=project, platform="codex")).name == "extractive"
    assert choice.choose(Capture(project=project, platform="another")).name == "extractive"


def test_off_is_a_reason_and_no_other_summarizer() -> None:
    settle(capture__summarizer="off")

    with pytest.raises(Unavailable, match="switched off"):
        choice.choose(Capture(project=Project(), platform="codex"))
    assert summarizing.status(None, "codex", memsearch.effective()).reason == "summaries are switched off"


@pytest.mark.parametrize(
    ("key", "limit", "reason"),
    [
        ("capture.daily_tokens", 1001, ""),
        ("capture.daily_tokens", 1000, "the daily limit of 1000 tokens is reached"),
        ("capture.daily_cents", 4, ""),
        ("capture.daily_cents", 3, "the daily limit of 3 cents is reached"),
        ("capture.daily_summaries", 1, "the daily limit of 1 summaries is reached"),
    ],
)
def test_a_limit_of_a_day_stops_the_next_summary(spent: Capture, key: str, limit: int, reason: str) -> None:
    Setting.objects.create(project=None, key=key, value=limit)

    if reason:
        with pytest.raises(LimitReached, match=reason):
            usage.check(spent, at=timezone.now())
    else:
        usage.check(spent, at=timezone.now())


def test_turns_of_the_past_leave_half_of_the_tokens(spent: Capture) -> None:
    settle(capture__daily_tokens=1900)
    spent.is_backfilled = True

    with pytest.raises(LimitReached, match="half of the daily limit of 1900 tokens"):
        usage.check(spent, at=timezone.now())


def test_a_chosen_time_limit_ends_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 60\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    settle(capture__timeout_seconds=1)

    assert summarizing.attempt(None, "claude-code").reason == "summarizer timed out"
