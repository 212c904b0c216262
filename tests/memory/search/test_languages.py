"""Questions with known answers, in generated trees of several languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory.models import Entry
from memory.search.query import search
from tests.makers import make_generated_tree, make_project
from tests.places import FIXTURES

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not FIXTURES.is_dir(), reason="the fixtures are not there"),
]


def questions(root: Path, style: str) -> list[dict[str, Any]]:
    lines = (root / "facts.jsonl").read_text().splitlines()
    return [fact for line in lines if (fact := json.loads(line))["style"] == style]


def share_found(facts: list[dict[str, Any]], *, first: int) -> float:
    """The share of questions whose answer is among the first hits."""
    found = 0
    for fact in facts:
        right = Entry.objects.filter(date=fact["date"], ordinal=fact["ordinal"]).values_list("pk", flat=True)
        found += bool(
            {f"entry:{pk}" for pk in right} & {hit.ref for hit in search(fact["question"], limit=first).items}
        )
    return found / len(facts)


# Measured: every question of both styles has its answer among the first 5, in trees of 1,500 entries as well.
@pytest.mark.parametrize("language", ["en", "zh", "ko", "es", "it", "ru"])
def test_finds_the_answers_to_questions(tmp_path: Path, language: str) -> None:
    root = tmp_path / "asked"
    make_generated_tree(root, "--size", "300", "--facts", "60", "--languages", language)
    make_project(root)
    assert share_found(questions(root, "exact"), first=5) >= 0.95
    assert share_found(questions(root, "exact"), first=1) >= 0.85
    assert share_found(questions(root, "paraphrase"), first=5) >= 0.85


def test_finds_answers_and_no_empty_sessions_in_a_tree_of_odd_files(tmp_path: Path) -> None:
    root = tmp_path / "odd"
    make_generated_tree(root, "--platform", "mixed", "--days", "8", "--languages", "en,zh,ko", "--quirks", "all")
    make_project(root)
    facts = questions(root, "exact")
    assert share_found(facts, first=5) >= 0.9
    headings = search("Session", limit=100).items
    assert all(not hit.title.startswith(("Session", "## Session")) for hit in headings)
