"""Every finished turn of every fixture becomes a capture once, and nothing else does."""

from __future__ import annotations

import pytest
from django.utils.dateparse import parse_datetime

from memory.models import Capture, Change, Project, Session
from tests.makers import make_project
from tests.memory.capture.backfill.takings import captured, expected, names, take, told
from tests.memory.transcripts.homes import Home

pytestmark = pytest.mark.django_db(transaction=True)


def test_takes_exactly_the_finished_turns_once(any_home: Home, harbor: Project) -> None:
    foreseen = take(any_home.path, dry_run=True)
    assert (Capture.objects.count(), Session.objects.count()) == (0, 0)

    done = take(any_home.path)

    assert captured() == names(expected(any_home))
    assert Capture.objects.filter(state="queued", is_backfilled=True, project=harbor).count() == len(captured())
    assert Change.objects.filter(kind="capture.queued").count() == len(captured())
    assert foreseen.as_json() | {"dry_run": False} == done.as_json()
    assert "LEAK-" not in str(list(Capture.objects.values()))

    again = take(any_home.path)
    assert again.captures() == {"new": 0, "same": len(captured()), "skipped": done.captures()["skipped"]}
    assert Change.objects.filter(kind="capture.queued").count() == len(captured())


def test_dates_turns_and_sessions_as_they_were(home: Home, harbor: Project) -> None:
    take(home.path)

    undated = {(s["platform"], s["session"]) for s, turn in expected(home) if turn.get("undated")}
    for session, turn in expected(home):
        key = (session["platform"], session["session"])
        found = Capture.objects.get(platform=key[0], session__external_id=key[1], question__startswith=turn["user"])
        when = parse_datetime(turn["ended"])
        assert when is not None
        assert abs((found.occurred_at - when).total_seconds()) < (120 if key in undated else 1)
        assert found.session.started_at <= found.occurred_at <= found.session.last_activity_at
        assert turn["id"] is None or found.turn == str(turn["id"])
    assert not Session.objects.exclude(last_seen_at=None, ended_at=None).exists()


def test_takes_no_turn_that_journals_have(any_home: Home, there: None, db: None) -> None:
    make_project(any_home.folder / "project", name="harbor-api")

    report = take(any_home.path)

    unwritten = ((session, turn) for session, turn in expected(any_home) if not turn["anchor"])
    assert captured() == names(unwritten)
    assert told(report)["captured"] == 0
    assert told(report)["in_journals"] > 50


def test_takes_no_turn_that_journals_have_which_nobody_read_yet(home: Home, db: None) -> None:
    project = make_project(home.folder / "project", name="harbor-api")
    project.journals.all().delete()

    assert take(home.path, dry_run=True).captures()["new"] == 2


def test_says_why_turns_are_left_out(home: Home, harbor: Project) -> None:
    row = told(take(home.path, dry_run=True))

    assert (row["no_user_text"], row["unfinished"], row["subagents"], row["too_short"]) == (2, 1, 5, 5)
    assert (row["first"], row["last"]) == ("2025-08-20", "2026-01-09")
    assert row["taken_in"] == row["new"] > 50
    assert row["tokens"] > 400 * row["new"]
