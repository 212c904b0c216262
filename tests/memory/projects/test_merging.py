"""Projects that a person makes one, and two again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.engram import observations, sessions
from memory.models import (
    AuditEntry,
    Capture,
    Change,
    Observation,
    Project,
    ProjectAlias,
    ProjectMerge,
    Prompt,
    Relation,
    SearchDocument,
    Session,
)
from memory.models.project import NO_PROJECT
from memory.projects import directories, merging, queries
from memory.projects.merging import MOVED, CannotMerge
from memory.search import index
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.engram.makers import make_observation, make_prompt, make_session

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()
STAYS = {"journals", "entries", "documents", "skills", "settings", "changes"}
STAYS |= {"skill_decisions", "skill_jobs", "replaced_copies", "document_proposals", "upkeep_runs"}


def snapshot() -> dict[str, Any]:
    """Everything that tells what belongs to whom, by the names of projects."""
    return {
        "projects": sorted(Project.objects.exclude(name="bystander").values_list("name", "created_at")),
        "sessions": sorted(Session.objects.values_list("key", "external_id", "project__name")),
        "observations": sorted(Observation.objects.values_list("pk", "project__name")),
        "prompts": sorted(Prompt.objects.values_list("pk", "project__name")),
        "relations": sorted(Relation.objects.values_list("pk", "project__name")),
        "captures": sorted(Capture.objects.values_list("pk", "project__name")),
        "aliases": sorted(ProjectAlias.objects.values_list("name", "project__name")),
        "found": sorted(SearchDocument.objects.values_list("ref", "project__name")),
    }


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Project, Project]:
    """The misspelled project harbor_api, with one row of each kind, and the registered project harbor-api."""
    target = make_project(make_tree(tmp_path, {"2026-07-01": make_entry_text(session="t1")}), name="harbor-api")
    make_session("s1", project="harbor_api")
    row = make_observation("Leases", session_id="s1")
    make_prompt(session_id="s1")
    source = Project.objects.get(name="harbor_api")
    Relation.objects.create(sync_id="rel-1", project=source, source_sync_id=row.sync_id, target_sync_id="obs-x")
    ProjectAlias.objects.create(project=source, name="harborapi")
    directories.tell("C:\\work", source, at=NOW)
    Capture.objects.create(
        project=source, session=row.session, platform="dsh", turn="1", occurred_at=NOW, next_attempt_at=NOW
    )
    index.follow()
    return source, target


def test_tells_what_would_move_and_moves_nothing(pair: tuple[Project, Project]) -> None:
    source, target = pair
    before = snapshot()

    preview = merging.preview(source, target)
    assert (preview.source, preview.target, preview.refusal) == ("harbor_api", "harbor-api", "")
    assert preview.counts == dict.fromkeys(MOVED, 1) | {"artifacts": 0, "inbox_messages": 0, "merges": 0}
    assert snapshot() == before


def test_gives_everything_to_the_other_project(pair: tuple[Project, Project]) -> None:
    source, target = pair
    entries = target.entries.count()

    merge = merging.merge(source=source, target=target, actor=COMMAND, at=NOW)
    index.follow()

    after = snapshot()
    assert not Project.objects.filter(name="harbor_api").exists()
    assert {
        owner for table in ("observations", "prompts", "relations", "captures", "found") for *_, owner in after[table]
    } == {"harbor-api"}
    assert target.sessions.count() == 2
    assert target.entries.count() == entries
    assert queries.find("HARBOR_API") == queries.find("harborapi") == target
    assert target.directories.get().directory == "C:\\work"
    assert AuditEntry.objects.get(action="project.merged").detail["observations"] == 1
    change = Change.objects.order_by("pk").last()
    assert change is not None
    assert (change.kind, change.ref, change.title) == (
        "project.merged",
        "project:harbor-api",
        "harbor_api → harbor-api",
    )
    assert (merge.source_name, merge.target, merge.undone_at) == ("harbor_api", target, None)


def test_agents_go_on_under_the_old_name(pair: tuple[Project, Project]) -> None:
    merging.merge(source=pair[0], target=pair[1], actor=COMMAND, at=NOW)

    saved = observations.save(session_id="s1", project="harbor_api", title="More", content="More of it.", at=NOW)
    assert saved.observation.project == pair[1]
    assert make_session("s9", project="Harbor_Api").project == pair[1]
    assert not Project.objects.filter(name="harbor_api").exists()


def test_gives_everything_back(pair: tuple[Project, Project]) -> None:
    before = snapshot()
    merge = merging.merge(source=pair[0], target=pair[1], actor=COMMAND, at=NOW)
    make_observation("Later", session_id="s2")
    Session.objects.filter(key="s2").update(project=pair[1])
    Observation.objects.filter(title="Later").update(project=pair[1])

    source = merging.undo(pk=merge.pk, actor=COMMAND, at=NOW)
    later = Observation.objects.get(title="Later")
    assert later.project == pair[1]
    later.delete()
    Session.objects.filter(key="s2").delete()
    Project.objects.filter(name="harbor").delete()
    index.follow()
    index.rebuild(at=NOW)
    assert snapshot() == before
    assert source.name == "harbor_api"
    assert AuditEntry.objects.filter(action="project.unmerged").count() == 1
    told = Change.objects.filter(kind="project.merged").order_by("-pk").values_list("ref", flat=True)[:2]
    assert set(told) == {"project:harbor-api", "project:harbor_api"}


def test_a_merge_is_undone_once(pair: tuple[Project, Project]) -> None:
    merge = merging.merge(source=pair[0], target=pair[1], actor=COMMAND, at=NOW)
    merging.undo(pk=merge.pk, actor=COMMAND, at=NOW)
    before = snapshot()

    for pk in (merge.pk, 10**6):
        with pytest.raises(CannotMerge, match="undone already"):
            merging.undo(pk=pk, actor=COMMAND, at=NOW)
    assert snapshot() == before


def test_a_chain_of_merges_is_undone_in_any_order(pair: tuple[Project, Project]) -> None:
    before = snapshot()
    middle = Project.objects.create(name="middle", created_at=NOW)
    first = merging.merge(source=pair[0], target=middle, actor=COMMAND, at=NOW)
    second = merging.merge(source=middle, target=pair[1], actor=COMMAND, at=NOW)
    assert Observation.objects.get().project == pair[1]

    merging.undo(pk=first.pk, actor=COMMAND, at=NOW)
    assert Observation.objects.get().project.name == "harbor_api"
    merging.undo(pk=second.pk, actor=COMMAND, at=NOW)
    Project.objects.filter(name="middle").delete()
    index.rebuild(at=NOW)
    assert snapshot() == before


def test_one_agents_id_known_to_both_stays_the_registered_sessions(pair: tuple[Project, Project]) -> None:
    source, target = pair
    agents = make_session("t1", project="harbor_api")
    journals = target.sessions.get(external_id="t1")
    before = snapshot()

    merge = merging.merge(source=source, target=target, actor=COMMAND, at=NOW)
    journals.refresh_from_db()
    assert sessions.find("t1") == agents
    assert journals.external_id == f"t1~{journals.pk}"
    assert journals.entries.count() == 1
    merging.undo(pk=merge.pk, actor=COMMAND, at=NOW)
    assert sessions.find("t1") == agents
    assert {name: rows for name, rows in snapshot().items() if name != "found"} == {
        name: rows for name, rows in before.items() if name != "found"
    }


def test_refuses_what_must_not_be_merged(pair: tuple[Project, Project]) -> None:
    source, target = pair
    nobody = Project.objects.create(name=NO_PROJECT)
    before = snapshot()

    for one, other, why in [
        (target, source, "memory of its own on disk"),
        (source, source, "into itself"),
        (nobody, target, "belongs to no project"),
        (source, nobody, "belongs to no project"),
    ]:
        assert why in merging.preview(one, other).refusal
        with pytest.raises(CannotMerge, match=why):
            merging.merge(source=one, target=other, actor=COMMAND, at=NOW)
    assert snapshot() == before


def test_the_second_of_two_merges_finds_nothing_left(pair: tuple[Project, Project]) -> None:
    source, target = pair
    merging.merge(source=Project.objects.get(pk=source.pk), target=target, actor=COMMAND, at=NOW)

    with pytest.raises(CannotMerge, match="gone"):
        merging.merge(source=source, target=target, actor=COMMAND, at=NOW)
    assert ProjectMerge.objects.count() == 1


def test_says_why_a_merge_can_no_longer_be_undone(pair: tuple[Project, Project], tmp_path: Path) -> None:
    merge = merging.merge(source=pair[0], target=pair[1], actor=COMMAND, at=NOW)
    again = Project.objects.create(name="harbor_api")
    Session.objects.create(project=again, key="other", external_id="s1", started_at=NOW, last_activity_at=NOW)
    before = snapshot()

    with pytest.raises(CannotMerge, match="made anew"):
        merging.undo(pk=merge.pk, actor=COMMAND, at=NOW)
    assert snapshot() == before


def test_brings_settings_back_with_the_project(pair: tuple[Project, Project]) -> None:
    source, target = pair
    source.settings.create(key="summarizer.model", value={"name": "small"})

    merge = merging.merge(source=source, target=target, actor=COMMAND, at=NOW)
    assert not target.settings.exists()
    assert merging.undo(pk=merge.pk, actor=COMMAND, at=NOW).settings.get().value == {"name": "small"}


def test_knows_every_table_that_belongs_to_a_project() -> None:
    names = {relation.get_accessor_name() for relation in Project._meta.related_objects if not relation.hidden}

    assert names == {*MOVED, *STAYS}
