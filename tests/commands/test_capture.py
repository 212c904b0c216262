"""`memdock capture`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError

from memory.models import Capture
from tests.commands.test_reports import report, run
from tests.makers import make_project, make_tree
from tests.memory.capture.events import dsh_document, dsh_turn

pytestmark = pytest.mark.django_db(transaction=True)


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_takes_in_a_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_project(make_tree(tmp_path / "harbor"))
    document = dsh_document(tmp_path / "harbor", dsh_turn(1, first=0), next_seq=4)
    give(monkeypatch, json.dumps({key: value for key, value in document.items() if key != "platform"}))

    found = report("capture", "--platform", "dsh")

    assert (found["session"], found["next_seq"], found["stored"]) == ("s1", 4, 4)
    assert [taken["state"] for taken in found["captures"]] == ["queued"]
    assert Capture.objects.get().platform == "dsh"


def test_says_what_was_taken_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    give(monkeypatch, json.dumps(dsh_document("", dsh_turn(1, first=0))))

    out, _ = run("capture")

    assert out == "s1: 4 events taken in\nturn 1: skipped (The agent named no working directory.)\n"


@pytest.mark.parametrize(
    ("text", "reason"), [("{", "holds no JSON"), ("[]", "is a JSON object"), ("{}", "session must be")]
)
def test_refuses_what_is_no_document(monkeypatch: pytest.MonkeyPatch, text: str, reason: str) -> None:
    give(monkeypatch, text)

    with pytest.raises(CommandError, match=reason):
        run("capture", "--platform", "x")
