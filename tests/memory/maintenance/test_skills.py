"""Procedures that came up again and again become skill candidates, for people to review."""

from __future__ import annotations

import json
from pathlib import Path

from django.utils import timezone

from memory.maintenance import runs
from memory.models import Project, SkillCandidate, SkillDecision
from tests.memory.maintenance.models import Model, skill, skills
from tests.memory.maintenance.scenes import memory, run, settle, write_more

TASK = "memory_to_skill"


def meta(project: Project, slug: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(memory(project, f"skill-candidates/{slug}/meta.json").read_text())
    return found


def outcomes(run_skills: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(one["slug"], one["outcome"]) for one in run_skills]


def test_skills_are_made_evolve_and_stay(harbor: Project, model: Model) -> None:
    model.says(skills(skill("run-tests"), skill("release", body="1. Tag it.")))
    first = run(harbor, TASK)
    assert (first.state, first.action) == ("done", "distilled")
    assert outcomes(first.skills) == [("run-tests", "created"), ("release", "created")]
    assert set(SkillCandidate.objects.values_list("slug", flat=True)) == {"run-tests", "release"}
    assert meta(harbor, "run-tests")["sources"] == ["2026-01-05.md"]
    assert meta(harbor, "run-tests")["reason"] == "Seen thrice."

    write_more(harbor)
    model.says(skills(skill("run-tests", body="1. Run `pytest -q`."), skill("release", body="1. Tag it.")))
    second = run(harbor, TASK)
    assert outcomes(second.skills) == [("run-tests", "updated"), ("release", "same")]
    assert "pytest -q" in SkillCandidate.objects.get(slug="run-tests").body

    write_more(harbor)
    model.says(skills())
    assert run(harbor, TASK).action == "none"
    assert json.loads(memory(harbor, ".maintenance-state.json").read_text())["dsh.memory_to_skill"][
        "output_file"
    ] == str(memory(harbor, "skill-candidates"))


def test_the_model_sees_the_candidates_and_what_people_said_of_them(harbor: Project, model: Model) -> None:
    model.says(skills(skill("run-tests", body="1. " + "x" * 3000)))
    run(harbor, TASK)
    write_more(harbor)
    SkillDecision.objects.create(
        project=harbor, slug="run-tests", action="request_changes", note="Use uv.", actor_label="mira"
    )
    settle("plugins.dsh.memory_to_skill.min_occurrences", 5)

    run(harbor, TASK)

    assert "### run-tests" in model.shown
    assert "People want changes: Use uv." in model.shown
    assert 1500 < model.shown.count("x") < 2100
    assert "at least 5 different sessions" in model.asked[-1]["messages"][0]["content"]


def test_a_dry_run_says_what_would_become_of_each(harbor: Project, model: Model) -> None:
    model.says(skills(skill("run-tests")))
    run(harbor, TASK)
    model.says(skills(skill("run-tests", body="1. Other."), skill("release")))

    made = run(harbor, TASK, is_dry_run=True)

    assert [(one["name"], one["outcome"], one["is_new"]) for one in made.skills] == [
        ("run-tests", "proposed", False),
        ("release", "proposed", True),
    ]
    assert "pytest" in made.skills[0]["before"]
    assert not memory(harbor, "skill-candidates/release").exists()


def test_a_candidate_that_cannot_be_written_stops_no_other(harbor: Project, model: Model, tmp_path: Path) -> None:
    memory(harbor, "skill-candidates").mkdir()
    memory(harbor, "skill-candidates/run-tests").symlink_to(tmp_path)
    model.says(skills(skill("run-tests"), skill("release")))

    made = run(harbor, TASK)

    assert made.state == "failed"
    assert "run-tests" in made.error
    assert dict(outcomes(made.skills))["release"] == "created"
    assert not (tmp_path / "SKILL.md").exists()


def test_a_run_that_was_cut_off_writes_only_the_rest(harbor: Project, model: Model) -> None:
    model.says(skills(skill("run-tests"), skill("release")))
    made = run(harbor, TASK)
    written = [dict(one) for one in made.skills]
    memory(harbor, "skill-candidates/release/SKILL.md").write_text("gone")
    written[1] |= {"outcome": "proposed"}
    type(made).objects.filter(pk=made.pk).update(state="queued", skills=written, finished_at=None)

    runs.run_due(at=timezone.now())
    made.refresh_from_db()
    assert outcomes(made.skills) == [("run-tests", "created"), ("release", "updated")]
    assert len(model.asked) == 1
