"""What becomes of single rows: which copy wins, what stays deleted, what is never stored."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.engram import observations, prompts, sessions
from memory.engram.naming import wire_name
from memory.engram.text import MARK
from memory.models import Change, Observation, Project, Prompt, Relation, Session, Tombstone
from memory.models.project import NO_PROJECT
from memory.search import index
from memory.search.query import search
from tests.memory.engram.exchange import rows
from tests.memory.engram.exchange.sources import bring, write
from tests.memory.engram.makers import make_session

pytestmark = pytest.mark.django_db


def take(path: Path, **document: Any) -> Any:
    """Import a document; return the report's JSON."""
    return bring(write(path / "export.json", **document)).as_json()


def only() -> Observation:
    return Observation.objects.select_related("project", "session").get()


def _text(row: dict[str, Any]) -> str:
    return str(row["content"])


NEWEST = rows.observation(at="11:00:00", revision_count=3, content="Third.")
COPIES = [
    rows.observation(content="First."),
    rows.observation(at="10:00:00", revision_count=2, content="Second."),
    NEWEST,
]


@pytest.mark.parametrize("order", list(itertools.permutations(COPIES)), ids=lambda copies: "".join(map(_text, copies)))
@pytest.mark.parametrize("is_together", [True, False])
def test_the_newest_copy_wins_whatever_comes_first(
    tmp_path: Path, order: tuple[dict[str, Any], ...], *, is_together: bool
) -> None:
    for part in [order] if is_together else [[one] for one in order]:
        take(tmp_path, sessions=[rows.session()], observations=list(part))

    assert (only().content, only().revision_count) == ("Third.", 3)


def test_of_two_copies_of_one_moment_the_higher_revision_wins(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.observation(revision_count=2, content="Second.")])
    take(tmp_path, observations=[rows.observation(revision_count=1, content="First.")])

    assert only().content == "Second."


def test_what_a_newer_copy_replaces_stays_as_a_version(tmp_path: Path) -> None:
    take(tmp_path, observations=[COPIES[0]])
    take(tmp_path, observations=[NEWEST])

    [version] = only().versions.all()
    assert (version.number, version.content) == (1, "First.")


def test_what_was_edited_here_since_is_not_overwritten(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.observation()])
    edit = observations.Edit(content="Corrected by hand.")
    observations.update(pk=only().pk, edit=edit, at=timezone.now())

    found = take(tmp_path, observations=[rows.observation()])

    assert (only().content, found["observations"]["same"]) == ("Corrected by hand.", 1)


DELETION = rows.mutation(
    "observation", "delete", json.dumps({"sync_id": "obs-1", "deleted_at": f"{rows.DAY} 10:00:00"})
)


@pytest.mark.parametrize("is_deletion_first", [True, False])
@pytest.mark.parametrize(("at", "is_live"), [("09:00:00", False), ("10:00:00", False), ("10:00:01", True)])
def test_only_a_copy_that_is_newer_than_the_deletion_is_live(
    tmp_path: Path, at: str, *, is_live: bool, is_deletion_first: bool
) -> None:
    documents: list[dict[str, Any]] = [{"mutations": [DELETION]}, {"observations": [rows.observation(at=at)]}]
    for document in documents if is_deletion_first else documents[::-1]:
        take(tmp_path, sessions=[rows.session()], **document)

    assert (only().deleted_at is None) is is_live
    assert only().content == "They expire there."


def test_a_deleted_row_comes_back_by_a_newer_one_only(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.deleted(at="10:00:00")])
    take(tmp_path, observations=[rows.observation(at="10:00:00", revision_count=9)])
    assert only().deleted_at

    take(tmp_path, observations=[rows.observation(at="10:30:00")])

    assert only().deleted_at is None
    assert Change.objects.order_by("-pk").values_list("kind", flat=True).first() == "observation.restored"


def test_a_deleted_row_is_not_found(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.deleted("obs-1", at="10:00:00"), rows.observation("obs-2", title="Pilots wait")])
    index.follow()

    assert [hit.title for hit in search("leases pilots").items if hit.kind == "observation"] == ["Pilots wait"]


def test_what_was_deleted_for_good_does_not_come_back(tmp_path: Path) -> None:
    document = {"observations": [rows.observation()], "prompts": [rows.prompt()]}
    take(tmp_path, **document)
    observations.delete(pk=only().pk, hard=True, at=timezone.now())
    prompts.delete(pk=Prompt.objects.get().pk, at=timezone.now())

    found = take(tmp_path, **document)

    assert (Observation.objects.count(), Prompt.objects.count()) == (0, 0)
    assert [one["what"] for one in found["skipped"]] == ["observation obs-1", "prompt prompt-1"]


