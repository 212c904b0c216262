"""The pages of upkeep, and what documents show of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import refs
from memory.maintenance import runs
from memory.models import AuditEntry, DocumentProposal, Project, Setting, UpkeepRun
from memory.projects import sync
from tests.makers import make_project, make_tree

HTMX = {"HX-Request": "true"}
LIST = "/dock/upkeep/"
ASK = "/dock/upkeep/run/"
DOCUMENT = "/dock/documents/harbor/PROJECT.md/"
SCRIPT = '"><script>alert(1)</script>'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def harbor(db: None, tree: Path) -> Project:
    return make_project(make_tree(tree, {"2026-01-05": ""}, **{"PROJECT.md": "# Old\n"}))


@pytest.fixture
def make_run(harbor: Project) -> Callable[..., UpkeepRun]:
    def make(**over: Any) -> UpkeepRun:
        values: dict[str, Any] = {"project": harbor, "task": "project_review", "platform": "dsh", "trigger": "timer"}
        values |= {"state": "done", "action": "replace", "before": "# Old\n", "after": "# New\n"}
        return UpkeepRun.objects.create(**values | over)

    return make


@pytest.fixture
def waiting(make_run: Callable[..., UpkeepRun], harbor: Project) -> DocumentProposal:
    run = make_run(action="waiting")
    return DocumentProposal.objects.create(
        project=harbor, name="PROJECT.md", run=run, path=f"{harbor.memory_dir}/PROJECT.md", text="# New\n",
        base_hash=harbor.documents.get().content_hash,
    )  # fmt: skip


def page_of(run: UpkeepRun) -> str:
    return f"{LIST}{run.pk}/"


def said(answer: Any) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def test_lists_runs_the_newest_first_with_what_became_of_them(
    browser: Client, make_run: Callable[..., UpkeepRun]
) -> None:
    make_run(action="none", reason="Nothing that lasts.", duration_ms=2100)
    make_run(task="user_profile", state="failed", action="error", error="claude is not installed")
    make_run(task="memory_to_skill", action="distilled", is_dry_run=True, trigger="by hand", actor_label="mira",
             skills=[{"slug": "", "name": "run-tests"}], cost_usd="0.0125")  # fmt: skip

    rows = browser.get(LIST).context["page"].rows

    assert [(row.task, row.state.words, row.said) for row in rows] == [
        ("Memory to skill", "would write skills", "run-tests"),
        ("User profile", "failed", "claude is not installed"),
        ("Project review", "nothing new", "Nothing that lasts."),
    ]
    assert [(row.by, row.took, row.spent) for row in rows] == [
        ("by hand, mira", "", "$0.01"), ("timer", "", ""), ("timer", "2.1 s", "")
    ]  # fmt: skip


def test_filters_in_the_address(browser: Client, make_run: Callable[..., UpkeepRun], tmp_path: Path) -> None:
    (tmp_path / "gate").mkdir()
    gate = make_project(make_tree(tmp_path / "gate"))
    (
        make_run(),
        make_run(task="user_profile", action="none"),
        make_run(state="queued", action=""),
        make_run(project=gate),
    )

    def found(**query: str) -> int:
        return len(browser.get(LIST, query).context["page"].rows)

    assert [found(), found(task="user_profile"), found(result="changed"), found(project="gate")] == [4, 1, 2, 1]
    assert [found(result="none"), found(result="open"), found(result="failed"), found(trigger="by hand")] == [
        1,
        1,
        0,
        0,
    ]
    assert found(task="x", result="y", cursor="%") == 4
    assert browser.get(LIST, {"project": "nowhere"}).status_code == 404
    tab = browser.get(LIST, {"project": "harbor", "task": "user_profile"}).context["page"].tabs[1]
    assert tab.url == f"{LIST}?project=harbor&task=user_profile&result=changed"


def test_the_page_of_a_run_says_everything(
    browser: Client, make_run: Callable[..., UpkeepRun], harbor: Project
) -> None:
    run = make_run(
        input_tokens=1200, output_tokens=34, provider="stub", model="m-1", duration_ms=2100, reason="A decision.",
        input_digest="sha256:abcdef0123456789", output_path=f"{harbor.memory_dir}/PROJECT.md",
    )  # fmt: skip

    answer = browser.get(page_of(run))

    page, told = answer.context["page"], answer.content.decode()
    assert [(row.kind, row.text) for row in page.diff.rows] == [("del", "# Old"), ("add", "# New")]
    assert page.document_url == DOCUMENT
    for words in ("m-1 by stub", "1,200 in, 34 out", "2.1 s", "A decision.", "abcdef0123", harbor.memory_dir):
        assert words in told
    assert refs.url(refs.upkeep(run)) == page_of(run)


def test_the_page_of_a_run_links_its_skills(browser: Client, make_run: Callable[..., UpkeepRun]) -> None:
    made = {
        "slug": "run-tests",
        "name": "Run tests",
        "outcome": "created",
        "description": "Run the tests.",
        "body": "1.",
    }
    dry = {
        "slug": "",
        "name": "release",
        "outcome": "proposed",
        "description": "Release.",
        "body": "1. Tag.",
        "is_new": True,
    }

    [first] = browser.get(page_of(make_run(skills=[made], after=""))).context["page"].skills
    [second] = browser.get(page_of(make_run(skills=[dry], after="", is_dry_run=True))).context["page"].skills

    assert (first.url, first.outcome, first.diff) == ("/dock/skills/harbor/run-tests/", "new", None)
    assert (second.url, second.outcome) == ("", "would be new")
    assert [row.text for row in second.diff.rows] == ["1. Tag."]


@pytest.mark.parametrize(("mode", "is_dry"), [("run", False), ("dry", True)])
def test_a_person_asks_for_a_run(browser: Client, harbor: Project, owner: User, mode: str, is_dry: object) -> None:
    answer = browser.post(ASK, {"project": "harbor", "task": "user_profile", "mode": mode})

    made = UpkeepRun.objects.get()
    assert answer["Location"] == page_of(made)
    assert (made.task, made.state, made.trigger, made.actor_label) == ("user_profile", "queued", "by hand", "mira")
    assert (made.is_dry_run, made.is_forced) == (is_dry, True)
    assert AuditEntry.objects.get(action="upkeep.asked").actor == owner
    assert "waits for the worker" in browser.get(page_of(made)).content.decode()
    browser.post(ASK, {"project": "harbor", "task": "user_profile", "mode": mode})
    assert UpkeepRun.objects.count() == 1


def test_a_wish_that_is_none_is_said(browser: Client, harbor: Project) -> None:
    answer = browser.post(ASK, {"project": "", "task": "tidy", "mode": "run"})

    assert answer.status_code == 422
    assert "Choose a project." in answer.content.decode()
    assert browser.post(ASK, {"project": "nowhere", "task": "user_profile", "mode": "run"}).status_code == 404
    assert UpkeepRun.objects.count() == 0


def test_only_who_may_does(client: Client, guest: User, waiting: DocumentProposal) -> None:
    client.force_login(guest)

    assert client.post(ASK, {"project": "harbor", "task": "user_profile", "mode": "run"}).status_code == 403
    for act in ("apply", "refuse"):
        assert client.post(f"{LIST}proposals/{waiting.pk}/{act}/").status_code == 403
    assert client.post(f"{DOCUMENT}restore/1/").status_code == 403
    assert client.get(LIST).context["page"].ask is None
    assert client.get(page_of(waiting.run)).context["page"].proposal.apply_url == ""
    assert client.get(DOCUMENT, {"view": "history"}).context["page"].restore is None


@pytest.mark.parametrize(
    "url", [ASK, f"{LIST}proposals/1/apply/", f"{LIST}proposals/1/refuse/", f"{DOCUMENT}restore/1/"]
)
def test_what_changes_something_is_posted(browser: Client, url: str) -> None:
    assert browser.get(url).status_code == 405


@pytest.mark.parametrize("number", [0, 7, 2**70])
def test_what_is_not_there_is_not_found(browser: Client, harbor: Project, number: int) -> None:
    assert browser.get(f"{LIST}{number}/").status_code == 404
    assert browser.post(f"{LIST}proposals/{number}/apply/").status_code == 404
    assert browser.post(f"{DOCUMENT}restore/{number}/").status_code == 404


def test_a_proposal_is_let_in_from_its_run_or_its_document(
    browser: Client, waiting: DocumentProposal, harbor: Project
) -> None:
    shown = [browser.get(url).context["page"].proposal for url in (page_of(waiting.run), DOCUMENT)]
    assert [one.apply_url for one in shown] == [f"{LIST}proposals/{waiting.pk}/apply/"] * 2
    assert [(row.kind, row.text) for row in shown[1].diff.rows] == [("del", "# Old"), ("add", "# New")]
    assert browser.get("/dock/documents/").context["page"].waiting[0].url == page_of(waiting.run)

    answer = browser.post(shown[0].apply_url)

    assert answer["Location"] == page_of(waiting.run)
    assert said(answer) == ["PROJECT.md has the new text; the one before is in its history."]
    assert Path(harbor.memory_dir, "PROJECT.md").read_text() == "# New\n"
    again = browser.post(shown[0].apply_url)
    assert said(again)[-1] == "This proposal is applied; there is nothing to decide."
    assert browser.get(DOCUMENT).context["page"].proposal is None


def test_a_proposal_is_refused_with_a_note(browser: Client, waiting: DocumentProposal, harbor: Project) -> None:
    answer = browser.post(f"{LIST}proposals/{waiting.pk}/refuse/", {"note": "Too long."})

    assert said(answer) == ["PROJECT.md stays as it is."]
    assert Path(harbor.memory_dir, "PROJECT.md").read_text() == "# Old\n"
    assert "Too long." in browser.get(page_of(waiting.run)).content.decode()


def test_a_proposal_says_when_its_document_changed(browser: Client, waiting: DocumentProposal, harbor: Project) -> None:
    Path(harbor.memory_dir, "PROJECT.md").write_text("# Mine\n")
    sync.sync(harbor, at=timezone.now())
    assert browser.get(DOCUMENT).context["page"].proposal.is_outdated

    answer = browser.post(f"{LIST}proposals/{waiting.pk}/apply/")

    assert "changed on disk" in said(answer)[0]
    assert Path(harbor.memory_dir, "PROJECT.md").read_text() == "# Mine\n"


def test_a_revision_is_restored_from_the_history(browser: Client, harbor: Project) -> None:
    document = Path(harbor.memory_dir, "PROJECT.md")
    document.write_text("# New\n")
    sync.sync(harbor, at=timezone.now())
    assert browser.get(DOCUMENT, {"view": "history"}).context["page"].restore is None
    number, url = browser.get(DOCUMENT, {"view": "history", "revision": "1"}).context["page"].restore

    answer = browser.post(url)

    assert (number, answer["Location"]) == (1, f"{DOCUMENT}?view=history")
    assert said(answer) == ["PROJECT.md is what it was in revision 1."]
    assert document.read_text() == "# Old\n"
    assert browser.post(url).status_code == 302
    document.write_text("# Unseen\n")
    assert "changed on disk" in said(browser.post(url))[-1]
    assert document.read_text() == "# Unseen\n"


def test_the_tasks_of_a_project_say_how_they_are_set_up(browser: Client, harbor: Project) -> None:
    for key, value in {"enabled": True, "min_interval_hours": 12}.items():
        Setting.objects.create(project=None, key=f"plugins.codex.user_profile.{key}", value=value)

    rows = browser.get(LIST, {"project": "harbor"}).context["page"].tasks

    assert [(row.label, row.is_on, row.how) for row in rows] == [
        ("Project review", False, ""),
        ("User profile", True, "native, for codex, at most every 12 h"),
        ("Memory to skill", False, ""),
    ]


@pytest.mark.parametrize(
    "field", ["reason", "error", "before", "after", "model", "provider", "actor_label", "output_path"]
)
def test_what_models_say_stays_text(browser: Client, make_run: Callable[..., UpkeepRun], field: str) -> None:
    run = make_run(
        **{field: SCRIPT[:100]}, skills=[{"name": SCRIPT, "description": SCRIPT, "outcome": SCRIPT, "problem": SCRIPT}]
    )
    for url in (LIST, page_of(run)):
        assert "<script>alert" not in browser.get(url).content.decode()


def test_answers_htmx_with_fragments(browser: Client, make_run: Callable[..., UpkeepRun]) -> None:
    for url, name in ((LIST, "rows"), (page_of(make_run()), "run")):
        told = browser.get(url, headers=HTMX).content.decode()
        assert f'id="{name}"' in told.strip().split(">")[0]
        assert "<html" not in told
        assert "<html" in browser.get(url, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()


def test_asks_the_database_the_same_for_one_run_and_for_twenty(
    browser: Client, make_run: Callable[..., UpkeepRun]
) -> None:
    counts = []
    for count in (1, 19):
        for _ in range(count):
            make_run()
        with CaptureQueriesContext(connection) as queries:
            browser.get(LIST)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_pages_without_losing_or_repeating_a_run(browser: Client, make_run: Callable[..., UpkeepRun]) -> None:
    made = [f"upkeep-{make_run().pk}" for _ in range(60)]
    first = browser.get(LIST).context["page"]
    second = browser.get(first.next_url).context["page"]
    assert [row.id for row in first.rows + second.rows] == made[::-1]


def test_settings_say_which_tasks_run_by_themselves(browser: Client, harbor: Project, guest: User) -> None:
    url = "/dock/settings/upkeep/?platform=codex"
    page = browser.get(url).context["page"]
    sent = {"seen": page.seen, "plugins.codex.user_profile.enabled": "true"}
    sent |= {"plugins.codex.user_profile.min_interval_hours": "12", "documents.approval": "true"}

    assert browser.post(url, sent | {"plugins.codex.user_profile.min_interval_hours": "often"}).status_code == 422
    assert browser.post(url, sent)["Location"] == url
    assert browser.post(url, sent).status_code == 409

    assert dict(Setting.objects.values_list("key", "value")) == {
        "documents.approval": True,
        "plugins.codex.user_profile.enabled": True,
        "plugins.codex.user_profile.min_interval_hours": 12,
    }
    browser.force_login(guest)
    assert browser.post(url, sent).status_code == 403


def test_a_run_that_was_asked_for_shows_on_its_page_what_became_of_it(browser: Client, harbor: Project) -> None:
    browser.post(ASK, {"project": "harbor", "task": "project_review", "mode": "run"})
    Setting.objects.create(project=None, key="plugins.dsh.project_review.output_file", value="../x.md")

    runs.run_due(at=timezone.now())

    told = browser.get(page_of(UpkeepRun.objects.get())).content.decode()
    assert "The run failed." in told
    assert "leads out of its folder" in told
