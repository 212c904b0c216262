"""The worker's part in the work on copies of skills."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from memory import locks
from memory.jobs import skills
from tests.memory.skills.desks import CLAUDE, make_desk

pytestmark = pytest.mark.django_db


def test_does_what_was_asked_for_and_rests(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    desk = make_desk(tree, tmp_path / "home")
    desk.propose()
    assert skills.step() == 0
    desk.decide("install", targets=[CLAUDE])
    with locks.held(settings.DATA_DIR / "locks" / "skill-jobs"):
        assert skills.step() == 0  # another process of this machine is at it
    assert skills.step() == 1
    assert desk.copy().exists()
    assert skills.step() == 0
