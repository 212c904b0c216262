"""What happens when several processes write the same at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection, connections
from django.utils import timezone

from memory import locks
from memory.api import errors
from memory.engram import observations, sessions
from memory.models import Change, Observation, ObservationVersion, Prompt, Session
from tests.memory.engram import writers
from tests.memory.engram.makers import make_session

pytestmark = pytest.mark.django_db(transaction=True)


def _both(role: str, first: str, second: str | None = None, *, count: int = 5) -> Counter[str]:
    """Let two processes act `count` times each, all at the same moment; return what they said."""
    pair = [writers.start(role, count, what) for what in (first, first if second is None else second)]
    writers.ready(*pair)
    writers.go(*pair)
    heard = Counter(word for process in pair for word in writers.said(process))
    writers.end(*pair)
    return heard


def test_ten_identical_saves_are_one_memory_said_ten_times() -> None:
    make_session()
    assert _both("save", "") == {"inserted": 1, "duplicate": 9}
    row = Observation.objects.get()
    assert (row.duplicate_count, row.revision_count) == (10, 1)
    kinds = Counter(Change.objects.values_list("kind", flat=True))
    assert (kinds["observation.saved"], kinds["observation.updated"]) == (1, 9)


def test_ten_saves_of_a_topic_are_one_memory_with_everything_that_it_said() -> None:
    make_session()
    heard = _both("save", "harbor/leases")
    row = Observation.objects.get()
    assert (row.revision_count, heard["inserted"], heard["revised"]) == (10, 1, 9)
    versions = ObservationVersion.objects.values_list("number", flat=True)
    assert sorted(versions) == list(range(1, len(versions) + 1))


def test_an_operation_of_two_projects_is_done_once() -> None:
    make_session("s1")
    make_session("s2", project="quay")
    heard = _both("operate", "s1", "s2")
    assert Observation.objects.count() == 1
    assert heard == {"inserted": 1, "duplicate": 4, "conflict": 5}


def test_a_prompt_of_a_clients_own_id_is_kept_once() -> None:
    make_session()
    heard = _both("ask", "i1")
    assert heard == {Prompt.objects.get().content: 10}


@pytest.mark.parametrize("other", ["harbor", "quay"])
def test_a_session_that_is_registered_ten_times_at_once_is_one(other: str) -> None:
    heard = _both("register", "harbor", other)
    assert (Session.objects.get().key, heard) == ("fresh", {"fresh": 10})
    assert Change.objects.filter(kind="session.started").count() == 1


def test_an_ended_session_is_continued_once() -> None:
    make_session("fresh")
    sessions.end(id="fresh", at=timezone.now())
    assert _both("register", "harbor") == {"fresh:resume:2": 10}
    assert Session.objects.count() == 2


def test_nothing_is_lost_beside_a_long_import() -> None:
    """B16: 20 saves while another process holds a transaction for 2 s."""
    make_session()
    importing, first, second = writers.start("hold", 2), *(writers.start("save", 10, f"t/{n}") for n in "ab")
    writers.ready(importing, first, second)
    writers.go(importing)
    assert writers.said(importing) == "holding"
    writers.go(first, second)
    heard = Counter([*writers.said(first), *writers.said(second)])
    writers.end(importing, first, second)
    assert heard == {"inserted": 2, "revised": 18}
    assert sorted(Observation.objects.values_list("revision_count", flat=True)) == [10, 10]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process waits for others for a moment only."""
    monkeypatch.setattr(locks, "PATIENCE", "200ms")
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connections.settings["default"]["OPTIONS"], "timeout", 0.2)
    connection.close()
    yield
    connection.close()


def test_waits_for_a_bounded_time_and_then_says_that_the_database_is_busy(hasty: None) -> None:
    """B16: whoever gives up stores nothing, and a door turns that into a 503 that the client tries again."""
    make_session()
    importing = writers.start("hold", 3)
    writers.ready(importing)
    writers.go(importing)
    assert writers.said(importing) == "holding"
    with pytest.raises(OperationalError) as refused:
        observations.save(session_id="s1", title="t", content="c", at=timezone.now())
    assert importing.poll() is None
    told = errors.translate(refused.value)
    assert (told.status, told.code) == (503, "busy")
    writers.end(importing)
    assert not Observation.objects.exists()
    assert observations.save(session_id="s1", title="t", content="c", at=timezone.now()).outcome == "inserted"
