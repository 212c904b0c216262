"""How much is remembered, in all and by project."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.engram import naming, observations, stats
from memory.models import Project, Session
from memory.projects import directories
from tests.memory.engram.counting import costs
from tests.memory.engram.makers import make_observation, make_prompt, make_session

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.fixture
def two_projects() -> None:
    make_session("s1", project="harbor", directory="C:\\work\\harbor")
    make_session("s2", project="pier", directory="C:\\work\\pier")
    Session.objects.create(
        project=naming.project_of(""), key="s3", external_id="s3", started_at=NOW, last_activity_at=NOW
    )
    make_observation("A", session_id="s1", at=NOW)
    make_observation("B", session_id="s1", at=NOW)
    make_observation("C", session_id="s2", at=NOW + timedelta(minutes=1))
    Project.objects.create(name="registered only")
    make_prompt(session_id="s2")


def test_counts_everything(two_projects: None) -> None:
    gone = make_observation("D", session_id="s1")
    observations.delete(pk=gone.pk, at=NOW)

    with costs(3):
        found = stats.stats()
    assert found == stats.Stats(3, 3, 1, ["pier", "harbor"])


def test_counts_one_project(two_projects: None) -> None:
    assert stats.stats(Project.objects.get(name="harbor")) == stats.Stats(1, 2, 0, ["harbor"])
    assert stats.stats(Project(pk=0, name="unknown")) == stats.Stats(0, 0, 0, [])


def test_lists_projects_that_agents_use_by_their_memories(two_projects: None) -> None:
    directories.tell("/srv/pier/", Project.objects.get(name="pier"), at=NOW)

    with costs(3):
        found = stats.projects()
    assert found == [
        stats.ProjectStats("harbor", 2, 1, 0, ["C:\\work\\harbor"]),
        stats.ProjectStats("pier", 1, 1, 1, ["/srv/pier", "C:\\work\\pier"]),
    ]
