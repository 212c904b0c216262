"""The health page."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django_tasks_db.models import DBTaskResult

from dock.contexts.health_search import SearchIndex
from memory.models import AuditEntry, Project, SearchDocument
from memory.search import index, meaning
from tests.makers import make_entry_text, make_project, make_tree

HTMX = {"HX-Request": "true"}
PAGE = "/dock/health/"
REBUILD = "/dock/health/search/rebuild/"
PANEL = "/dock/health/search/"


@pytest.fixture
def harbor(db: None, tree: Path) -> Project:
    return make_project(make_tree(tree, {"2026-01-05": make_entry_text()}))


def sync_url(name: str = "harbor") -> str:
    return reverse("dock:project-sync", args=[name])


def told(answer: object) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]


def test_lists_the_checks_with_the_worst_first(browser: Client, harbor: Project, tree: Path) -> None:
    (tree / ".memsearch").rename(tree / "moved")
    answer = browser.get(PAGE)
    checks = answer.context["page"].checks
    assert checks[0].name == "project:harbor" and checks[0].state == "bad"
    assert checks[0].hint in answer.content.decode()
    ranks = [["bad", "warn", "ok"].index(check.state) for check in checks]
    assert ranks == sorted(ranks)


def test_marks_commands_in_hints(browser: Client, db: None) -> None:
    assert "Start MemDock with <code>memdock up</code>." in browser.get(PAGE).content.decode()


def test_counts_what_is_fine(browser: Client, harbor: Project) -> None:
    page = browser.get(PAGE).context["page"]
    fine = sum(check.state == "ok" for check in page.checks)
    assert str(fine) in page.summary


def test_names_versions_and_the_data_directory(browser: Client) -> None:
    page = browser.get(PAGE).context["page"]
    assert [name for name, _ in page.versions][:3] == ["MemDock", "Django", "Python"]
    assert page.data_size.split()[1] in {"B", "KB", "MB"}


def test_leads_each_problem_to_its_file(browser: Client, tree: Path) -> None:
    make_tree(tree, {"2026-01-05": make_entry_text()})
    (tree / ".memsearch" / "USER.md").symlink_to("/etc/hostname")
    make_project(tree)
    [project] = browser.get(PAGE).context["page"].projects
    [problem] = project.problems
    assert (problem.path, problem.url) == ("USER.md", "/dock/files/harbor/?path=USER.md")


def test_escapes_what_it_says_about_files(browser: Client, harbor: Project) -> None:
    Project.objects.update(problems=[{"path": "<img src=x>", "text": "<script>alert(1)</script>"}])
    page = browser.get(PAGE).content.decode()
    assert "<img src=x" not in page and "<script>alert" not in page


def test_answers_htmx_with_the_checks_alone(browser: Client, harbor: Project) -> None:
    fragment = browser.get(PAGE, headers=HTMX).content.decode()
    assert fragment.startswith('<div class="stack" id="health"')
    assert "<html" not in fragment


def test_asks_strangers_to_sign_in(client: Client, db: None) -> None:
    assert client.get(PAGE)["Location"].startswith("/dock/sign-in/")
    assert client.post(sync_url())["Location"].startswith("/dock/sign-in/")


def test_takes_no_post_on_the_page_and_no_get_on_the_action(browser: Client, harbor: Project) -> None:
    assert browser.post(PAGE).status_code == 405
    assert browser.get(sync_url()).status_code == 405


def test_reads_a_project_again_and_says_what_came(browser: Client, harbor: Project, tree: Path) -> None:
    make_tree(tree, {"2026-01-06": make_entry_text(session="s2") + make_entry_text("10:00", session="s2", turn="2")})
    answer = browser.post(sync_url())
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert told(answer) == ["harbor was read again: 2 entries more, 1 session more."]
    assert harbor.entries.count() == 3


def test_reads_a_project_twice_without_harm(browser: Client, harbor: Project) -> None:
    for _ in range(2):
        assert told(browser.post(sync_url()))[-1] == "harbor was read again: nothing came or went."


def test_asks_for_the_permission_to_read_again(client: Client, guest: User, harbor: Project) -> None:
    client.force_login(guest)
    assert client.post(sync_url()).status_code == 403
    assert "Read again" not in client.get(PAGE).content.decode()
    guest.user_permissions.add(Permission.objects.get(codename="change_project"))
    assert client.post(sync_url()).status_code == 302
    assert "Read again" in client.get(PAGE).content.decode()


def test_answers_404_for_an_unknown_project(browser: Client) -> None:
    assert browser.post(sync_url("nowhere")).status_code == 404


def test_does_not_read_the_working_directory_for_a_project_without_one(browser: Client) -> None:
    project = Project.objects.create(name="harbor")
    assert told(browser.post(sync_url())) == ["harbor has no directory to read."]
    assert not project.documents.exists()


def test_links_to_projects_with_odd_names(browser: Client, tree: Path) -> None:
    name = '"><script>alert(1)'
    make_project(make_tree(tree), name="harbor")
    Project.objects.update(name=name)
    page = browser.get(PAGE)
    assert "<script>alert" not in page.content.decode()
    [project] = page.context["page"].projects
    assert browser.post(project.sync_url).status_code == 302


def panel(browser: Client) -> SearchIndex:
    found: SearchIndex = browser.get(PANEL, headers=HTMX).context["index"]
    return found


def work() -> None:
    """Do what the worker does: each task that waits, once."""
    for row in DBTaskResult.objects.ready():
        row.claim("worker")
        row.set_successful(row.task.call())


def test_rebuilds_the_search_index_in_the_background(browser: Client, owner: User, harbor: Project) -> None:
    index.follow()
    SearchDocument.objects.all().delete()
    answer = browser.post(REBUILD)
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert told(answer) == ["The search index is being rebuilt; searches go on meanwhile."]
    assert SearchDocument.objects.count() == 0
    waiting = panel(browser)
    assert (waiting.state, waiting.is_busy, waiting.rebuild_url) == ("waiting", True, "")
    assert "hx-trigger" in browser.get(PANEL, headers=HTMX).content.decode()
    work()
    done = panel(browser)
    assert (done.state, done.documents, done.made) == ("done", SearchDocument.objects.count(), done.documents)
    assert done.documents > 0
    assert done.rebuild_url == REBUILD
    assert AuditEntry.objects.get(action="search.rebuilt").actor == owner


def test_rebuilds_once_at_a_time(browser: Client, harbor: Project) -> None:
    browser.post(REBUILD)
    assert told(browser.post(REBUILD))[-1] == "The search index is being rebuilt already."
    assert DBTaskResult.objects.count() == 1
    work()
    browser.post(REBUILD)
    assert DBTaskResult.objects.count() == 2


def test_tells_a_rebuild_that_failed(browser: Client, harbor: Project) -> None:
    browser.post(REBUILD)
    DBTaskResult.objects.get().set_failed(ValueError("full disk"))
    assert panel(browser).state == "failed"
    page = browser.get(PAGE).content.decode()
    assert "log says why" in page
    assert "full disk" not in page


def test_follows_the_vectors_until_all_are_made(browser: Client, harbor: Project) -> None:
    index.follow()
    before = panel(browser)
    assert (before.vectors, before.is_embedding, before.is_busy) == (0, True, True)
    assert f'<progress class="meter" max="{before.documents}" value="0"' in browser.get(PAGE).content.decode()
    meaning.fill(limit=1)
    assert panel(browser).vectors == 1
    while meaning.fill():
        pass
    after = panel(browser)
    assert (after.vectors, after.is_busy) == (after.documents, False)
    assert "hx-trigger" not in browser.get(PANEL, headers=HTMX).content.decode()


def test_asks_for_the_permission_to_rebuild(client: Client, guest: User, harbor: Project) -> None:
    client.force_login(guest)
    assert client.post(REBUILD).status_code == 403
    assert REBUILD not in client.get(PAGE).content.decode()
    guest.user_permissions.add(Permission.objects.get(codename="change_searchdocument"))
    assert client.post(REBUILD).status_code == 302


def test_the_panel_is_for_scripts(browser: Client, harbor: Project) -> None:
    assert browser.get(PANEL)["Location"] == PAGE
    assert browser.get(REBUILD).status_code == 405
    fragment = browser.get(PANEL, headers=HTMX).content.decode()
    assert fragment.startswith('<section class="panel" id="search-index"')
