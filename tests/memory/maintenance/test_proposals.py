"""Where a person wants to see them first, new documents wait."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from memory.audit import COMMAND, person
from memory.maintenance import proposals
from memory.maintenance.files import Changed
from memory.maintenance.proposals import AlreadyDecided
from memory.models import AuditEntry, Change, DocumentProposal, DocumentRevision, Project
from tests.memory.maintenance.models import Model, replace
from tests.memory.maintenance.scenes import memory, run, settle, write_more


@pytest.fixture
def waiting(harbor: Project, model: Model) -> DocumentProposal:
    """A proposal over an older document."""
    settle("documents.approval", True)
    memory(harbor, "PROJECT.md").write_text("# Old\n")
    model.says(replace("# New"))
    made = run(harbor)
    assert (made.state, made.action) == ("done", "waiting")
    return made.proposal


def test_a_new_text_waits_and_nothing_is_written(harbor: Project, waiting: DocumentProposal) -> None:
    assert (waiting.state, waiting.name, waiting.text) == ("waiting", "PROJECT.md", "# New\n")
    assert waiting.path == str(memory(harbor, "PROJECT.md"))
    assert memory(harbor, "PROJECT.md").read_text() == "# Old\n"
    assert run(harbor).action == "skip"


def test_a_person_lets_it_in(harbor: Project, waiting: DocumentProposal, owner: User) -> None:
    done = proposals.apply(pk=waiting.pk, actor=person(owner), at=timezone.now())

    assert (done.state, done.decided_by) == ("applied", owner)
    assert memory(harbor, "PROJECT.md").read_text() == "# New\n"
    assert list(DocumentRevision.objects.order_by("number").values_list("text", flat=True)) == ["# Old\n", "# New\n"]
    assert AuditEntry.objects.get(action="document.applied").actor == owner
    assert Change.objects.filter(kind="document.changed").exists()


def test_a_person_keeps_it_out(harbor: Project, waiting: DocumentProposal, owner: User) -> None:
    done = proposals.refuse(pk=waiting.pk, note="Too long.", actor=person(owner), at=timezone.now())

    assert (done.state, done.note) == ("refused", "Too long.")
    assert memory(harbor, "PROJECT.md").read_text() == "# Old\n"
    with pytest.raises(AlreadyDecided):
        proposals.apply(pk=waiting.pk, actor=COMMAND, at=timezone.now())
    with pytest.raises(AlreadyDecided):
        proposals.refuse(pk=waiting.pk, note="", actor=COMMAND, at=timezone.now())


def test_it_is_stale_once_the_document_changed(harbor: Project, waiting: DocumentProposal) -> None:
    memory(harbor, "PROJECT.md").write_text("# Mine\n")

    with pytest.raises(Changed):
        proposals.apply(pk=waiting.pk, actor=COMMAND, at=timezone.now())

    waiting.refresh_from_db()
    assert waiting.state == "stale"
    assert memory(harbor, "PROJECT.md").read_text() == "# Mine\n"


def test_what_was_written_before_a_crash_is_only_noted(harbor: Project, waiting: DocumentProposal) -> None:
    memory(harbor, "PROJECT.md").write_text(waiting.text)

    assert proposals.apply(pk=waiting.pk, actor=COMMAND, at=timezone.now()).state == "applied"


def test_a_newer_text_takes_the_place_of_the_older(harbor: Project, waiting: DocumentProposal, model: Model) -> None:
    write_more(harbor)
    model.says(replace("# Newer"))

    newer = run(harbor).proposal

    waiting.refresh_from_db()
    assert (waiting.state, newer.state) == ("stale", "waiting")
