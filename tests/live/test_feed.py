from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from django.utils.timezone import now

from memory import changes
from memory.api.shapes import ChangeJson
from memory.changes import ResetRequired
from memory.feed import feed, reader, reading, tail, watch
from memory.feed.reading import in_thread
from memory.feed.tail import Item
from memory.models import Change, Project
from tests.live.scenes import PATIENCE_S, append, append_now, refs, run

pytestmark = pytest.mark.django_db(transaction=True)


def _follow(since: int, project: Project | None = None) -> aclosing[AsyncGenerator[list[ChangeJson]]]:
    return aclosing(feed.current().follow(since, project))


async def _take(batches: AsyncGenerator[list[ChangeJson]], count: int) -> list[str]:
    """Return the refs of the next changes, at least `count`."""
    taken: list[str] = []
    async with asyncio.timeout(PATIENCE_S):
        while len(taken) < count:
            taken += [change["ref"] for change in await anext(batches)]
    return taken


async def _follow_and_take(since: int, count: int, *, started: asyncio.Semaphore | None = None) -> list[str]:
    async with _follow(since) as batches:
        taken = await _take(batches, 1) if count else []
        if started:
            started.release()
        return taken + (await _take(batches, count - len(taken)) if count > len(taken) else [])


def test_tells_what_was_there_and_then_what_is_committed() -> None:
    async def scene() -> None:
        await append(*refs(1, 3))
        first = (await in_thread(changes.after, 0))[0].pk
        async with _follow(first) as batches:
            assert await _take(batches, 2) == refs(2, 3)
            await append(*refs(4, 5))
            assert await _take(batches, 2) == refs(4, 5)

    run(scene())


