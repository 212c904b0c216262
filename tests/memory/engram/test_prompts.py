"""Prompts: saved once, listed, found and deleted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.audit import COMMAND
from memory.engram import prompts
from memory.engram.errors import (
    Invalid,
    NotFound,
    OperationConflict,
    OwnershipRequired,
    ProjectMismatch,
    SessionNotFound,
)
from memory.engram.text import LIMIT
from memory.models import AuditEntry, Change, Prompt, Tombstone
from tests.memory.engram.counting import costs
from tests.memory.engram.makers import make_prompt, make_session, told

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def test_saves_a_prompt() -> None:
    session = make_session(at=NOW - timedelta(hours=1))
    row = make_prompt("Where is <private>x</private>?", project="Harbor", at=NOW)
    assert (row.session, row.project.name, row.project_label) == (session, "harbor", "Harbor")
    assert (row.content, row.full_size, row.created_at) == ("Where is [REDACTED]?", None, NOW)
    assert row.sync_id.startswith("prompt-")
    assert told()[-1] == ("prompt.saved", f"prompt:{row.pk}")
    session.refresh_from_db()
    assert session.last_activity_at == NOW


def test_a_save_costs_few_statements() -> None:
    make_session()
    with costs(4, more_on_postgres=2):
        prompts.save(session_id="s1", content="c", at=NOW)
    with costs(6, more_on_postgres=2):
        prompts.save(session_id="s1", content="c", source_inbox_id="i1", at=NOW)


def test_cuts_a_long_prompt() -> None:
    assert make_prompt("ñ" * LIMIT).full_size == 2 * LIMIT


def test_the_same_prompt_is_kept_as_often_as_it_was_asked() -> None:
    assert make_prompt() != make_prompt()


def test_a_clients_own_id_is_kept_once_a_session() -> None:
    first = make_prompt(source_inbox_id="i1")
    before = told()
    assert make_prompt("Other words", source_inbox_id="i1") == first
    assert (first.content, told()) == ("Where are the leases kept?", before)
    make_session("s2")
    assert make_prompt(session_id="s2", source_inbox_id="i1") != first


def test_a_deleted_prompt_does_not_come_back() -> None:
    row = make_prompt(source_inbox_id="i1")
    prompts.delete(pk=row.pk, actor=COMMAND, at=NOW)
    with pytest.raises(OperationConflict):
        make_prompt(source_inbox_id="i1")
    assert not Prompt.objects.exists()
    tombstone = Tombstone.objects.get()
    assert (tombstone.kind, tombstone.key, tombstone.session_key) == ("prompt", row.sync_id, "s1")
    assert told()[-1] == ("prompt.deleted", f"prompt:{row.pk}")
    assert set(Change.objects.filter(ref=f"prompt:{row.pk}").values_list("title", flat=True)) == {""}
    assert AuditEntry.objects.get().action == "prompt.deleted"
    for pk in (row.pk, 0, 2**70):
        with pytest.raises(NotFound, match="prompt not found"):
            prompts.delete(pk=pk, at=NOW)


@pytest.mark.parametrize(
    "over", [{"session_id": " "}, {"content": ""}, {"content": " "}, {"source_inbox_id": "x" * 301}]
)
def test_refuses_a_prompt_that_says_nothing(over: dict[str, str]) -> None:
    make_session()
    with pytest.raises(Invalid):
        prompts.save(**{"session_id": "s1", "content": "c", "at": NOW} | over)  # type: ignore[arg-type]


def test_asks_for_the_session_as_a_memory_does() -> None:
    make_session()
    with pytest.raises(ProjectMismatch):
        make_prompt(project="quay")
    with pytest.raises(SessionNotFound):
        prompts.save(session_id="x", content="c", project="harbor", at=NOW)
    with pytest.raises(OwnershipRequired):
        prompts.save(session_id="x", content="c", at=NOW)


def test_lists_the_newest_first_and_by_project() -> None:
    make_session("s2", project="quay")
    old = make_prompt("Old", at=NOW - timedelta(days=1))
    new, foreign = make_prompt("New", at=NOW), make_prompt("Foreign", session_id="s2", at=NOW)
    assert prompts.recent(None, 2) == [foreign, new]
    assert prompts.recent(old.project, 20) == [new, old]


def test_finds_every_word_as_a_part_of_any() -> None:
    row, other = make_prompt("Why do the LEASES of 港口 expire, Ñandú?"), make_prompt("Why 100%?")
    for query in ("lease expire", '"expire,"', "港口", "harbor leases", "ñandú"):
        assert prompts.search(query, None, 10) == [row], query
    assert prompts.search("why", other.project, 1) == [other]
    assert prompts.search("100%", None, 10) == [other]
    for query in ("lease crane", "_", ' "" ', "", "\0"):
        assert prompts.search(query, None, 10) == []


@given(st.text())
def test_takes_any_text_as_a_query(text: str) -> None:
    assert isinstance(prompts.search(text, None, 10), list)
