"""What all lists of the API have in common: pages, cursors, a constant number of queries."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from memory.models import Project
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused, walk

pytestmark = pytest.mark.django_db

type Make = Callable[[Path, int], object]

LISTS = ["/projects", "/sessions", "/projects/harbor-api/journals", "/projects/harbor-api/skills"]


def _projects(root: Path, count: int) -> None:
    for number in range(count):
        place = root / f"p{number}"
        place.mkdir()
        make_project(make_tree(place, {"2026-01-05": make_entry_text(session=f"s{number}")}))


def _days(root: Path, count: int) -> Project:
    return make_project(make_tree(root, {f"2026-01-{day:02}": _repeats(2) for day in range(1, count + 1)}))


def _sessions(root: Path, count: int) -> Project:
    return make_project(
        make_tree(root, {"2026-01-05": "".join(make_entry_text(session=f"s{n}") for n in range(count))})
    )


def _versions(root: Path, count: int) -> Project:
    return make_project(make_tree(root, {"2026-01-05": _repeats(count)}))


def _skills(root: Path, count: int) -> Project:
    return make_project(
        make_tree(root, None, **{f"skill-candidates/s{n}/SKILL.md": "# A skill\n" for n in range(count)})
    )


def _repeats(count: int) -> str:
    return "".join(make_entry_text(body=f"- version {number}") for number in range(count))


@pytest.mark.parametrize(
    ("make", "path", "count"),
    [
        (_projects, "/projects", lambda found: len(found["items"])),
        (_days, "/projects/harbor/journals", lambda found: len(found["items"])),
        (_versions, "/projects/harbor/journals/2026-01-05", lambda found: len(found["entries"])),
        (_sessions, "/sessions", lambda found: len(found["items"])),
        (_sessions, "/sessions?project=harbor", lambda found: len(found["items"])),
        (_skills, "/projects/harbor/skills", lambda found: len(found["items"])),
    ],
)
def test_a_list_of_twenty_costs_as_many_queries_as_one(
    tmp_path: Path,
    django_assert_num_queries: DjangoAssertNumQueries,
    make: Make,
    path: str,
    count: Callable[[Any], int],
) -> None:
    program = make_program()
    program.get(ROOT + "/sessions")  # notes the use of the token, once a minute
    (tmp_path / "one" / "harbor").mkdir(parents=True)
    (tmp_path / "many" / "harbor").mkdir(parents=True)
    make(tmp_path / "one" / "harbor", 1)
    with CaptureQueriesContext(connection) as queries:
        assert count(program.get(ROOT + path).json()) == 1
    Project.objects.all().delete()
    make(tmp_path / "many" / "harbor", 20)
    with django_assert_num_queries(len(queries)):
        assert count(program.get(ROOT + path).json()) == 20


def test_the_feed_costs_as_many_queries_for_twenty_changes_as_for_one(
    sample: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    program = make_program()
    read(program, "/changes")
    with CaptureQueriesContext(connection) as queries:
        assert len(read(program, "/changes", limit=1)["items"]) == 1
    with django_assert_num_queries(len(queries)):
        assert len(read(program, "/changes", limit=20)["items"]) == 20


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5", "", "9" * 5000])
def test_refuses_a_limit_beyond_1_to_200(sample: Project, path: str, limit: str) -> None:
    response = make_program().get(ROOT + path, query_params={"limit": limit})
    refused(response, 422, "invalid", field="limit")


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("cursor", ["x", "bm90IGpzb24", "é", "a\0b", "W10", "W10="])
def test_refuses_a_cursor_that_it_did_not_give_out(sample: Project, path: str, cursor: str) -> None:
    response = make_program().get(ROOT + path, query_params={"cursor": cursor})
    refused(response, 400, "bad_cursor", field="cursor")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.datetimes().map(str),
    st.lists,
    max_leaves=4,
)


@given(values=st.lists(JSON, max_size=3), path=st.sampled_from(LISTS))
@settings(max_examples=50)
@pytest.mark.filterwarnings("ignore:DateTimeField .* received a naive datetime:RuntimeWarning")
def test_a_forged_cursor_is_refused_or_harmless(forger: Client, path: str, values: list[Any]) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps([0, *values]).encode()).decode().rstrip("=")
    response = forger.get(ROOT + path, query_params={"cursor": cursor})
    if response.status_code != 200:
        refused(response, 400, "bad_cursor", field="cursor")


@pytest.mark.parametrize(
    "values",
    [
        ["0001-01-01T00:00:00+14:00", 1],
        ["9999-12-31T23:59:59-14:00", 1],
        ["2026-01-05T00:00:00Z", 10**400],
        ["2026-01-05T00:00:00Z", float("inf")],
        ["2026-01-05T00:00:00Z", float("nan")],
        ["2026-01-05T00:00:00Z", 2**63],
        [True, True],
    ],
)
def test_a_forged_cursor_at_the_edge_of_what_a_column_holds_is_refused_or_harmless(
    forger: Client, values: list[Any]
) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps([0, *values]).encode()).decode().rstrip("=")
    assert forger.get(ROOT + "/sessions", query_params={"cursor": cursor}).status_code in {200, 400}


def test_new_rows_on_top_do_not_shift_a_page(tree: Path) -> None:
    _sessions(tree, 5)
    program = make_program()
    first = read(program, "/sessions", limit=2)
    make_tree(tree, {"2026-01-06": make_entry_text("10:00", session="newer")})
    make_project(tree)
    rest = read(program, "/sessions", limit=50, cursor=first["next"])["items"]
    assert [item["key"] for item in first["items"] + rest] == ["s4", "s3", "s2", "s1", "s0"]


@pytest.mark.parametrize("path", LISTS)
def test_the_last_page_has_no_next(sample: Project, path: str) -> None:
    program = make_program()
    found = walk(program, path, limit=200)
    assert found
    assert read(program, path, limit=200)["next"] is None


@pytest.fixture
def forger(sample: Project) -> Client:
    return make_program()
