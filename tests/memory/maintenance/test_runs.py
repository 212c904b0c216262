"""Runs are durable, one at a time for a task, and start by themselves only when there is something to do."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

from memory.audit import COMMAND
from memory.engram import sessions
from memory.maintenance import claims, runs, triggers
from memory.models import Capture, Project, Session, UpkeepRun
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.maintenance.models import Model, none, replace
from tests.memory.maintenance.scenes import DAY, run, settle, write_more

HOUR = timedelta(hours=1)


def ask(project: Project, task: str = "project_review", *, is_dry_run: bool = False) -> UpkeepRun:
    return runs.ask(project=project, task=task, is_dry_run=is_dry_run, trigger=runs.BY_HAND, at=timezone.now())


def states() -> list[tuple[str, str, str]]:
    return list(UpkeepRun.objects.order_by("pk").values_list("task", "state", "action"))


def end_session(project: Project, platform: str = "dsh", *, key: str = "s9") -> None:
    at = timezone.now()
    sessions.register(id=key, project=project.name, directory=project.root, platform=platform, at=at)
    sessions.end(id=key, at=at)


def tick(at: datetime | None = None) -> int:
    return runs.schedule(at=at or timezone.now())


def test_asking_twice_is_one_run(harbor: Project) -> None:
    assert ask(harbor) == ask(harbor)
    assert ask(harbor, is_dry_run=True) != ask(harbor)


def test_one_task_that_fails_stops_no_other(harbor: Project, model: Model) -> None:
    settle("plugins.dsh.project_review.output_file", "../x.md")
    model.answer = lambda shown: replace("# Me") if "USER.md" in shown else '{"skills": []}'
    for task in ("project_review", "user_profile", "memory_to_skill"):
        ask(harbor, task)

    assert runs.run_due(at=timezone.now()) == 3

    assert states() == [
        ("project_review", "failed", "error"),
        ("user_profile", "done", "replace"),
        ("memory_to_skill", "done", "none"),
    ]


def test_a_run_of_a_process_that_is_gone_is_taken_up_again(harbor: Project, model: Model) -> None:
    model.says(replace("# Harbor"))
    made = ask(harbor)
    with claims.claimed(made.pk, at=timezone.now()):
        assert UpkeepRun.objects.get().state == "running"
        assert runs.run_due(at=timezone.now()) == 0

    assert runs.run_due(at=timezone.now()) == 1
    assert states() == [("project_review", "done", "replace")]


def test_a_run_that_takes_its_process_down_is_given_up(harbor: Project, model: Model) -> None:
    made = ask(harbor)
    for _ in range(claims.ATTEMPTS):
        with claims.claimed(made.pk, at=timezone.now()) as claimed:
            assert claimed
        if claims.lost(at=timezone.now())[0][1] < claims.ATTEMPTS:
            claims.requeue(made.pk)

    assert runs.run_due(at=timezone.now()) == 0

    made.refresh_from_db()
    assert (made.state, made.error) == ("failed", "MemDock ended 3 times while this ran; it is not begun again.")
    assert model.asked == []


def test_a_run_of_another_memdock_counts_until_its_lease_is_over(harbor: Project, model: Model) -> None:
    made = ask(harbor)
    now = timezone.now()
    UpkeepRun.objects.filter(pk=made.pk).update(state="running", started_at=now)

    assert claims.lost(at=now + timedelta(minutes=1)) == []
    assert claims.lost(at=now + claims.LEASE + timedelta(minutes=1)) == [(made.pk, 0)]


def test_the_answer_that_was_paid_for_is_not_asked_for_again(harbor: Project, model: Model) -> None:
    made = ask(harbor)
    UpkeepRun.objects.filter(pk=made.pk).update(
        action="replace", reason="A decision.", after="# Harbor\n", input_digest="sha256:x", provider="stub"
    )

    runs.run_due(at=timezone.now())

    assert states() == [("project_review", "done", "replace")]
    assert Path(harbor.memory_dir, "PROJECT.md").read_text() == "# Harbor\n"
    assert model.asked == []


def test_the_clock_looks_every_six_hours(harbor: Project, model: Model) -> None:
    now = timezone.now()

    assert [tick(now), tick(now + HOUR), tick(now + 5 * HOUR)] == [3, 0, 0]
    model.answer = lambda shown: none() if "The document" in shown else '{"skills": []}'
    assert runs.run_due(at=now) == 3
    assert [action for _, _, action in states()] == ["none"] * 3

    assert tick(now + 6.1 * HOUR) == 3
    assert runs.run_due(at=now) == 3
    assert len(states()) == 3  # nothing new to read: no trace is left


def test_nothing_starts_by_itself_where_nothing_is_switched_on(harbor: Project) -> None:
    assert tick() == 0
    end_session(harbor)
    assert tick() == 0


def test_the_end_of_a_session_starts_what_is_due(harbor: Project, model: Model) -> None:
    tick()
    UpkeepRun.objects.all().delete()
    assert tick() == 0

    end_session(harbor)

    assert (tick(), tick()) == (3, 0)
    assert set(UpkeepRun.objects.values_list("trigger", "platform")) == {("session end", "dsh")}


def test_the_agent_of_the_session_says_whose_configuration_holds(harbor: Project, model: Model) -> None:
    settle("plugins.codex.user_profile.enabled", True)
    tick()
    UpkeepRun.objects.all().delete()

    end_session(harbor, "codex")
    tick()

    found = dict(UpkeepRun.objects.values_list("task", "platform"))
    assert found == {"project_review": "dsh", "user_profile": "codex", "memory_to_skill": "dsh"}


def test_the_end_of_a_session_waits_for_its_last_turn(harbor: Project, model: Model) -> None:
    tick()
    UpkeepRun.objects.all().delete()
    end_session(harbor)
    tick()
    now = timezone.now()
    capture = Capture.objects.create(
        project=harbor, session=Session.objects.get(key="s9"), platform="dsh", turn="1", occurred_at=now,
        next_attempt_at=now,
    )  # fmt: skip

    assert claims.waiting(at=now) == []
    assert len(claims.waiting(at=now + HOUR)) == 3
    capture.delete()
    assert len(claims.waiting(at=now)) == 3


def test_a_task_rests_after_failures_the_longer_the_more(harbor: Project, model: Model) -> None:
    model.status = 500
    now = timezone.now()
    for _ in range(2):
        run(harbor, force=True)

    def wanted(later: timedelta) -> list[str]:
        return [one.task for one in triggers.candidates(harbor, at=now + later)]

    assert "project_review" not in wanted(timedelta(minutes=30))
    assert "user_profile" in wanted(timedelta(minutes=30))
    assert "project_review" in wanted(timedelta(minutes=70))
    model.status = 200
    model.says(none())
    run(harbor, force=True)
    assert "project_review" in wanted(timedelta(minutes=1))


def test_runs_count_towards_the_daily_limit(harbor: Project, model: Model) -> None:
    settle("capture.daily_summaries", 1)
    model.says(none())

    assert run(harbor).action == "none"
    write_more(harbor)
    assert run(harbor).error == "the daily limit of 1 summaries and upkeep runs is reached"
    assert len(model.asked) == 1


def test_what_the_provider_says_is_the_reason(harbor: Project, model: Model) -> None:
    model.status = 404

    assert run(harbor, actor=COMMAND).error == "the provider answered 404"


def test_projects_are_worked_on_side_by_side(harbor: Project, model: Model, tmp_path: Path) -> None:
    (tmp_path / "gate").mkdir()
    gate = make_project(make_tree(tmp_path / "gate", {DAY: make_entry_text()}))
    model.says(replace("# It"))
    with claims.claimed(ask(harbor).pk, at=timezone.now()):
        assert run(gate).action == "replace"
        assert run(harbor, force=True).state == "queued"
