"""The doors of captured agents: deliveries, cursors, recall and the inbox."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.capture import document, inbox
from memory.capture.accept import accept
from memory.models import Capture, Project
from memory.models.token import Scope
from tests.makers import make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused
from tests.memory.capture.events import dsh_document, dsh_turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(make_tree(tmp_path / "harbor"))
    return tmp_path / "harbor"


def test_a_delivery_is_answered_with_what_became_of_each_turn(root: Path) -> None:
    program = make_program(Scope.WRITE)
    data = dsh_document(root, dsh_turn(1, first=0), next_seq=4, from_seq=0)

    first = program.post(f"{ROOT}/events", data, content_type="application/json")
    again = program.post(f"{ROOT}/events", data, content_type="application/json")

    ref = f"capture:{Capture.objects.get().pk}"
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json() == {
        "session": "s1",
        "next_seq": 4,
        "stored": 4,
        "captures": [{"turn": "1", "state": "queued", "reason": "", "ref": ref}],
    }
    assert again.json()["captures"] == [{"turn": "1", "state": "captured", "reason": "", "ref": ref}]
    assert read(program, "/sessions/s1/cursor") == {"next_seq": 4}
    assert read(program, "/sessions/unknown%2Fone/cursor") == {"next_seq": 0}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"platform": ""}, "platform"),
        ({"platform": 7}, "platform"),
        ({"session": {"id": " "}}, "session.id"),
        ({"session": "s1"}, "session.id"),
        ({"events": {}}, "events"),
        ({"from_seq": -1}, "from_seq"),
        ({"session": {"id": "s1", "cwd": "/x" * 3000}}, "session.cwd"),
    ],
)
def test_a_wrong_document_is_refused_with_the_field(root: Path, change: dict[str, object], field: str) -> None:
    data = dsh_document(root, dsh_turn(1, first=0)) | change

    response = make_program(Scope.WRITE).post(f"{ROOT}/events", data, content_type="application/json")

    refused(response, 422, field=field)
    assert not Capture.objects.exists()


def test_a_token_that_only_reads_delivers_nothing(root: Path) -> None:
    data = dsh_document(root, dsh_turn(1, first=0))

    refused(make_program(Scope.READ).post(f"{ROOT}/events", data, content_type="application/json"), 403)


def test_recall_answers_with_nothing_where_nothing_is_known(root: Path) -> None:
    body = {"session": "s1", "cwd": str(root), "query": "How are tide tables imported?"}

    answer = make_program(Scope.WRITE).post(f"{ROOT}/recall", body, content_type="application/json").json()

    assert (answer["text"], answer["hits"]) == ("", [])
    assert answer["reason"]


def test_the_inbox_gives_a_message_until_it_is_acknowledged(root: Path) -> None:
    accept(document.parse(dsh_document(root, dsh_turn(1, first=0))), at=timezone.now())
    program = make_program(Scope.WRITE)
    project = Project.objects.get(name="harbor")
    sent = inbox.queue(project=project, text="Read the new skill.", about="skill:x", actor=COMMAND, at=timezone.now())

    waiting = read(program, "/agent-inbox", session="s1")
    assert waiting == {"items": [{"id": sent.pk, "text": "Read the new skill.", "about": "skill:x"}]}
    assert read(program, "/agent-inbox", session="s1") == waiting
    assert read(program, "/agent-inbox", session="another") == {"items": []}

    assert program.post(f"{ROOT}/agent-inbox/{sent.pk}/ack", content_type="application/json").status_code == 200
    assert program.post(f"{ROOT}/agent-inbox/{sent.pk}/ack", content_type="application/json").status_code == 200
    assert read(program, "/agent-inbox", session="s1") == {"items": []}
    refused(program.post(f"{ROOT}/agent-inbox/99999/ack", content_type="application/json"), 404)
