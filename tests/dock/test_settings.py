"""The pages of the settings that are set by a form: summarizers, recall, and each key of the configuration."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from memory.configuration import memsearch, summarizing
from memory.models import AuditEntry, Capture, Project, Session, Setting
from memory.models.capture import CaptureState
from tests.memory.configuration.conftest import configure, home

__all__ = ["home"]  # a fixture, used by name

SUMMARIZERS = "/dock/settings/summarizers/"
TRY = "/dock/settings/summarizers/try/"
RECALL = "/dock/settings/recall/"
KEYS = "/dock/settings/configuration/"
FORM = {"capture.summarizer": "", "capture.enabled": "true", "capture.daily_summaries": "500"}


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(name="harbor")


@pytest.fixture
def reader(client: Client, guest: User) -> Client:
    client.force_login(guest)
    return client


def show(browser: Client, url: str, status: int = 200) -> str:
    response = browser.get(url)
    assert response.status_code == status
    return unescape(response.content.decode())


def seen(page: str) -> str:
    found = re.search(r'name="seen" value="(\w+)"', page)
    assert found
    return found[1]


def checked(page: str) -> list[str]:
    return re.findall(r'<input type="radio" id="summarizer-([\w-]+)"[^>]* checked>', page)


def test_the_settings_begin_with_the_summarizers_of_the_project(browser: Client, project: Project) -> None:
    response = browser.get("/dock/settings/?project=harbor")

    assert response["Location"] == f"{SUMMARIZERS}?project=harbor"
    page = show(browser, response["Location"])
    assert re.search(r'<option value="harbor" selected>', page)
    assert '<a class="rail-link" href="/dock/settings/?project=harbor" aria-current="page">' in page


def test_a_chosen_summarizer_is_kept_and_used_at_once(browser: Client, project: Project) -> None:
    assert checked(show(browser, SUMMARIZERS)) == ["auto"]

    response = browser.post(SUMMARIZERS, FORM | {"capture.summarizer": "extractive"}, follow=True)

    page = response.content.decode()
    assert response.redirect_chain == [(SUMMARIZERS, 302)]
    assert "Saved: 1 setting changed." in page
    assert checked(page) == ["extractive"]
    assert memsearch.effective(project).text("capture.summarizer") == "extractive"
    assert AuditEntry.objects.get(action="setting.changed").actor_label == "mira"


def test_a_project_may_have_its_own_and_the_others_keep_theirs(browser: Client, project: Project) -> None:
    browser.post(f"{SUMMARIZERS}?project=harbor", FORM | {"capture.summarizer": "claude", "llm.model": "small"})

    assert memsearch.effective(project).text("capture.summarizer") == "claude"
    assert memsearch.effective().text("capture.summarizer") == ""
    page = show(browser, f"{SUMMARIZERS}?project=harbor")
    assert "From MemDock, for this project, instead of nothing (default)." in page
    assert checked(show(browser, SUMMARIZERS)) == ["auto"]


def test_an_unchanged_form_changes_nothing(browser: Client, home: Path, project: Project) -> None:
    configure(home, '[plugins.codex.summarize]\nprovider = "native"\n[capture]\nsubagents = "yes"\n')
    page = show(browser, SUMMARIZERS)
    fields = dict(re.findall(r'<input class="input[^"]*" id="[^"]*" name="([\w.-]+)" value="([^"]*)"', page))
    selects = re.findall(
        r'<select class="select" id="set-[^"]*" name="([^"]+)".*?<option value="([^"]*)" selected', page
    )
    form = FORM | {"capture.subagents": "true", "seen": seen(page)} | fields | dict(selects)

    response = browser.post(SUMMARIZERS, form, follow=True)

    assert "plugins.codex.summarize.provider" in form
    assert len(form) > 16
    assert "Nothing was changed" in response.content.decode()
    assert not Setting.objects.exists()


def test_a_value_that_cannot_be_is_said_at_its_field_and_nothing_is_kept(browser: Client, project: Project) -> None:
    wrong = {"capture.summarizer": "extractive", "capture.daily_summaries": "6o", "llm.base_url": "nowhere"}
    response = browser.post(SUMMARIZERS, FORM | wrong)

    page = response.content.decode()
    assert response.status_code == 422
    assert "capture.daily_summaries: use a whole number from 0 to 1,000,000." in page
    assert 'id="set-llm-base_url-error"' in page
    assert 'value="6o"' in page
    assert checked(page) == ["extractive"]
    assert not Setting.objects.exists()


def test_a_stale_form_is_shown_again_with_what_was_typed(browser: Client, project: Project) -> None:
    stale = seen(show(browser, SUMMARIZERS))
    browser.post(SUMMARIZERS, FORM | {"capture.daily_summaries": "7"})

    response = browser.post(SUMMARIZERS, FORM | {"capture.daily_summaries": "9", "seen": stale})

    page = response.content.decode()
    assert response.status_code == 409
    assert "Somebody else changed these settings" in page
    assert 'value="9"' in page
    assert memsearch.effective().number("capture.daily_summaries") == 7
    assert browser.post(SUMMARIZERS, FORM | {"capture.daily_summaries": "9", "seen": seen(page)}).status_code == 302


def test_a_secret_is_never_in_the_page_and_stays_when_its_field_is_empty(browser: Client, project: Project) -> None:
    browser.post(SUMMARIZERS, FORM | {"llm.api_key": "s3cret"})
    browser.post(SUMMARIZERS, FORM | {"llm.api_key": "", "llm.model": "small"})

    assert memsearch.effective().text("llm.api_key") == "s3cret"
    for url in (SUMMARIZERS, KEYS, f"{KEYS}llm.api_key/", f"{KEYS}?only=memdock"):
        assert "s3cret" not in show(browser, url)
    assert "s3cret" not in str(list(AuditEntry.objects.values()))


def test_whoever_only_reads_sees_everything_and_changes_nothing(reader: Client, project: Project) -> None:
    page = show(reader, SUMMARIZERS)

    assert "<fieldset" in page
    assert "disabled" in page
    assert "Try it" not in page
    for url in (SUMMARIZERS, RECALL, f"{KEYS}recall.enabled/", TRY):
        assert reader.post(url, FORM | {"platform": "codex"}).status_code == 403
    assert not Setting.objects.exists()


def test_a_permission_is_enough_to_change_settings(reader: Client, guest: User) -> None:
    guest.user_permissions.add(Permission.objects.get(codename="change_setting"))

    assert reader.post(SUMMARIZERS, FORM | {"capture.summarizer": "extractive"}).status_code == 302


@pytest.mark.parametrize("url", [SUMMARIZERS, RECALL, KEYS, f"{KEYS}recall.enabled/", TRY])
def test_a_project_that_there_is_not_is_not_found(browser: Client, url: str) -> None:
    method = browser.post if url == TRY else browser.get
    assert method(f"{url}?project=nobody").status_code == 404


def test_what_cannot_work_says_why(browser: Client, home: Path, project: Project) -> None:
    configure(
        home, '[plugins.codex.summarize]\nprovider = "house"\n[llm.providers.house]\ntype = "openai-compatible"\n'
    )

    page = show(browser, SUMMARIZERS)

    assert "claude is not installed" in page
    assert "dsh CLI not found; set DSH_CLI or install dsh on PATH" in page
    assert "A provider: provider house has no base_url" in page
    assert '<option value="house" selected>house</option>' in page


def test_a_try_shows_the_bullets_or_the_reason(browser: Client, project: Project) -> None:
    page = browser.post(TRY, {"platform": "codex"}).content.decode()
    assert "No summary: codex is not installed" in page
    assert "<html" in page

    Setting.objects.create(project=project, key="capture.summarizer", value="extractive")
    response = browser.post(f"{TRY}?project=harbor", {"platform": "codex"}, headers={"HX-Request": "true"})
    fragment = unescape(response.content.decode())
    assert "<html" not in fragment
    assert 'id="tried"' in fragment
    assert f"<li>User asked: {summarizing.QUESTION}</li>" in fragment
    assert not Capture.objects.exists()
    assert browser.post(TRY, {"platform": "<script>"}).status_code == 302
    assert browser.get(TRY).status_code == 405


def test_what_was_used_today_and_what_failed_is_told(browser: Client, project: Project) -> None:
    at = timezone.now()
    session = Session.objects.create(project=project, key="s1", external_id="s1", started_at=at, last_activity_at=at)
    for turn, reason in enumerate(["", "<b>timed out</b>", "<b>timed out</b>"]):
        Capture.objects.create(
            project=project,
            session=session,
            platform="dsh",
            turn=str(turn),
            state=CaptureState.UNAVAILABLE if reason else CaptureState.WRITTEN,
            reason=reason,
            summarizer="" if reason else "claude",
            input_tokens=4210,
            cost_usd="0.0042",
            occurred_at=at,
            next_attempt_at=at,
            written_at=at,
        )

    page = browser.get(f"{SUMMARIZERS}?project=harbor").content.decode()

    assert "<dd>4,210</dd>" in page
    assert "<dd>$0.0042</dd>" in page
    assert "1 of at most 500 asked of models today" in page
    assert "&lt;b&gt;timed out&lt;/b&gt;" in page
    assert "2 turns" in page


def test_recall_is_switched_for_one_project(browser: Client, project: Project) -> None:
    page = show(browser, f"{RECALL}?project=harbor")
    assert "0.4, which is fair" in page

    browser.post(f"{RECALL}?project=harbor", {"recall.session_start": "true", "seen": seen(page)})

    assert not memsearch.effective(project).flag("recall.enabled")
    assert memsearch.effective(project).flag("recall.session_start")
    assert memsearch.effective().flag("recall.enabled")
    assert browser.post(RECALL, {"seen": "old"}).status_code in {302, 409}


def test_every_key_is_listed_with_its_value_and_source(browser: Client, home: Path, tree: Path) -> None:
    configure(home, '[llm]\nmodel = "env:NO_SUCH"\n[watch]\ndebounce_ms = 99\n')
    (tree / ".memsearch.toml").write_text("[chunking]\noverlap_lines = 4\n")
    Project.objects.create(name="harbor", root=str(tree))
    Setting.objects.create(project=None, key="recall.enabled", value=False)

    page = show(browser, f"{KEYS}?project=harbor")

    rows = {
        re.sub(r"<[^>]+>", "", key): re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", rest)).strip()
        for key, rest in re.findall(r"<tr><td>(.*?)</td>(.*?)</tr>", page, re.DOTALL)
    }
    assert set(memsearch.effective().values) == set(rows)
    assert rows["recall.enabled"] == "false MemDock, for all projects"
    assert rows["watch.debounce_ms"] == "99 ~/.memsearch/config.toml"
    assert rows["chunking.overlap_lines"] == "4 .memsearch.toml of the project"
    assert rows["llm.model"] == "env:NO_SUCH NO_SUCH is not set environment, named in ~/.memsearch/config.toml"
    assert rows["milvus.collection"] == "memsearch_chunks default"


@pytest.mark.parametrize(
    ("query", "shown", "hidden"),
    [
        ("q=Session_Start", "recall.session_start", "recall.enabled"),
        ("only=memdock", "recall.enabled", "watch.debounce_ms"),
        ("only=changed", "watch.debounce_ms", "recall.session_start"),
        ("only=nonsense", "recall.session_start", ""),
        ("q=%3Cscript%3E", "No key fits", "recall.enabled"),
    ],
)
def test_the_list_of_keys_is_filtered_by_the_address(
    browser: Client, home: Path, query: str, shown: str, hidden: str
) -> None:
    configure(home, "[watch]\ndebounce_ms = 99\n")
    Setting.objects.create(project=None, key="recall.enabled", value=False)

    page = browser.get(f"{KEYS}?{query}").content.decode()

    assert shown in page
    assert not hidden or f"<code>{hidden}</code>" not in page
    assert "<script>" not in page


def test_a_key_is_overridden_and_the_override_removed(browser: Client, home: Path) -> None:
    configure(home, '[llm]\nmodel = "small"\n')
    url = f"{KEYS}llm.model/"

    page = browser.post(url, {"llm.model": " large ", "seen": seen(show(browser, url))}, follow=True).content.decode()
    assert memsearch.effective().text("llm.model") == "large"
    assert re.findall(r"<code>(large|small|empty)</code>", page) == ["large", "small", "empty"]
    assert "Then small (~/.memsearch/config.toml) holds." in page

    browser.post(url, {"remove": "1", "seen": seen(page)})
    assert memsearch.effective().text("llm.model") == "small"
    assert "Remove the value" not in show(browser, url)


def test_a_key_refuses_what_it_cannot_be_and_names_itself(browser: Client, db: None) -> None:
    response = browser.post(f"{KEYS}capture.summarizer/", {"capture.summarizer": "<gpt>"})

    page = response.content.decode()
    assert response.status_code == 422
    assert "capture.summarizer: use one of auto" in page
    assert "&lt;gpt&gt;" in page
    assert browser.post(f"{KEYS}recall.enabled/", {"recall.enabled": "true", "seen": "old"}).status_code == 409
    assert browser.get(f"{KEYS}no.such/").status_code == 404
    assert browser.post(f"{KEYS}no.such/", {"no.such": "1"}).status_code == 404


def test_a_key_that_memsearch_alone_reads_cannot_be_overridden(browser: Client, db: None) -> None:
    assert "MemSearch alone reads this key" in show(browser, f"{KEYS}milvus.uri/")
    assert f'href="{KEYS}milvus.uri/"' not in show(browser, KEYS)


def test_names_of_providers_may_be_anything(browser: Client, home: Path) -> None:
    configure(home, '[llm.providers."a/b ?<i>"]\nmodel = "x"\n')

    page = browser.get(KEYS).content.decode()
    link = re.search(rf'<a href="({KEYS}[^"]+)"><code>llm.providers.a/b \?&lt;i&gt;.model', page)

    assert link
    assert "&lt;i&gt;.model" in browser.get(unescape(link[1])).content.decode()
