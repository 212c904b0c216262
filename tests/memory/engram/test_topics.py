"""Topic keys are spelled one way, and suggested the same for the same memory."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.engram import topics


@pytest.mark.parametrize(
    ("key", "spelled"),
    [
        ("  Architecture/Berth Plan ", "architecture/berth-plan"),
        ("bug/a \t\n b", "bug/a-b"),
        ("decisión/Año.2", "decisión/año.2"),
        ("x" * 130, "x" * 120),
        ("x" * 119 + "ñ", "x" * 119),
        (" ", ""),
    ],
)
def test_spells_a_key_one_way(key: str, spelled: str) -> None:
    assert topics.normalize(key) == spelled


@given(st.text())
def test_leaves_a_spelled_key_as_it_is(key: str) -> None:
    once = topics.normalize(key)

    assert topics.normalize(once) == once
    assert len(once.encode()) <= topics.LONGEST


@pytest.mark.parametrize(
    ("kind", "title", "content", "key"),
    [
        ("architecture", "Berth planner", "", "architecture/berth-planner"),
        ("adr", "Architecture of berths", "", "architecture/of-berths"),
        ("BugFix ", "Bug", "", "bug/general"),
        ("hotfix", "bug-bug", "", "bug/general"),
        ("session_summary", "Session summary: harbor-api", "", "session/summary-harbor-api"),
        ("root-cause", "Tide table", "", "discovery/tide-table"),
        ("manual", "Tide table", "we found the root cause, an error", "bug/tide-table"),
        ("", "Tide table", "we chose hexagonal", "architecture/tide-table"),
        ("", "Tide table", "we decided on docker", "decision/tide-table"),
        ("", "Naming of berths", "", "pattern/naming-of-berths"),
        ("", "Docker for berths", "", "config/docker-for-berths"),
        ("", "We investigated", "", "discovery/we-investigated"),
        ("", "We learned", "", "learning/we-learned"),
        ("", "Berths", "", "topic/berths"),
        ("manual", "Berths", "", "topic/berths"),
        ("Tool Use!", "Berths", "", "tool-use/berths"),
        (
            "policy",
            "",
            "One two three four five six seven eight nine",
            "policy/one-two-three-four-five-six-seven-eight",
        ),
        ("policy", "", "", "policy/general"),
        ("policy", "---", "***", "policy/general"),
        ("policy", "x" * 130, "", "policy/" + "x" * 100),
        ("policy", "<private>the vault</private> door", "", "policy/redacted-door"),
    ],
)
def test_suggests_a_family_and_a_segment(kind: str, title: str, content: str, key: str) -> None:
    assert topics.suggest(kind, title, content) == key


def test_tells_apart_titles_whose_slugs_say_little() -> None:
    title = "修复 harbor"
    digest = hashlib.sha256(title.encode()).hexdigest()[:12]

    assert topics.suggest("bug", title, "") == f"bug/harbor-u-{digest}"
    assert topics.suggest("bug", "端口", "") != topics.suggest("bug", "队列", "")


@given(st.text(), st.text(), st.text())
def test_suggests_a_key_that_is_one_already(kind: str, title: str, content: str) -> None:
    key = topics.suggest(kind, title, content)

    assert re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", key)
    assert len(key.partition("/")[2]) <= 100
    assert topics.normalize(key) == key == topics.suggest(kind, title, content)