def test_what_was_written_anew_after_that_does(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.observation()])
    observations.delete(pk=only().pk, hard=True, at=timezone.now())

    take(tmp_path, observations=[rows.observation(updated_at="2100-01-01 00:00:00")])

    assert only().sync_id == "obs-1"


def test_a_deletion_for_good_elsewhere_is_followed(tmp_path: Path) -> None:
    payload = json.dumps({"sync_id": "obs-1", "deleted_at": f"{rows.DAY} 10:00:00", "hard_delete": True})
    document = {"observations": [rows.observation("obs-1"), rows.observation("obs-2")], "relations": [rows.relation()]}
    take(tmp_path, **document)

    take(tmp_path, mutations=[rows.mutation("observation", "delete", payload)])
    take(tmp_path, **document)

    assert only().sync_id == "obs-2"
    assert Relation.objects.get().judgment_status == "orphaned"
    assert Tombstone.objects.get(key="obs-1").kind == "observation"


@pytest.mark.parametrize("is_deletion_first", [True, False])
def test_a_deleted_prompt_stays_away(tmp_path: Path, *, is_deletion_first: bool) -> None:
    grave = {"sync_id": "prompt-1", "session_id": "s1", "deleted_at": f"{rows.DAY} 11:00:00"}
    documents: list[dict[str, Any]] = [{"prompt_tombstones": [grave]}, {"prompts": [rows.prompt()]}]
    for document in documents if is_deletion_first else documents[::-1]:
        take(tmp_path, sessions=[rows.session()], observations=None, **document)

    assert Prompt.objects.count() == 0
    assert not Change.objects.exclude(title="").filter(ref__startswith="prompt:").exists()


def test_a_pin_comes_in_whatever_comes_first(tmp_path: Path) -> None:
    copies = [rows.observation("obs-1"), rows.observation("obs-1", pinned=True)]
    others = [rows.observation("obs-2", pinned=True), rows.observation("obs-2", at="10:00:00")]
    for copy in copies + others:
        take(tmp_path, observations=[copy])

    assert list(Observation.objects.values_list("is_pinned", flat=True)) == [True, True]


def test_a_pin_that_was_taken_off_here_does_not_come_back(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.observation(pinned=True)])
    observations.pin(pk=only().pk, is_pinned=False, at=timezone.now())

    take(tmp_path, observations=[rows.observation(pinned=True)])

    assert not only().is_pinned


def test_a_relation_waits_for_its_other_end(tmp_path: Path) -> None:
    found = take(tmp_path, observations=[rows.observation("obs-1")], relations=[rows.relation()])
    assert found["relations"] == {"new": 1, "updated": 0, "same": 0, "unresolved": 1}

    take(tmp_path, observations=[rows.observation("obs-2")])

    whole = Relation.objects.select_related("source", "target", "project").get()
    assert whole.source and whole.target and whole.project
    assert (whole.source.sync_id, whole.target.sync_id, whole.project.name) == ("obs-1", "obs-2", "harbor")


def test_the_newer_verdict_wins(tmp_path: Path) -> None:
    newer = rows.relation(relation="supersedes", updated_at=f"{rows.DAY} 11:00:00")
    for one in (rows.relation(), newer, rows.relation()):
        take(tmp_path, observations=None, sessions=[rows.session()], relations=[one])

    assert Relation.objects.get().relation == "supersedes"


def test_a_session_whose_record_is_missing_has_a_stub_until_it_comes(tmp_path: Path) -> None:
    found = take(tmp_path, observations=[rows.observation()])
    assert (only().session.is_stub, only().session.project.name) == (True, "harbor")
    assert [one["what"] for one in found["problems"]] == ["session s1"]

    found = take(tmp_path, sessions=[rows.session(summary="Moved the leases.", ended_at=f"{rows.DAY} 12:00:00")])

    session = only().session
    assert (session.is_stub, session.directory, session.summary) == (False, "/src/harbor", "Moved the leases.")
    assert (found["sessions"]["new"], found["problems"]) == (1, [])


def test_two_records_of_a_session_are_joined_whatever_comes_first(tmp_path: Path) -> None:
    records = [
        rows.session(directory="", started_at=f"{rows.DAY} 08:30:00", ownership_mode="project_owned"),
        rows.session(ended_at=f"{rows.DAY} 12:00:00", summary="Short."),
        rows.session(ended_at=f"{rows.DAY} 13:00:00", summary="Short. And more."),
    ]
    states = []
    for number, order in enumerate(itertools.permutations(records)):
        for record in order:
            take(tmp_path, sessions=[record | {"id": f"s{number}"}], observations=None)
        row = Session.objects.get(key=f"s{number}")
        states.append((row.directory, row.started_at, row.ended_at, row.summary, row.ownership_mode))

    assert len(set(states)) == 1
    assert states[0][3:] == ("Short. And more.", "project_owned")


