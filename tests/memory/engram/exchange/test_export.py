"""An export holds everything, and is the same after it went through an empty instance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.engram import observations, prompts
from memory.engram.editing import Edit
from memory.engram.exchange import exporting
from memory.models import Change, Observation, ObservationVersion, Project, Prompt, Relation, Session, Tombstone
from tests.memory.engram.exchange import rows
from tests.memory.engram.exchange.sources import bring, counts, make_engram, write
from tests.memory.engram.makers import make_observation, make_prompt, make_session
from tests.places import FIXTURES

pytestmark = pytest.mark.django_db


def exported(project: Project | None = None) -> Any:
    document = json.loads("".join(exporting.pieces(project, at=timezone.now())))
    del document["exported_at"]
    return document


def through_an_empty_instance(path: Path, document: dict[str, Any]) -> Any:
    for model in (Relation, Observation, Prompt, Session, Tombstone, Project, Change):
        model.objects.all().delete()
    path.write_text(json.dumps(document))
    report = bring(path)
    assert report.kind == "memdock-export"
    assert not report.tally.skipped
    return exported()


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the generators are not here")
@pytest.mark.parametrize("seed", range(3))
def test_an_export_comes_out_as_it_went_in(tmp_path: Path, seed: int) -> None:
    make_engram(tmp_path, "--quirks", "all", "--seed", str(seed), "--languages", "en,zh,ru")
    for name in (".engram", "engram.db", "engram-export-0.2.0.json"):
        bring(tmp_path / name)
    document, held = exported(), counts()

    assert through_an_empty_instance(tmp_path / "memdock.json", document) == document
    assert counts() == held


def test_nothing_is_lost_on_the_way(tmp_path: Path) -> None:
    make_session("s2", project="pilot")
    kept = make_observation("Pinned", topic_key="a/b", tool_name="bash", type="decision")
    observations.pin(pk=kept.pk, is_pinned=True, at=timezone.now())
    observations.delete(pk=make_observation("Soft").pk, at=timezone.now())
    observations.delete(pk=make_observation("Hard").pk, hard=True, at=timezone.now())
    prompts.delete(pk=make_prompt("Gone", source_inbox_id="m1").pk, at=timezone.now())
    make_prompt("Here", source_inbox_id="m2")
    make_observation("Long", content="é" * 30_000)
    for words in ("They expire.", "They never expire.", "They expire."):
        observations.update(pk=kept.pk, edit=Edit(content=words, scope="personal"), at=timezone.now())
    bring(
        write(
            tmp_path / "e.json",
            observations=[rows.observation(session_id="lost", project="Harbor")],
            relations=[rows.relation("rel-1", "obs-1", kept.sync_id, confidence=0.5), rows.relation("rel-2")],
            tombstones=[
                {"entity": "observation", "entity_key": "obs-9", "deleted_at": "2026-02-03", "hard_delete": False}
            ],
        )
    )
    document = exported()

    assert through_an_empty_instance(tmp_path / "memdock.json", document) == document
    assert Observation.objects.get(title="Pinned").is_pinned
    assert ObservationVersion.objects.filter(observation__title="Pinned", scope="personal").count() == 2
    assert Observation.objects.get(title="Soft").deleted_at
    assert Observation.objects.get(title="Long").full_size == 60_000
    assert Observation.objects.get(sync_id="obs-1").project_label == "Harbor"
    assert Session.objects.get(key="lost").is_stub
    assert set(Tombstone.objects.values_list("kind", flat=True)) == {"observation", "prompt"}
    assert "Hard" not in json.dumps(document)


def test_importing_its_own_export_changes_nothing(tmp_path: Path) -> None:
    make_observation()
    make_prompt()
    observations.update(pk=make_observation("Changed").pk, edit=Edit(title="Changed twice"), at=timezone.now())
    path = tmp_path / "own.json"
    path.write_text("".join(exporting.pieces(None, at=timezone.now())))

    report = bring(path)

    assert not any(count for (_, outcome), count in report.tally.counts.items() if outcome != "same")
    assert ObservationVersion.objects.count() == 1


def test_versions_of_engram_come_with_their_numbers_once(tmp_path: Path) -> None:
    """Engram tells title, content, number and time of a version; what it does not tell is as it is now."""
    told = {"observation_sync_id": "obs-1", "title": "Old", "created_at": "2026-02-03 08:00:00"}
    versions = [
        told | {"version": 1, "content": "First, <private>k</private>."},
        told | {"version": 2, "content": "Second."},
        told | {"version": 2, "content": "Third."},
        told | {"version": 3},
        told | {"version": 1, "content": "Nobody's.", "observation_sync_id": "obs-9"},
    ]
    path = write(tmp_path / "e.json", observations=[rows.observation()], observation_versions=versions)
    first, second = bring(path), bring(path)

    kept = Observation.objects.get().versions.order_by("number").values_list("number", "type", "title", "content")
    assert list(kept) == [
        (1, "decision", "Old", "First, [REDACTED]."),
        (2, "decision", "Old", "Second."),
        (3, "decision", "Old", "Third."),
    ]
    why = ["It does not tell of what and what it said.", "The observation is not here."]
    assert [note.why for note in first.tally.skipped] == [note.why for note in second.tally.skipped] == why


def test_it_has_the_shape_of_engrams(tmp_path: Path) -> None:
    make_observation("Tides", type="bugfix", at=timezone.now())
    document = json.loads("".join(exporting.pieces(None, at=timezone.now())))

    assert document["version"] == "0.2.0"
    assert list(document) == [
        *("version", "exported_at", "memdock", "sessions", "observations", "observation_versions", "prompts"),
        *("relations", "prompt_tombstones", "tombstones"),
    ]
    [session], [observation] = document["sessions"], document["observations"]
    assert set(session) == {"id", "project", "ownership_mode", "directory", "started_at"}
    assert {
        name: observation[name] for name in ("id", "session_id", "type", "title", "project", "scope", "pinned")
    } == {
        "id": 1,
        "session_id": "s1",
        "type": "bugfix",
        "title": "Tides",
        "project": "harbor",
        "scope": "project",
        "pinned": False,
    }
    assert "deleted_at" not in observation


def test_a_projects_export_holds_its_rows_and_the_sessions_that_they_name(tmp_path: Path) -> None:
    bring(
        write(
            tmp_path / "e.json",
            sessions=[rows.session("s1"), rows.session("s2", project="pilot"), rows.session("s3", project="pilot")],
            observations=[
                rows.observation("obs-1"),
                rows.observation("obs-2", session_id="s2"),
                rows.observation("obs-3", project=None),
                rows.observation("obs-4", session_id="s3", project="pilot"),
                rows.observation("obs-5", session_id="s3", project=None),
            ],
            prompts=[rows.prompt("prompt-1"), rows.prompt("prompt-2", project="pilot")],
            relations=[rows.relation("rel-1", "obs-1", "obs-2"), rows.relation("rel-2", "obs-4", "obs-5")],
        )
    )

    found = exported(Project.objects.get(name="harbor"))

    assert [row["id"] for row in found["sessions"]] == ["s1", "s2"]
    assert [row["sync_id"] for row in found["observations"]] == ["obs-1", "obs-2", "obs-3"]
    assert [row["sync_id"] for row in found["prompts"]] == ["prompt-1"]
    assert [row["sync_id"] for row in found["relations"]] == ["rel-1"]


def test_more_than_a_page_is_whole_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "_PAGE", 3)
    names = [f"obs-{number}" for number in range(8)]
    bring(write(tmp_path / "e.json", sessions=[rows.session()], observations=[rows.observation(one) for one in names]))

    found = exported()["observations"]

    assert [(row["id"], row["sync_id"]) for row in found] == list(enumerate(names, 1))
