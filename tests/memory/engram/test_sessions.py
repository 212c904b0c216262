"""Sessions: registered, renewed, continued, ended, deleted, and chosen for writers that name none."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.audit import COMMAND
from memory.engram import observations, sessions
from memory.engram.errors import (
    Invalid,
    IsolationConflict,
    SessionConflict,
    SessionEnded,
    SessionNotFound,
    StillHasObservations,
)
from memory.models import AuditEntry, Entry, Project, Prompt, Session, Tombstone
from memory.models.session import LEASE, SessionState
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.engram.counting import costs
from tests.memory.engram.makers import make_observation, make_prompt, make_session, told

pytestmark = pytest.mark.django_db

NOW = timezone.now()
OWNED = "project_owned"


def _end(id: str = "s1", summary: str = "") -> Session:  # noqa: A002
    sessions.end(id=id, summary=summary, at=NOW)
    return Session.objects.get(key=id)


def test_starts_a_session_and_its_project() -> None:
    session = make_session(project=" Harbor--API ", directory="C:\\work\\harbor", platform="dsh", at=NOW)
    assert (session.key, session.project.name, session.directory) == ("s1", "harbor-api", "C:\\work\\harbor")
    assert (session.platform, session.ownership_mode, session.is_derived) == ("dsh", "shared", False)
    assert (session.started_at, session.state(NOW), session.state(NOW + LEASE)) == (
        NOW,
        SessionState.LIVE,
        SessionState.OPEN,
    )
    assert told() == [("session.started", "session:s1")]


def test_a_renewal_only_renews_the_lease_and_tells_nobody() -> None:
    make_session(directory="/a", platform="dsh", at=NOW)
    before = told()
    with costs(2, more_on_postgres=2):
        again = make_session(directory="/b", platform="other", ownership_mode=OWNED, at=NOW + timedelta(minutes=20))
    assert (again.directory, again.platform, again.ownership_mode) == ("/a", "dsh", "shared")
    assert again.state(NOW + timedelta(minutes=45)) == SessionState.LIVE
    assert (again.started_at, told(), Session.objects.count()) == (NOW, before, 1)


def test_a_renewal_completes_what_was_not_known() -> None:
    make_session()
    again = make_session(directory="/a", platform="dsh")
    assert (again.directory, again.platform) == ("/a", "dsh")


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ({"id": " "}, "id and project are required"),
        ({"project": ""}, "id and project are required"),
        ({"ownership_mode": "mine"}, "ownership_mode must be"),
        ({"isolated": True}, "isolated registration requires"),
        ({"isolated": True, "ownership_mode": OWNED, "directory": "/a"}, "isolated registration requires"),
        ({"project": "a\tb"}, "control characters"),
    ],
)
def test_refuses_what_no_session_can_be(over: dict[str, object], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        make_session(**{"id": "s1", "project": "harbor"} | over)  # type: ignore[arg-type]
    assert not Session.objects.exists()


def test_an_ended_session_is_not_started_again() -> None:
    make_session()
    _end()
    with pytest.raises(SessionEnded) as refused:
        make_session()
    assert (refused.value.code, refused.value.fields) == ("session_already_ended", {"session_id": "s1"})


def test_a_shared_session_keeps_its_project_and_makes_none_of_the_other_name() -> None:
    make_session()
    assert make_session(project="quay").project.name == "harbor"
    assert not Project.objects.filter(name="quay").exists()


@pytest.mark.parametrize(("first", "second"), [(OWNED, OWNED), (OWNED, ""), (OWNED, "shared"), ("shared", OWNED)])
def test_an_owned_session_is_of_one_project(first: str, second: str) -> None:
    make_session(ownership_mode=first)
    with pytest.raises(SessionConflict) as refused:
        make_session(project="quay", ownership_mode=second)
    assert refused.value.message == (
        'session ownership does not match write project: session "s1" belongs to "harbor", not "quay"'
    )
    expected = {"session_id": "s1", "owner_project": "harbor", "requested_project": "quay"}
    assert (refused.value.code, refused.value.fields) == ("session_project_conflict", expected)


def test_an_alias_is_the_same_owner() -> None:
    session = make_session(ownership_mode=OWNED)
    session.project.aliases.create(name="old-harbor")
    assert make_session(project="Old-Harbor", ownership_mode=OWNED).pk == session.pk


def test_an_isolated_session_meets_none_that_is_not() -> None:
    make_session(directory="/a", ownership_mode=OWNED)
    with pytest.raises(IsolationConflict) as refused:
        make_session(isolated=True, ownership_mode=OWNED)
    assert refused.value.code == "session_isolation_conflict"
    assert make_session("s2", isolated=True, ownership_mode=OWNED).directory == ""


def test_resuming_an_open_session_is_renewing_it() -> None:
    assert make_session(resume=True).key == "s1"
    assert sessions.register(id="s1", project="harbor", resume=True, at=NOW).resumed_from == ""


def test_resuming_an_ended_session_goes_on_with_one_continuation_until_that_ends() -> None:
    root = make_session()
    _end()
    first = sessions.register(id="s1", project="harbor", resume=True, at=NOW)
    assert (first.session.key, first.resumed_from, first.session.continues) == ("s1:resume:2", "s1", root)
    assert sessions.register(id="s1", project="harbor", resume=True, at=NOW) == first
    _end("s1:resume:2")
    assert make_session(resume=True).key == "s1:resume:3"


def test_resumes_the_lowest_continuation_and_tells_cases_apart() -> None:
    for key in ("s1", "S1:resume:2", "s1:resume:10", "s1:resume:9", "s1:resume:x"):
        make_session(key)
    _end("s1")
    assert make_session(resume=True).key == "s1:resume:9"
    _end("s1:resume:9")
    _end("s1:resume:10")
    assert make_session(resume=True).key == "s1:resume:11"
    _end("s1:resume:11")
    assert make_session("s1:resume:11", resume=True).key == "s1:resume:12"


def test_nothing_is_lost_when_an_ended_session_is_used_again() -> None:
    """B34: end, start, capture, end again: the capture stays in the session, and so do both summaries."""
    make_session()
    assert _end(summary="Moved the leases.").summary == "Moved the leases."
    with pytest.raises(SessionEnded):
        make_session()
    saved = make_observation(session_id="s1", project="harbor")
    ended = _end(summary="Moved the cranes.")
    assert saved.session == ended
    assert ended.summary == "Moved the leases.\n\nMoved the cranes."
    assert Session.objects.count() == 1


def test_ending_twice_changes_nothing() -> None:
    make_session()
    first = _end(summary="Moved the leases. <private>key</private>")
    before = told()
    sessions.end(id="s1", at=NOW + timedelta(hours=1))
    sessions.end(id="s1", summary="Moved the leases. [REDACTED]", at=NOW + timedelta(hours=1))
    first.refresh_from_db()
    assert first.summary == first.title == "Moved the leases. [REDACTED]"
    assert first.ended_at == NOW
    assert told() == before == [("session.started", "session:s1"), ("session.ended", "session:s1")]


def test_ending_an_unknown_session_is_fine() -> None:
    sessions.end(id="nobody", summary="x", at=NOW)
    assert told() == []


def test_finds_only_what_an_agent_registered(tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(session="j1")}))
    assert sessions.find("j1") is None
    taken = make_session("j1", directory="/a")
    found = sessions.find("j1")
    assert found is not None
    assert (found, found.is_derived, found.entries.count()) == (taken, False, 1)


def test_an_id_that_a_journal_of_another_project_names_is_free(tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(session="j1")}))
    made = make_session("j1", project="quay", ownership_mode=OWNED)
    assert (made.external_id, made.project.name, Session.objects.count()) == ("j1", "quay", 2)
    assert sessions.find("j1") == make_session("j1", project="quay", ownership_mode=OWNED) == made
    assert make_observation(session_id="j1").session == made


def test_a_session_of_no_project_gets_one() -> None:
    Project.objects.create(name="no project")
    session = make_session(project="no project")
    assert make_session(project="harbor").project.name == "harbor"
    session.refresh_from_db()
    assert session.project.name == "harbor"


def test_directories_of_one_checkout_are_one(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/.git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "repo/src/pkg").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "repo/src")
    root = str((tmp_path / "repo").resolve())
    assert make_session("s1", directory=str(tmp_path / "repo/src/pkg")).directory == root
    assert make_session("s2", directory=str(tmp_path / "link")).directory == root
    assert make_session("s3", directory=str(tmp_path)).directory == str(tmp_path.resolve())
    assert make_session("s4", directory="relative").directory == "relative"


@given(st.text(max_size=600))
def test_takes_any_text_as_an_id(text: str) -> None:
    if not text.strip():
        return
    made = make_session(text, directory=text)
    assert sessions.find(text) == make_session(text) == made
    sessions.end(id=text, summary=text, at=NOW)
    sessions.delete(id=text, at=NOW)
    assert sessions.find(text) is None


def test_deletes_a_session_with_its_prompts_and_remembers_their_ids() -> None:
    make_session()
    prompt = make_prompt(source_inbox_id="i1")
    sessions.delete(id="s1", actor=COMMAND, at=NOW)
    assert not Session.objects.exists()
    assert not Prompt.objects.exists()
    kept = Tombstone.objects.values_list("kind", "key", "session_key", "project_name", "source_inbox_id")
    assert set(kept) == {("session", "s1", "", "harbor", ""), ("prompt", prompt.sync_id, "s1", "harbor", "i1")}
    assert told()[-2:] == [("prompt.deleted", f"prompt:{prompt.pk}"), ("session.deleted", "session:s1")]
    assert AuditEntry.objects.get().action == "session.deleted"


def test_a_session_with_observations_stays() -> None:
    row = make_observation()
    observations.delete(pk=row.pk, at=NOW)
    with pytest.raises(StillHasObservations, match=r'session "s1" has 1 observation\(s\)'):
        sessions.delete(id="s1", at=NOW)
    with pytest.raises(SessionNotFound):
        sessions.delete(id="s2", at=NOW)


def test_what_journals_tell_of_a_deleted_session_stays(tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(session="j1")}))
    make_session("j1")
    make_prompt(session_id="j1")
    sessions.end(id="j1", summary="Said by the agent", at=NOW)
    sessions.delete(id="j1", at=NOW)
    session = Session.objects.get()
    assert (session.is_derived, session.summary, session.ended_at) == (True, "", None)
    assert (Entry.objects.get().session, session.prompts.count(), sessions.find("j1")) == (session, 0, None)


def test_resolves_what_goes_on_at_run_time() -> None:
    ask = {"id": "s1", "project": "harbor", "directory": "/a"}
    with pytest.raises(SessionNotFound):
        sessions.runtime_resolve(**ask)
    made = make_session(directory="/a")
    assert sessions.runtime_resolve(**ask) == sessions.Registration(made)
    for other in ({"project": "quay"}, {"directory": "/b"}, {"ownership_mode": OWNED}):
        with pytest.raises(SessionConflict):
            sessions.runtime_resolve(**ask | other)
    with pytest.raises(Invalid):
        sessions.runtime_resolve(**ask | {"directory": " "})


def test_ends_what_goes_on_at_run_time() -> None:
    ask = {"id": "s1", "project": "harbor", "directory": "/a"}
    make_session(directory="/a")
    ended = sessions.runtime_end(**ask, summary="Done", at=NOW)
    assert (ended.session.ended_at, ended.session.summary, ended.resumed_from) == (NOW, "Done", "")
    make_session(directory="/a", resume=True)
    again = sessions.runtime_end(**ask, at=NOW)
    assert (again.session.key, again.session.ended_at, again.resumed_from) == ("s1:resume:2", NOW, "s1")
    with pytest.raises(SessionNotFound):
        sessions.runtime_end(**ask, at=NOW)


def test_a_writer_without_a_session_gets_the_one_that_is_alive() -> None:
    made = make_session(directory="/a", at=NOW)
    make_session("elsewhere", directory="/b", at=NOW)
    assert sessions.writer(project="harbor", directory="/a", at=NOW) == made


def test_a_writer_without_any_session_gets_one_of_its_own() -> None:
    make_session(directory="/a", at=NOW)
    made = sessions.writer(project="harbor", directory="/a", at=NOW + LEASE)
    assert (made.key, made.project.name) == ("manual-save-harbor", "harbor")
    assert sessions.writer(project="harbor", directory="", at=NOW + LEASE) == made
    assert (
        observations.save(session_id=made.key, title="t", content="c", project="harbor", at=NOW).outcome == "inserted"
    )


def test_a_writer_is_not_put_into_a_foreign_conversation() -> None:
    for key in ("s1", "s2"):
        make_session(key, directory="/a", at=NOW)
    with pytest.raises(Invalid, match="s1, s2"):
        sessions.writer(project="harbor", directory="/a", at=NOW)


def test_a_session_without_a_lease_is_offered_for_a_week_where_none_is_alive() -> None:
    never = make_session("imported", directory="/a", at=NOW)
    Session.objects.update(last_seen_at=None)
    assert sessions.writer(project="harbor", directory="/a", at=NOW + timedelta(days=6)) == never
    assert sessions.writer(project="harbor", directory="/a", at=NOW + timedelta(days=8)).key == "manual-save-harbor"
    alive = make_session("alive", directory="/a", at=NOW)
    assert sessions.writer(project="harbor", directory="/a", at=NOW) == alive


def test_a_manual_session_of_another_project_is_left_alone() -> None:
    foreign = make_session("manual-save-harbor", project="quay")
    made = sessions.writer(project="harbor", at=NOW)
    assert (made.key, made.project.name) == (f"manual-save-harbor~{made.project.pk}", "harbor")
    assert sessions.writer(project="harbor", at=NOW) == made != foreign