def test_tells_a_change_as_the_contract_has_it() -> None:
    project = Project.objects.create(name="harbor")
    append_now("entry:7", project=project)
    row = Change.objects.get()

    async def scene() -> None:
        async with _follow(0) as batches:
            (change,) = await anext(batches)
        assert change == {
            "id": row.pk,
            "kind": "entry.added",
            "project": "harbor",
            "ref": "entry:7",
            "at": row.at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{row.at.microsecond // 1000:03}Z",
            "title": "About entry:7",
            "url": "/dock/entries/7/",
            "pluginId": "journal",
            "cursor": str(row.pk),
            "memoryId": "entry:7",
            "metadata": {"kind": "entry.added", "project": "harbor", "title": "About entry:7"},
        }

    run(scene())


def test_reads_far_behind_in_pages() -> None:
    append_now(*refs(1, 1203))

    async def scene() -> None:
        async with _follow(0) as batches:
            sizes = [len(await anext(batches)) for _ in range(3)]
            assert sizes == [reading.PAGE, reading.PAGE, 203]
            await append("entry:1204")
            assert await _take(batches, 1) == ["entry:1204"]

    run(scene())


def test_loses_and_repeats_nothing_while_others_write() -> None:
    """Followers begin at the old, at the middle and at the newest while three threads commit."""
    append_now(*refs(1, 700))
    middle = Change.objects.get(ref="entry:350").pk

    async def scene() -> None:
        async def write(start: int) -> None:
            for number in range(start, start + 40):
                await append(f"entry:{number}")

        async with asyncio.TaskGroup() as tasks:
            behind = [tasks.create_task(_follow_and_take(since, count)) for since, count in [(0, 820), (middle, 470)]]
            for start in (1000, 2000, 3000):
                tasks.create_task(write(start))
            later = tasks.create_task(_follow_and_take(0, 820))
        truth = [change.ref for change in await in_thread(changes.after, 0, limit=2000)]
        assert len(truth) == 820
        assert [task.result() for task in [*behind, later]] == [truth, truth[350:], truth]

    run(scene())


def test_tells_one_project_alone_and_stays_awake_for_it() -> None:
    harbor, other = (Project.objects.create(name=name) for name in ["harbor", "other"])
    append_now("entry:1", project=harbor)
    append_now(*refs(2, 600), project=other)

    async def scene() -> None:
        async with _follow(0, harbor) as batches:
            assert await _take(batches, 1) == ["entry:1"]
            await append(*refs(601, 1300), project=other)
            await append("entry:1301", project=harbor)
            assert await _take(batches, 1) == ["entry:1301"]

    run(scene())


def test_reads_once_for_many_followers(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    page = reading.page

    def count(cursor: int, *, project: Project | None = None) -> list[Item]:
        items = page(cursor, project=project)
        reads.append(len(items))
        return items

    monkeypatch.setattr(reading, "page", count)
    append_now("entry:1")

    async def scene() -> None:
        async with asyncio.TaskGroup() as tasks:
            started = asyncio.Semaphore(0)
            followers = [tasks.create_task(_follow_and_take(0, 2, started=started)) for _ in range(50)]
            for _ in followers:
                await started.acquire()
            reads.clear()
            await append("entry:2")
        assert [task.result() for task in followers] == [["entry:1", "entry:2"]] * 50
        assert sum(reads) == 1

    run(scene())


def test_lets_a_slow_follower_fall_out_of_the_tail() -> None:
    append_now("entry:1")

    async def scene() -> None:
        async with _follow(0) as slow, _follow(0) as quick:
            assert await _take(slow, 1) == await _take(quick, 1) == ["entry:1"]
            await append(*refs(2, tail.SIZE + 700))
            expected = refs(2, tail.SIZE + 700)
            assert await _take(quick, len(expected)) == expected
            assert await _take(slow, len(expected)) == expected

    run(scene())


@pytest.mark.parametrize("since", [-1, 10**15])
def test_refuses_a_cursor_that_it_never_gave_out(since: int) -> None:
    async def scene() -> None:
        with pytest.raises(ResetRequired):
            await anext(feed.current().follow(since))
        assert len(asyncio.all_tasks()) == 1

    run(scene())


def test_says_when_the_log_was_trimmed_past_a_slow_follower() -> None:
    append_now(*refs(1, reading.PAGE + 500))

    async def scene() -> None:
        async with _follow(0) as batches:
            assert await _take(batches, reading.PAGE) == refs(1, reading.PAGE)
            assert await in_thread(changes.trim, before=now(), keep=10)
            with pytest.raises(ResetRequired):
                await anext(batches)

    run(scene())


def test_hears_a_commit_for_which_no_bell_was_rung() -> None:
    """As another process commits: this one learns of it from the database, or at the latest by the tick."""
    append_now("entry:1")

    async def scene() -> None:
        async with _follow(0) as batches:
            await _take(batches, 1)
            await in_thread(Change.objects.create, kind="entry.added", ref="entry:2")
            assert await _take(batches, 1) == ["entry:2"]

    run(scene())


def test_depends_on_no_bell_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    async def deaf(_ring: object) -> None:
        return None

    monkeypatch.setattr(watch, "commits", deaf)
    test_hears_a_commit_for_which_no_bell_was_rung()


def test_starts_with_the_first_follower_and_leaves_nothing_after_the_last() -> None:
    append_now("entry:1")
    listeners = len(changes.rung.receivers)

    async def scene() -> None:
        for _ in range(2):
            async with _follow(0) as one:
                await _take(one, 1)
                async with _follow(0) as two:
                    await _take(two, 1)
                await append("entry:2")
                await _take(one, 1)
                assert len(asyncio.all_tasks()) > 1
            assert len(asyncio.all_tasks()) == 1
        assert len(changes.rung.receivers) == listeners

    run(scene())
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("memdock-")]


def test_stops_when_a_waiting_follower_is_cancelled() -> None:
    async def scene() -> None:
        tasks = [asyncio.create_task(_follow_and_take(0, 1)) for _ in range(3)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert len(asyncio.all_tasks()) == 1

    run(scene())


def test_outlives_a_database_that_fails(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    page, failures = reading.page, ["first", "second"]

    def fail_twice(cursor: int, *, project: Project | None = None) -> list[Item]:
        if failures and threading.current_thread().name.startswith("memdock-feed"):
            raise OSError(failures.pop())
        return page(cursor, project=project)

    monkeypatch.setattr(reader, "TICK_S", 0.01)
    monkeypatch.setattr(reading, "page", fail_twice)
    append_now("entry:1")

    async def scene() -> None:
        async with _follow(0) as batches:
            await _take(batches, 1)
            await append("entry:2")
            assert await _take(batches, 1) == ["entry:2"]

    run(scene())
    assert (failures, len(caplog.records)) == ([], 2)