def test_a_session_that_journals_named_first_becomes_the_agents(tmp_path: Path) -> None:
    harbor = Project.objects.create(name="harbor")
    now = timezone.now()
    Session.objects.create(
        project=harbor, key="s1", external_id="s1", is_derived=True, started_at=now, last_activity_at=now
    )
    other = Project.objects.create(name="pilot")
    Session.objects.create(
        project=other, key="s2", external_id="s2", is_derived=True, started_at=now, last_activity_at=now
    )

    take(tmp_path, sessions=[rows.session("s1"), rows.session("s2")], observations=[rows.observation(session_id="s2")])

    assert {row.key for row in harbor.sessions.registered()} == {"s1", f"s2~{harbor.pk}"}
    assert sessions.find("s2") == only().session


def test_a_live_session_keeps_its_lease(tmp_path: Path) -> None:
    make_session("s1")
    before = Session.objects.get()

    take(tmp_path, sessions=[rows.session()], observations=[rows.observation()])

    after = Session.objects.get()
    assert (after.last_seen_at, after.state(timezone.now())) == (before.last_seen_at, "live")


def test_projects_keep_their_spelling(tmp_path: Path) -> None:
    spellings = ["Harbor", "harbor", "C:\\work\\harbor", "-projectname harbor", None, "", "x" * 300, "a\x07b"]
    take(tmp_path, observations=[rows.observation(f"obs-{n}", project=name) for n, name in enumerate(spellings)])

    found = Observation.objects.select_related("project").order_by("sync_id")
    assert [(wire_name(row.project), row.project_label) for row in found] == [
        *(("harbor", "Harbor"), ("harbor", ""), ("c:\\work\\harbor", "C:\\work\\harbor")),
        *(("-projectname harbor", ""), ("", ""), ("", "")),
        *(("", "x" * 300), ("", "a\x07b")),
    ]


def test_everything_can_be_given_to_one_project(tmp_path: Path) -> None:
    path = write(tmp_path / "e.json", sessions=[rows.session()], observations=[rows.observation(project="Quay")])

    bring(path, project="Pilot")

    assert (only().project.name, only().project_label, only().session.project.name) == ("pilot", "Quay", "pilot")


def test_a_merged_project_takes_what_still_comes_under_its_old_name(tmp_path: Path) -> None:
    make_session(project="pilot")
    pilot = Project.objects.get(name="pilot")
    pilot.aliases.create(name="harbor")

    take(tmp_path, sessions=[rows.session("s9")], observations=[rows.observation(session_id="s9")])

    row = Observation.objects.select_related("project").get(sync_id="obs-1")
    assert (row.project, row.project_label) == (pilot, "harbor")


def test_rows_without_an_id_count_once(tmp_path: Path) -> None:
    old = {name: value for name, value in rows.observation().items() if name not in {"sync_id", "scope", "updated_at"}}
    asked = {name: value for name, value in rows.prompt().items() if name != "sync_id"}
    for _ in range(2):
        take(tmp_path, observations=[old, old | {"content": "Another."}], prompts=[asked])

    assert (Observation.objects.count(), Prompt.objects.count()) == (2, 1)
    assert only_ids(Observation.objects.values_list("sync_id", flat=True), "obs-")


def only_ids(found: Any, prefix: str) -> bool:
    return all(one.startswith(prefix) and len(one) == len(prefix) + 16 for one in found)


def test_a_prompt_of_a_client_comes_once(tmp_path: Path) -> None:
    asked = [rows.prompt("prompt-1", source_inbox_id="m1"), rows.prompt("prompt-2", source_inbox_id="m1")]
    found = take(tmp_path, sessions=[rows.session()], prompts=asked)

    assert (Prompt.objects.count(), found["prompts"]) == (1, {"new": 1, "updated": 0, "same": 1})


PRIVATE = "<private>door code opensesame</private>"


