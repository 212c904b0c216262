"""Before a step an agent is told what answers its question, once, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from memory.models import Injection, Setting
from memory.recall.injection import HEADER, Recalled, recall
from tests.makers import make_entry_text, make_project, make_tree

pytestmark = pytest.mark.django_db(transaction=True)

BODIES = [
    "- User asked why the importer skips rows\n- Found that `trim_rows` in src/importer.py drops trailing blanks",
    "- Chose zstd level 19 for the nightly archive because the old gzip ones were too large",
    "- Renamed the berth table to mooring_places and migrated the data",
    "- Fixed the flaky tide-table test by freezing the clock",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    text = "".join(make_entry_text(session=f"old-{n}", turn=str(n), body=body) for n, body in enumerate(BODIES))
    make_project(make_tree(tmp_path / "harbor", {"2026-01-15": text}))
    return tmp_path / "harbor"


def ask(root: Path | str, query: str, *, session: str = "now", **given: int | bool) -> Recalled:
    return recall(session=session, cwd=str(root), query=query, at=timezone.now(), **given)  # type: ignore[arg-type]


def test_what_answers_the_question_is_told_in_real_words(root: Path) -> None:
    recalled = ask(root, "why does the importer skip rows in src/importer.py?")

    assert recalled.text.startswith(HEADER)
    assert "trim_rows" in recalled.text
    assert "<!--" not in recalled.text
    assert "zstd" not in recalled.text


@pytest.mark.parametrize("query", ["What is the capital of Mongolia?", "", "??"])
def test_nothing_relevant_tells_nothing_and_says_why(root: Path, query: str) -> None:
    recalled = ask(root, query)

    assert (recalled.text, recalled.hits) == ("", ())
    assert recalled.reason


def test_the_same_is_not_told_twice_in_a_session_unless_asked(root: Path) -> None:
    query = "why does the importer skip rows in src/importer.py?"
    assert ask(root, query).text

    assert ask(root, query).reason == "What is relevant was told in this session already, or is from it."
    assert ask(root, query, again=True).text
    assert ask(root, query, session="another").text
    assert [bool(row.text) for row in Injection.objects.order_by("pk")] == [True, False, True, True]


def test_a_session_is_not_told_what_it_said_itself(root: Path) -> None:
    assert ask(root, "why does the importer skip rows in src/importer.py?", session="old-0").text == ""


def test_the_budget_is_kept(root: Path) -> None:
    assert len(ask(root, "importer rows archive zstd gzip berth table mooring_places", budget=300).text) <= 300


def test_other_projects_stay_out(root: Path, tmp_path: Path) -> None:
    make_project(make_tree(tmp_path / "other"))

    assert ask(tmp_path / "other", "why does the importer skip rows in src/importer.py?").text == ""


def test_recall_can_be_switched_off(root: Path) -> None:
    Setting.objects.create(project=None, key="recall.enabled", value=False)

    assert ask(root, "why does the importer skip rows?").reason == "Recall is switched off for this project."
