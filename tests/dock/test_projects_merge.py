"""Two names of one project: what a merge would do, doing it, and taking it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.models import AuditEntry, Observation, Project, ProjectMerge
from memory.projects import queries
from tests.makers import make_project, make_tree
from tests.memory.engram.makers import make_observation, make_prompt, make_session

PAGE = "/dock/projects/merge/"
SCRIPT = '"><script>alert(1)</script>'
PAIR = {"source": "harbor_api", "target": "harbor-api"}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Project, Project]:
    """The misspelled harbor_api with a memory and a prompt, and harbor-api with a tree."""
    target = make_project(make_tree(tmp_path), name="harbor-api")
    make_session(project="harbor_api")
    make_observation(), make_prompt()
    return Project.objects.get(name="harbor_api"), target


def undo_url(row: ProjectMerge) -> str:
    return f"/dock/projects/merges/{row.pk}/undo/"


def test_offers_names_that_look_alike(browser: Client, pair: tuple[Project, Project]) -> None:
    page = browser.get(PAGE).context["page"]
    assert [(hint.source, hint.target) for hint in page.hints] == [("harbor_api", "harbor-api")]
    assert [option.value for option in page.sources] == ["harbor_api"]
    assert [option.value for option in page.targets] == ["harbor-api", "harbor_api"]
    assert browser.get(page.hints[0].url).context["page"].plan.target == "harbor-api"


def test_shows_what_would_move_and_moves_nothing(browser: Client, pair: tuple[Project, Project]) -> None:
    plan = browser.get(PAGE, PAIR).context["page"].plan
    assert plan.moved == [("session", 1), ("memory", 1), ("prompt", 1)]
    assert (plan.refusal, plan.merge_url) == ("", PAGE)
    assert Observation.objects.get().project == pair[0]


def test_merges_and_undoes(browser: Client, owner: User, pair: tuple[Project, Project]) -> None:
    answer = browser.post(PAGE, PAIR)
    assert answer["Location"] == PAGE
    assert queries.find("harbor_api") == pair[1] == Observation.objects.get().project
    assert AuditEntry.objects.get(action="project.merged").actor == owner
    [message] = get_messages(answer.wsgi_request)
    assert str(message) == "harbor_api is another name of harbor-api now."
    [row] = browser.get(PAGE).context["page"].merges
    assert row.moved == "1 session, 1 memory, 1 prompt"
    assert row.undo_url == message.extra_tags
    browser.post(row.undo_url)
    assert Observation.objects.get().project.name == "harbor_api"
    [row] = browser.get(PAGE).context["page"].merges
    assert row.undone_at is not None and row.undo_url == ""


def test_undoing_twice_is_harmless(browser: Client, pair: tuple[Project, Project]) -> None:
    browser.post(PAGE, PAIR)
    url = undo_url(ProjectMerge.objects.get())
    browser.post(url)
    answer = browser.post(url)
    assert str(list(get_messages(answer.wsgi_request))[-1]) == "This merge is undone already, or never was."


def test_merging_twice_says_that_it_is_one_project(browser: Client, pair: tuple[Project, Project]) -> None:
    browser.post(PAGE, PAIR)
    answer = browser.post(PAGE, PAIR)
    assert answer.status_code == 422
    assert "Not merged: A project cannot be merged into itself." in answer.content.decode()


def test_says_why_a_tree_cannot_be_given_away(browser: Client, pair: tuple[Project, Project]) -> None:
    wanted = {"source": "harbor-api", "target": "harbor_api"}
    plan = browser.get(PAGE, wanted).context["page"].plan
    assert "has a memory of its own on disk" in plan.refusal and plan.merge_url == ""
    assert browser.post(PAGE, wanted).status_code == 422


def test_says_which_name_is_unknown(browser: Client, pair: tuple[Project, Project]) -> None:
    answer = browser.get(PAGE, {"source": "harbour", "target": "harbor-api"})
    assert answer.context["page"].unknown == ["harbour"]
    assert "There is no project called harbour." in answer.content.decode()
    for names in ({}, {"source": "x" * 600, "target": "a\0b"}):
        assert browser.get(PAGE, names).status_code == 200
        assert browser.post(PAGE, names).status_code == 404


def test_only_who_may_change_projects_does(client: Client, guest: User, pair: tuple[Project, Project]) -> None:
    client.force_login(guest)
    assert client.post(PAGE, PAIR).status_code == 403
    assert client.get(PAGE, PAIR).context["page"].plan.merge_url == ""
    assert client.post("/dock/projects/merges/1/undo/").status_code == 403
    assert Project.objects.filter(name="harbor_api").exists()


def test_an_undo_is_posted_and_only_for_what_is_there(browser: Client) -> None:
    assert browser.get("/dock/projects/merges/1/undo/").status_code == 405
    assert browser.post("/dock/projects/merges/1/undo/").status_code == 404
    assert browser.put(PAGE).status_code == 405


def test_is_reached_from_where_projects_are_listed(browser: Client, tmp_path: Path) -> None:
    for name in ("one", "two"):  # with a single tree, Files shows that one at once
        make_project(make_tree(tmp_path / name))
    for address in ("/dock/health/", "/dock/files/"):
        assert f'href="{PAGE}"' in browser.get(address).content.decode()


def test_odd_names_stay_text_and_can_be_merged(browser: Client) -> None:
    for name in (SCRIPT, f"{SCRIPT}s"):
        make_session(name, project=name)
    page = browser.get(PAGE)
    assert "<script>alert" not in page.content.decode()
    plan = browser.get(page.context["page"].hints[0].url).context["page"].plan
    assert browser.post(PAGE, {"source": plan.source, "target": plan.target}).status_code == 302
    assert "<script>alert" not in browser.get(PAGE).content.decode()


def test_asks_the_database_the_same_for_few_and_many_projects(browser: Client) -> None:
    counts = []
    for numbers in (range(2), range(2, 20)):
        for number in numbers:
            make_session(f"s{number}", project=f"project {number}")
        with CaptureQueriesContext(connection) as told:
            browser.get(PAGE)
        counts.append(len(told))
    assert counts[0] == counts[1]
