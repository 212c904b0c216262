"""The admin: everything can be looked at, what is MemDock's own can be changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory import models
from memory.admin import base
from memory.api import tokens
from memory.audit import COMMAND
from memory.engram import observations, prompts
from memory.engram.observations import Edit
from memory.models.token import Scope
from memory.search import index, meaning
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import Response
from tests.memory.engram.makers import make_observation, make_prompt, make_session
from tests.memory.skills.desks import make_decided

pytestmark = pytest.mark.django_db

MODELS = list(apps.get_app_config("memory").get_models())
UNTOUCHABLE = [model for model in MODELS if model not in {models.Project, models.ApiToken}]
IN_THE_DOCK = [
    models.Entry,
    models.Session,
    models.Project,
    models.SkillCandidate,
    models.SkillRevision,
    models.SkillDecision,
    models.SkillJob,
    models.SkillCopy,
    models.SkillReading,
    models.ReplacedCopy,
    models.Document,
    models.DocumentRevision,
    models.UpkeepRun,
    models.DocumentProposal,
    models.ProjectAlias,
    models.ProjectDirectory,
    models.ProjectMerge,
    models.Observation,
    models.ObservationVersion,
    models.Relation,
]
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def everything(sample: models.Project) -> models.Project:
    """The sample project, and a row of each model that reading it does not make."""
    now = timezone.now()
    sample.aliases.create(name="the-old-name")
    models.Marker.objects.create(name="changes.trimmed", value=3)
    models.SignInLink.objects.create(digest="d" * 64, username="mira", expires_at=now)
    tokens.create(name="deploy", scope=Scope.READ, actor=COMMAND, at=now)
    owner = User.objects.create_user("nora")
    models.SavedSearch.objects.create(owner=owner, name="Leases", query="q=lease")
    _memories(now)
    sample.directories.create(directory="/elsewhere/harbor")
    sample.merges.create(source_name="quay", actor_label="mira", moved={"sessions": []})
    _captured(sample, now)
    _kept_up(sample)
    make_decided(sample, owner)
    _served(now)
    models.ImportRun.objects.create(source="/somewhere/.engram")
    models.ImportedChunk.objects.create(digest="c" * 64, name="0123abcd")
    index.follow()
    meaning.fill(limit=5)
    return sample


def _memories(now: datetime) -> None:
    """A revised observation that relates to another one, a prompt, and what a deleted one leaves."""
    first, second = (make_observation(title, content=HOSTILE, at=now) for title in (HOSTILE, "Leases"))
    observations.update(pk=first.pk, edit=Edit(content="New"), actor=COMMAND, at=now)
    models.Relation.objects.create(
        sync_id="rel-1", source=first, target=second, source_sync_id=first.sync_id, target_sync_id=second.sync_id
    )
    make_prompt()
    prompts.delete(pk=make_prompt("Forget this").pk, at=now)


def _captured(project: models.Project, now: datetime) -> None:
    """A turn that waits and one that still runs, what an agent was told, and a message for it."""
    session = project.sessions.order_by("pk")[0]
    models.Capture.objects.create(
        project=project,
        session=session,
        platform="dsh",
        turn="9",
        question=HOSTILE,
        occurred_at=now,
        next_attempt_at=now,
    )
    models.PendingEvent.objects.create(session=session, seq=7, data={"type": "turn/start"})
    models.Injection.objects.create(session=session, query=HOSTILE, text="[memsearch] Memory available.")
    models.InboxMessage.objects.create(project=project, text=HOSTILE)
    models.Setting.objects.create(key="llm.api_key", value="sk-secret")


def _kept_up(project: models.Project) -> None:
    """A run of upkeep, and the document that it proposes."""
    run = models.UpkeepRun.objects.create(
        project=project, platform="dsh", task="project_review", trigger="timer", reason=HOSTILE, after=HOSTILE
    )
    models.DocumentProposal.objects.create(project=project, name="PROJECT.md", run=run, path=HOSTILE, text=HOSTILE)


def _served(now: datetime) -> None:
    """A consumer, a plugin, an update, an artifact and a fact."""
    models.SubscriptionCursor.objects.create(key="k", consumer_id=HOSTILE, scope=HOSTILE, plugin_id="journal")
    models.UpdateReceipt.objects.create(key="k", digest="d")
    models.PluginHealth.objects.create(plugin_id=HOSTILE, last_error=HOSTILE)
    models.LoopUpdate.objects.create(
        session_key=HOSTILE, key="k", point="session/turn-end", meta={}, data={"text": HOSTILE}, next_attempt_at=now
    )
    blob = models.Blob.objects.create(digest=f"sha256:{'0' * 64}", byte_length=3)
    models.Artifact.objects.create(
        key="k", scope=HOSTILE, origin="workspace-file", native_id=HOSTILE, name=HOSTILE, blob=blob, seen_at=now
    )
    fact = models.Fact.objects.create(scope_hash="h", scope=HOSTILE, type="knowledge", external_id=HOSTILE)
    fact.versions.create(version=uuid4(), number=1, value={"content": HOSTILE})


def _list(model: type[Model]) -> str:
    return reverse(f"admin:memory_{model._meta.model_name}_changelist")


def _page(row: Model, kind: str) -> str:
    return reverse(f"admin:memory_{row._meta.model_name}_{kind}", args=[row.pk])


def _change(row: Model) -> str:
    return _page(row, "change")


def _add(model: type[Model]) -> str:
    return reverse(f"admin:memory_{model._meta.model_name}_add")


def _first(model: type[Model]) -> Model:
    row = model._default_manager.order_by("pk").first()
    assert row is not None
    return row


def test_every_model_is_registered() -> None:
    assert [model for model in MODELS if not admin.site.is_registered(model)] == []


def test_opens_the_list_and_a_row_of_every_model(browser: Client, everything: models.Project) -> None:
    for model in MODELS:
        for address in (
            _list(model),
            _list(model) + "?q=harbor",
            _change(_first(model)),
            _page(_first(model), "history"),
        ):
            response = browser.get(address)
            assert response.status_code == 200, address
            assert "MemDock" in response.content.decode()


def test_every_filter_and_column_of_every_list_works(browser: Client, everything: models.Project) -> None:
    for model in MODELS:
        page = browser.get(_list(model)).content.decode()
        links = {link.replace("&amp;", "&") for link in re.findall(r'href="(\?[^"]*)"', page)}
        for link in links:
            assert browser.get(_list(model) + link).status_code == 200, link


def test_sends_strangers_to_the_sign_in(client: Client, everything: models.Project) -> None:
    for model in MODELS:
        for address in (_list(model), _change(_first(model)), _add(model)):
            response = client.get(address)
            assert response.status_code == 302
            assert response["Location"].startswith(reverse("admin:login"))


def test_refuses_a_guest(client: Client, guest: User, everything: models.Project) -> None:
    client.force_login(guest)
    for model in MODELS:
        assert client.get(_list(model)).status_code == 302, model
    guest.is_staff = True
    guest.save()
    for model in MODELS:
        for address in (_list(model), _change(_first(model)), _add(model)):
            assert client.get(address).status_code == 403, address


def test_nobody_changes_what_files_and_the_past_say(browser: Client, everything: models.Project) -> None:
    for model in UNTOUCHABLE:
        row = _first(model)
        assert browser.get(_add(model)).status_code == 403, model
        assert browser.post(_change(row), {"_save": "Save"}).status_code == 403
        assert browser.post(_page(row, "delete"), {"post": "yes"}).status_code == 403
        response = browser.post(_list(model), {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"})
        assert response.status_code in {200, 302, 403}
        assert model._default_manager.filter(pk=row.pk).exists()
        page = browser.get(_change(row)).content.decode()
        assert 'name="_save"' not in page
        assert "deletelink" not in page


def test_leads_to_the_page_in_the_dock(browser: Client, everything: models.Project) -> None:
    for model in IN_THE_DOCK:
        listed = browser.get(_list(model)).content.decode()
        link = re.search(r'<a href="(/dock/[^"]*)">View in the dock</a>', listed)
        assert link, model
        shown = browser.get(_change(_first(model))).content.decode()
        assert re.search(r'<a href="/dock/[^"]*" class="viewsitelink">', shown)


def test_the_rows_of_a_list_lead_to_their_pages(browser: Client, everything: models.Project) -> None:
    for model in [models.Change, models.Marker, models.AuditEntry, models.SignInLink]:
        assert _change(model._default_manager.latest("pk")) in browser.get(_list(model)).content.decode()


def _entries(root: Path, count: int) -> None:
    text = "".join(make_entry_text(session=f"s{n}", turn=str(n), body=f"- Thing {n}") for n in range(count))
    files = {f"skill-candidates/s{n}/SKILL.md": f"# Skill {n}\n" for n in range(count)}
    make_project(make_tree(root, {"2026-01-05": text}, **files))


def _projects(root: Path, count: int) -> None:
    for number in range(count):
        place = root / f"p{number}"
        place.mkdir()
        files = {"PROJECT.md": f"# {number}\n"}
        project = make_project(make_tree(place, {"2026-01-05": make_entry_text(session=f"s{number}")}, **files))
        project.aliases.create(name=f"alias-{number}")


def _tokens(root: Path, count: int) -> None:
    for number in range(count):
        person = User.objects.create_user(f"person-{number}")
        token, _ = tokens.create(name=f"t{number}", scope=Scope.READ, actor=COMMAND, at=timezone.now())
        models.ApiToken.objects.filter(pk=token.pk).update(created_by=person)
        models.SignInLink.objects.create(digest=str(number), username=person.username, expires_at=timezone.now())
        models.Marker.objects.create(name=str(number))


def _saved(root: Path, count: int) -> None:
    for number in range(count):
        make_session(f"s{number}", project=f"p{number}")
        row = make_observation(f"Thing {number}", session_id=f"s{number}")
        observations.update(pk=row.pk, edit=Edit(title=f"Other {number}"), at=timezone.now())
        make_prompt(f"What about {number}?", session_id=f"s{number}")


ROWS: list[tuple[type[Model], Callable[[Path, int], None]]] = [
    (models.ApiToken, _tokens),
    (models.Document, _projects),
    (models.DocumentRevision, _projects),
    (models.Entry, _entries),
    (models.Journal, _projects),
    (models.Marker, _tokens),
    (models.Observation, _saved),
    (models.ObservationVersion, _saved),
    (models.Project, _projects),
    (models.ProjectAlias, _projects),
    (models.Prompt, _saved),
    (models.Session, _projects),
    (models.SignInLink, _tokens),
    (models.SkillCandidate, _entries),
    (models.SkillRevision, _entries),
]


@pytest.mark.parametrize(("model", "make"), ROWS)
def test_a_list_of_twenty_costs_as_many_queries_as_one(
    browser: Client,
    tree: Path,
    django_assert_num_queries: DjangoAssertNumQueries,
    model: type[Model],
    make: Callable[[Path, int], None],
) -> None:
    make(tree, 20)
    kept = _first(model).pk
    many = _queries(browser, model)
    assert model._default_manager.count() == 20
    model._default_manager.exclude(pk=kept).delete()
    with django_assert_num_queries(many):
        assert browser.get(_list(model)).status_code == 200


@pytest.mark.parametrize("model", [models.Change, models.AuditEntry])
def test_a_list_of_the_past_costs_as_many_queries_for_twenty_as_for_one(
    browser: Client, tree: Path, django_assert_num_queries: DjangoAssertNumQueries, model: type[Model]
) -> None:
    _projects(tree, 20)
    many = _queries(browser, model)
    assert model._default_manager.count() >= 20
    model._default_manager.exclude(pk=_first(model).pk).delete()
    with django_assert_num_queries(many):
        assert browser.get(_list(model)).status_code == 200


def _queries(browser: Client, model: type[Model]) -> int:
    browser.get(_list(model))  # content types and permissions are asked for once
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(_list(model)).status_code == 200
    return len(queries)


def test_a_large_table_is_not_counted_to_its_end(browser: Client, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _entries(tree, 12)
    monkeypatch.setattr(base, "COUNT_LIMIT", 10)
    with CaptureQueriesContext(connection) as queries:
        page = browser.get(_list(models.Entry)).content.decode()
    counts = [one["sql"] for one in queries if "COUNT(" in one["sql"] and "memory_entry" in one["sql"]]
    assert len(counts) == 1
    assert "LIMIT 10" in counts[0]
    assert "10 entries" in page


def test_bodies_are_not_loaded_for_a_list(browser: Client, everything: models.Project) -> None:
    with CaptureQueriesContext(connection) as queries:
        browser.get(_list(models.Entry))
    assert not [one["sql"] for one in queries if '"memory_entry"."body",' in one["sql"]]


def test_memory_text_is_shown_and_not_obeyed(browser: Client, tree: Path) -> None:
    files = {f"skill-candidates/{HOSTILE}/SKILL.md": f"# {HOSTILE}\n", "PROJECT.md": HOSTILE}
    entry = make_entry_text(session=HOSTILE, turn=HOSTILE, body=HOSTILE)
    project = make_project(make_tree(tree, {"2026-01-05": entry}, **files), name=HOSTILE)
    models.ProjectAlias.objects.create(project=project, name=HOSTILE + "2")
    for model in MODELS:
        if not model._default_manager.exists():
            continue
        for address in (_list(model), _change(_first(model))):
            page = browser.get(address).content.decode()
            assert "<img src=x" not in page, address


def test_reads_a_project_again_from_disk(browser: Client, tree: Path) -> None:
    project = make_project(make_tree(tree, {"2026-01-05": make_entry_text()}))
    make_tree(tree, {"2026-01-06": make_entry_text(turn="2")})
    page = _act(browser, models.Project, "read_again", project).content.decode()
    assert "Read harbor again: 2 entries, 0 problems." in page
    assert models.Entry.objects.count() == 2


def test_reading_again_leaves_projects_without_a_directory_alone(browser: Client) -> None:
    project = models.Project.objects.create(name="only-named")
    assert _act(browser, models.Project, "read_again", project).status_code == 200
    project.refresh_from_db()
    assert project.synced_at is None


def test_only_the_aliases_of_a_project_can_be_changed(browser: Client, tree: Path, owner: User) -> None:
    project = make_project(make_tree(tree))
    data = {"name": "other", "root": "/", **_aliases({"name": "  The--Old_Name "})}
    assert browser.post(_change(project), data).status_code == 302
    project.refresh_from_db()
    assert (project.name, project.root) == ("harbor", str(tree))
    assert [alias.name for alias in project.aliases.all()] == ["the-old_name"]
    assert models.Change.objects.latest("pk").kind == "project.changed"
    audit = models.AuditEntry.objects.latest("pk")
    assert (audit.actor, audit.action, audit.detail) == (owner, "project.aliases", {"aliases": ["the-old_name"]})


def test_takes_an_alias_away(browser: Client, tree: Path) -> None:
    project = make_project(make_tree(tree))
    alias = project.aliases.create(name="old")
    row = {"id": str(alias.pk), "project": str(project.pk), "name": "old", "DELETE": "on"}
    assert browser.post(_change(project), _aliases(row, known=1)).status_code == 302
    assert not project.aliases.exists()


def test_saving_a_project_without_a_change_tells_nobody(browser: Client, tree: Path) -> None:
    project = make_project(make_tree(tree))
    before = models.Change.objects.count()
    assert browser.post(_change(project), _aliases()).status_code == 302
    assert models.Change.objects.count() == before


@pytest.mark.parametrize(
    ("name", "said"), [("Harbor", "has this name"), ("taken", "already exists"), ("a\tb", "control")]
)
def test_refuses_an_alias_that_would_be_ambiguous_or_no_name(browser: Client, tree: Path, name: str, said: str) -> None:
    project = make_project(make_tree(tree))
    models.Project.objects.create(name="other").aliases.create(name="taken")
    response = browser.post(_change(project), _aliases({"name": name}))
    assert response.status_code == 200
    assert said in response.content.decode()
    assert not project.aliases.exists()


def test_projects_are_neither_made_nor_deleted_here(browser: Client, everything: models.Project) -> None:
    assert browser.get(_add(models.Project)).status_code == 403
    assert browser.post(_page(everything, "delete"), {"post": "yes"}).status_code == 403


def test_a_new_token_is_shown_once_and_works(browser: Client, owner: User, everything: models.Project) -> None:
    response = browser.post(_add(models.ApiToken), {"name": "laptop", "scope": "write"}, follow=True)
    found = re.search(r"mdk_w_[A-Za-z0-9_-]{43}", response.content.decode())
    assert found
    token = tokens.find(found[0])
    assert token is not None
    assert (token.name, token.scope, token.created_by) == ("laptop", "write", owner)
    assert models.AuditEntry.objects.get(action="token.created", target="laptop").actor == owner
    assert found[0] not in browser.get(_list(models.ApiToken)).content.decode()
    assert found[0] not in str(list(LogEntry.objects.values()))


@pytest.mark.parametrize(
    ("name", "said"), [("deploy", "already exists"), ("", "required"), ("a\u200bb", "printable characters")]
)
def test_refuses_a_name_that_cannot_be_a_token(
    browser: Client, everything: models.Project, name: str, said: str
) -> None:
    response = browser.post(_add(models.ApiToken), {"name": name, "scope": "read"}, follow=True)
    assert said in response.content.decode()
    assert models.ApiToken.objects.count() == 1


def test_a_digest_is_never_shown(browser: Client, everything: models.Project) -> None:
    for row in (models.ApiToken.objects.get(), models.SignInLink.objects.get()):
        for address in (_list(type(row)), _change(row)):
            assert row.digest not in browser.get(address).content.decode()


def test_revokes_tokens(browser: Client, owner: User, everything: models.Project) -> None:
    token = models.ApiToken.objects.get()
    assert "Revoked: deploy." in _act(browser, models.ApiToken, "revoke", token).content.decode()
    assert "revoked before" in _act(browser, models.ApiToken, "revoke", token).content.decode()
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert models.AuditEntry.objects.get(action="token.revoked").actor == owner


def test_a_token_is_not_changed_or_deleted(browser: Client, everything: models.Project) -> None:
    token = models.ApiToken.objects.get()
    assert browser.post(_change(token), {"name": "other", "scope": "admin"}).status_code == 403
    assert browser.post(_page(token, "delete"), {"post": "yes"}).status_code == 403
    token.refresh_from_db()
    assert (token.name, token.scope) == ("deploy", "read")


def test_who_may_only_look_at_tokens_revokes_none(client: Client, guest: User, everything: models.Project) -> None:
    guest.is_staff = True
    guest.save()
    guest.user_permissions.add(Permission.objects.get(codename="view_apitoken"))
    client.force_login(guest)
    _act(client, models.ApiToken, "revoke", models.ApiToken.objects.get())
    assert models.ApiToken.objects.get().revoked_at is None
    assert client.get(_add(models.ApiToken)).status_code == 403


def test_curates_observations(browser: Client, owner: User) -> None:
    row, other = make_observation("Leases"), make_observation("Cranes")
    acts = [("pin", "Pinned: 1."), ("pin", "Pinned: 0."), ("unpin", "Unpinned: 1."), ("purge", "Purged: 0.")]
    acts += [("remove", "Deleted: 1."), ("restore", "Restored: 1."), ("remove", "Deleted: 1."), ("purge", "Purged: 1.")]
    for action, said in acts:
        assert said in _act(browser, models.Observation, action, row).content.decode(), action
    assert list(models.Observation.objects.all()) == [other]
    assert models.Tombstone.objects.get().key == row.sync_id
    done = models.AuditEntry.objects.order_by("pk").values_list("action", "actor")
    verbs = ("pinned", "unpinned", "deleted", "restored", "deleted", "purged")
    assert list(done) == [(f"observation.{verb}", owner.pk) for verb in verbs]
    kinds = models.Change.objects.filter(ref=f"observation:{row.pk}").order_by("pk").values_list("kind", flat=True)
    assert list(kinds)[-1] == "observation.deleted"


def test_deletes_prompts(browser: Client, owner: User) -> None:
    row = make_prompt()
    assert "Deleted: 1." in _act(browser, models.Prompt, "remove", row).content.decode()
    assert not models.Prompt.objects.exists()
    assert models.AuditEntry.objects.get(action="prompt.deleted").actor == owner


def test_who_may_only_look_at_memories_changes_none(client: Client, guest: User) -> None:
    row, prompt = make_observation(), make_prompt()
    guest.is_staff = True
    guest.save()
    codenames = ["view_observation", "view_prompt"]
    guest.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client.force_login(guest)
    for action in ("pin", "remove", "purge", "restore"):
        _act(client, models.Observation, action, row)
    _act(client, models.Prompt, "remove", prompt)
    row.refresh_from_db()
    assert (row.is_pinned, row.deleted_at, models.Prompt.objects.count()) == (False, None, 1)
    assert not models.AuditEntry.objects.exists()


def test_writing_needs_the_csrf_token(owner: User, everything: models.Project) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(_add(models.ApiToken), {"name": "laptop", "scope": "read"}).status_code == 403
    assert models.ApiToken.objects.count() == 1


def test_the_pages_keep_to_the_policy(browser: Client, everything: models.Project) -> None:
    for address in (_list(models.Entry), _change(everything), _add(models.ApiToken)):
        response = browser.get(address)
        page = response.content.decode()
        assert "default-src 'none'" in response["Content-Security-Policy"]
        assert not re.search(
            r"<script(?![^>]*\b(src|nonce)=)[^>]*>(?!\s*\{)", page.replace('type="application/json"', 'src=""')
        )
        assert not re.search(r"\s(style|on[a-z]+)=\"", page)
    assert settings.SECURE_CSP["style-src"] == ["'self'"]


def _act(client: Client, model: type[Model], action: str, *rows: Model) -> Response:
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(_list(model), data, follow=True)


def _aliases(*rows: dict[str, str], known: int = 0) -> dict[str, str]:
    """Return the form of the aliases as the admin's page sends it."""
    data = {"aliases-TOTAL_FORMS": str(len(rows)), "aliases-INITIAL_FORMS": str(known)}
    for number, row in enumerate(rows):
        data |= {f"aliases-{number}-{key}": value for key, value in row.items()}
    return data
