"""What is read of generated trees equals what their generator knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Count

from memory.models import Entry, Journal, Project, SkillCandidate
from tests.makers import make_generated_tree, make_project
from tests.places import FIXTURES

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(not FIXTURES.is_dir(), reason="the generators are not here")]


def assert_equals(project: Project, truth: dict[str, Any]) -> None:
    entries = Entry.objects.filter(project=project)
    journals = Journal.objects.filter(project=project)
    kinds = dict(entries.exclude(anchor_kind="").values_list("anchor_kind").annotate(Count("pk")))
    assert entries.count() == truth["entries"]
    assert project.sessions.count() == truth["sessions_with_entries"]
    assert sum(journals.values_list("empty_sessions", flat=True)) == truth["empty_session_headings"]
    assert sum(journals.values_list("session_headings", flat=True)) == truth["session_headings"]
    assert kinds == {kind: n for kind, n in truth["entries_by_anchor"].items() if kind not in {"foreign", "none"}}
    assert _per_day(project) == {day["date"]: day["entries"] for day in truth["per_day"]}
    assert _pending(project) == {
        slug: skill["pending_reason"] for slug, skill in truth.get("skills", {}).items() if skill.get("pending_reason")
    }


def _per_day(project: Project) -> dict[str, int]:
    return {day.isoformat(): count for day, count in project.journals.values_list("date", "entry_count")}


def _pending(project: Project) -> dict[str, str]:
    return dict(SkillCandidate.objects.filter(project=project).exclude(pending="").values_list("slug", "pending"))


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_with_all_quirks_is_read_whole(tmp_path: Path, seed: int) -> None:
    truth = make_generated_tree(
        tmp_path / "tree", "--seed", str(seed), "--quirks", "all", "--days", "12", "--languages", "en,zh,ko,es,it,ru"
    )

    assert_equals(make_project(tmp_path / "tree"), truth)


def test_the_sample_is_read_whole(sample: Project) -> None:
    assert_equals(sample, json.loads((FIXTURES / "sample" / "harbor-api" / "ground-truth.json").read_text()))
