"""Settings are kept for a project or for all, follow what is beneath them, and never overwrite unseen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.capture.summarizers import choice
from memory.configuration import actions, memsearch
from memory.configuration.actions import Changed, Stale
from memory.configuration.keys import Scalar
from memory.configuration.values import InvalidValue
from memory.models import AuditEntry, Capture, Project, Setting
from tests.memory.configuration.conftest import configure

pytestmark = pytest.mark.django_db

CAP = "capture.daily_summaries"


@pytest.fixture
def project() -> Project:
    return Project.objects.create(name="harbor")


def change(
    wanted: Mapping[str, Scalar | None], project: Project | None = None, seen: str | None = None
) -> list[Changed]:
    return actions.change(wanted=wanted, project=project, seen=seen, actor=COMMAND, at=timezone.now())


def test_a_choice_holds_at_once_for_whoever_asks(project: Project) -> None:
    capture = Capture(project=project, platform="codex")
    assert choice.choose(capture).name == "codex"

    change({"capture.summarizer": "extractive"})
    assert choice.choose(capture).name == "extractive"

    change({"capture.summarizer": "claude"}, project)
    assert choice.choose(capture).name == "claude"

    change({"capture.summarizer": None}, project)
    assert choice.choose(capture).name == "extractive"


def test_what_holds_anyway_is_not_kept_and_goes_on_following(home: Path, project: Project) -> None:
    configure(home, '[recall]\nenabled = "off"\n')

    assert change({CAP: 500, "recall.enabled": False}) == []
    assert change({CAP: 9}) == [Changed(CAP, None, 9)]
    assert change({CAP: 9}, project) == []
    assert change({CAP: 500}) == [Changed(CAP, 9, None)]
    assert not Setting.objects.exists()


def test_all_is_written_or_nothing(project: Project) -> None:
    with pytest.raises(InvalidValue, match=CAP):
        change({"recall.enabled": False, CAP: -1})

    assert not Setting.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_stale_form_overwrites_nothing(project: Project) -> None:
    seen = actions.stamp(project, [CAP])
    change({CAP: 10}, project)

    with pytest.raises(Stale):
        change({CAP: 20}, project, seen)
    assert memsearch.effective(project).number(CAP) == 10

    change({CAP: 20}, project, actions.stamp(project, [CAP]))
    assert memsearch.effective(project).number(CAP) == 20


def test_a_form_minds_only_its_own_settings_and_its_own_project(project: Project) -> None:
    seen = actions.stamp(None, [CAP])
    change({"recall.enabled": False})
    change({CAP: 10}, project)

    assert change({CAP: 20}, None, seen) == [Changed(CAP, None, 20)]


def test_the_audit_trail_tells_what_changed_but_no_secret(project: Project) -> None:
    change({"llm.api_key": "s3cret", "llm.base_url": "http://house/v1"}, project)
    change({"llm.api_key": "env:HOUSE"}, project)

    first, second = AuditEntry.objects.filter(action="setting.changed").order_by("pk")
    assert first.detail == {
        "project": "harbor",
        "changes": {"llm.api_key": [None, "••••"], "llm.base_url": [None, "http://house/v1"]},
    }
    assert second.target == "llm.api_key"
    assert second.detail["changes"] == {"llm.api_key": ["••••", "env:HOUSE"]}