def test_nothing_private_is_stored(tmp_path: Path) -> None:
    said = f"Before {PRIVATE} after"
    nested = {"title": "x", "meta": {"a": [PRIVATE, {"b": PRIVATE}]}, PRIVATE: "v"}
    take(
        tmp_path,
        sessions=[rows.session("s1", summary=said, directory=said), rows.session(said)],
        observations=[
            rows.observation("obs-1", title=said, content="Open <PRIVATE>door code\nopensesame", meta=nested),
            rows.observation(said, topic_key=said, tool_name=said, type=said, project=said, session_id=said),
        ],
        prompts=[rows.prompt(content=said, source_inbox_id=said)],
        relations=[rows.relation(reason=said, evidence=said, marked_by_actor=said, source=said)],
        x_private=nested,
    )

    stored = [list(model.objects.values()) for model in (Session, Observation, Prompt, Relation, Project, Change)]
    assert "opensesame" not in str(stored)
    assert Observation.objects.get(sync_id="obs-1").content == "Open [REDACTED]"


def test_white_space_and_line_ends_stay(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.observation(content="  one\r\n\ttwo\r\n")])

    assert only().content == "  one\r\n\ttwo\r\n"


@pytest.mark.parametrize("last", ["ñ", "🚢"])
def test_a_long_text_is_cut_between_characters_and_says_so(tmp_path: Path, last: str) -> None:
    long = "x" * 49_999 + last
    found = take(tmp_path, observations=[rows.observation(content=long)], prompts=[rows.prompt(content=long)])

    size = len(long.encode())
    assert (only().content, only().full_size) == ("x" * 49_999 + MARK, size)
    assert Prompt.objects.get().full_size == size
    assert [one["why"] for one in found["problems"][:2]] == [
        f"Its text of {size:,} bytes was cut to the first 50,000."
    ] * 2


def test_a_text_that_arrives_cut_stays_as_it_is(tmp_path: Path) -> None:
    take(tmp_path, observations=[rows.observation(content="Half of it" + MARK)])

    assert (only().content, only().full_size) == ("Half of it" + MARK, None)


def test_odd_values_are_taken_as_what_they_mean(tmp_path: Path) -> None:
    odd = rows.observation(
        type=" ",
        scope="team",
        topic_key="Decisión/Año 2026",
        title="",
        content="",
        pinned=1,
        revision_count=0,
        duplicate_count=-4,
        last_seen_at="2026-02-03T10:00:00.120450667Z",
        review_after="soon",
        tool_name=7,
    )
    take(tmp_path, observations=[odd])

    row = only()
    assert (row.type, row.scope, row.topic_key, row.tool_name) == ("manual", "project", "decisión/año-2026", "")
    assert (row.revision_count, row.duplicate_count, row.review_after, row.is_pinned) == (1, 1, None, True)
    assert row.last_seen_at and row.last_seen_at.microsecond == 120450


def test_rows_that_are_none_are_named_and_stop_nothing(tmp_path: Path) -> None:
    found = take(
        tmp_path,
        sessions=[7, {"project": "harbor"}],
        observations=[rows.observation(), "text"],
        prompts=[rows.prompt(content="  ")],
        relations=[rows.relation(relation="loves"), rows.relation(target="")],
        mutations=[{"entity": "moon", "op": "upsert", "payload": "{}"}, rows.mutation("session", "upsert", "{")],
    )

    assert only().sync_id == "obs-1"
    assert len(found["skipped"]) == 8
    assert all(one["what"] and one["why"] for one in found["skipped"])


def test_steps_of_engrams_journal_are_followed(tmp_path: Path) -> None:
    payloads = {
        "session": rows.session("s5"),
        "observation": rows.observation(session_id="s5"),
        "prompt": rows.prompt(),
    }
    steps = [rows.mutation(entity, "upsert", json.dumps(payload)) for entity, payload in payloads.items()]
    steps.append(rows.mutation("relation", "upsert", json.dumps(json.dumps(rows.relation()))))
    take(tmp_path, sessions=None, mutations=steps)

    assert (only().session.key, Prompt.objects.count(), Relation.objects.count()) == ("s5", 1, 1)


def test_every_row_is_told_to_the_feed_once(tmp_path: Path) -> None:
    document = {
        "sessions": [rows.session()],
        "observations": [rows.observation("obs-1"), rows.deleted("obs-2", at="10:00:00")],
        "prompts": [rows.prompt()],
        "relations": [rows.relation()],
    }
    take(tmp_path, **document)
    take(tmp_path, **document)

    told = Change.objects.select_related("project").order_by("pk")
    assert [one.kind for one in told] == [
        *("session.started", "observation.saved", "observation.deleted", "prompt.saved", "relation.judged")
    ]
    assert {one.project.name for one in told if one.project} == {"harbor"}


def test_rows_of_no_project_belong_to_none(tmp_path: Path) -> None:
    take(tmp_path, sessions=[rows.session(project="")], observations=[rows.observation(project=None)])

    assert (only().project.name, only().session.project.name) == (NO_PROJECT, NO_PROJECT)
