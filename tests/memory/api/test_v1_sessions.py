"""`/sessions` of the API."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import refs
from memory.engram import observations
from memory.models import Project, Session
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused, walk
from tests.memory.engram.makers import make_observation, make_prompt

pytestmark = pytest.mark.django_db

KEYS = {
    "key",
    "project",
    "platform",
    "directory",
    "started_at",
    "ended_at",
    "state",
    "entries",
    "observations",
    "prompts",
    "summary",
}


def test_lists_every_session_of_the_sample_once_newest_first(sample: Project) -> None:
    found = walk(make_program(), "/sessions", limit=4)
    assert set(found[0]) == KEYS
    expected = Session.objects.order_by("-last_activity_at", "-pk").values_list("key", flat=True)
    assert [item["key"] for item in found] == list(expected)
    assert sum(item["entries"] for item in found) == 87


def test_describes_a_session(sample: Project) -> None:
    found = read(make_program(), "/sessions/fe74aefe-baf3-4bde-a8ee-dc765d8f433b")
    assert (found["project"], found["platform"], found["ended_at"]) == ("harbor-api", "codex", None)
    assert (found["state"], found["observations"], found["prompts"]) == ("no recorded end", 0, 0)
    assert found["started_at"].endswith("Z")


def test_counts_what_agents_saved() -> None:
    make_observation()
    make_prompt()
    observations.delete(pk=make_observation("Forget this").pk, at=timezone.now())
    program = make_program()
    found = read(program, "/sessions/s1")
    assert (found["entries"], found["observations"], found["prompts"], found["state"]) == (0, 1, 1, "live")
    assert read(program, "/projects/harbor")["observations"] == 1


def test_restricts_to_a_project_and_a_platform(sample: Project, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(session="mine")}))
    program = make_program()
    assert [item["key"] for item in read(program, "/sessions", project="Harbor")["items"]] == ["mine"]
    codex = read(program, "/sessions", project="harbor-api", platform="codex", limit=200)["items"]
    assert codex
    assert {(item["project"], item["platform"]) for item in codex} == {("harbor-api", "codex")}


def test_tells_live_from_ended_from_never_ended(tree: Path) -> None:
    text = "".join(make_entry_text(session=key) for key in ("alive", "over", "open"))
    make_project(make_tree(tree, {"2026-01-05": text}))
    now = timezone.now()
    Session.objects.filter(key="alive").update(last_seen_at=now)
    Session.objects.filter(key="over").update(ended_at=now - timedelta(hours=1))
    program = make_program()
    for state, key in {"live": "alive", "ended": "over", "no recorded end": "open"}.items():
        assert [(item["key"], item["state"]) for item in read(program, "/sessions", state=state)["items"]] == [
            (key, state)
        ]


HOSTILE = ["a/b", "../../etc", "a b", "~YWxpdmU", "~", "<b>\"'", "x?y#z", "%2F", "项目", "a\nb", "a//b/", "."]


@pytest.mark.parametrize("key", HOSTILE)
def test_finds_a_session_whatever_its_key_holds(tree: Path, key: str) -> None:
    project = make_project(make_tree(tree))
    _session(project, key)
    program = make_program()
    assert read(program, f"/sessions/{refs.segment(key)}")["key"] == key
    assert read(program, f"/sessions/{quote(key, safe='')}")["key"] == key


def test_a_segment_is_undone_before_it_is_taken_literally(tree: Path) -> None:
    project = make_project(make_tree(tree))
    for key in ("a b", refs.segment("a b")):
        _session(project, key)
    assert read(make_program(), f"/sessions/{refs.segment('a b')}")["key"] == "a b"
    assert read(make_program(name="two"), f"/sessions/{refs.segment(refs.segment('a b'))}")["key"] == refs.segment(
        "a b"
    )


@given(key=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60))
@settings(max_examples=40)
def test_finds_any_key_by_its_segment(sample: Project, key: str) -> None:
    _session(sample, key)
    program = make_program(name=str(timezone.now().timestamp()))
    assert read(program, f"/sessions/{refs.segment(key)}")["key"] == key
    Session.objects.filter(key=key).delete()


@pytest.mark.parametrize("key", ["nobody", "~!!!", "a%00b", "~AAA", "~_w", "%FF"])
def test_says_that_a_session_does_not_exist(sample: Project, key: str) -> None:
    refused(make_program().get(f"{ROOT}/sessions/{key}"), 404, "not_found")


@pytest.mark.parametrize(
    ("name", "value", "status", "field"),
    [
        ("project", "nothing", 404, "project"),
        ("project", "a\0b", 404, "project"),
        ("state", "asleep", 422, "state"),
        ("platform", "a\0b", 422, "platform"),
    ],
)
def test_names_the_parameter_that_is_wrong(sample: Project, name: str, value: str, status: int, field: str) -> None:
    refused(make_program().get(ROOT + "/sessions", query_params={name: value}), status, field=field)


def _session(project: Project, key: str) -> None:
    now = timezone.now()
    Session.objects.create(project=project, key=key, external_id=key, started_at=now, last_activity_at=now)
