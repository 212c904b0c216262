"""An agent's updates reach every plugin in their order, also when the process that delivers them is killed meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

from tests.databases import own_database
from tests.run.processes import running, script

_DELIVER = """
import asyncio, json, signal
from pathlib import Path
from asgiref.sync import sync_to_async
from django.utils import timezone
from memory.agent_loop import delivery, points, queue
from memory.models import LoopUpdate
from memory.service.registry import Registry
from memory.service.service import MemoryService

place = Path(sys.argv[1])

class Log:
    def __init__(self, id):
        self.id = id

    async def update(self, request):
        number = request.data["agent"]["id"]
        with (place / self.id).open("a") as file:
            file.write(f"{request.meta.attributes['sessionId']} {number}\\n")
        if self.id == "deadly" and number == 3 and not (place / "killed").exists():
            (place / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    async def retrieve(self, request):
        return None

def take():
    for number in range(1, 6):
        for session in ("s1", "s2"):
            seen = {"agent": {"id": number}, "session": {"header": {"id": session}}}
            queue.take(points.observation("agent/created", seen), request_id=str(number), at=timezone.now())

async def main():
    registry = Registry()
    for id in ("patient", "deadly"):
        registry.register(Log(id))
    work = asyncio.create_task(delivery.work(MemoryService(registry)))
    flushed = [await sync_to_async(queue.flush)(session, within=60) for session in ("s1", "s2")]
    work.cancel()
    return flushed

take()
flushed = asyncio.run(main())
rows = LoopUpdate.objects.values_list("state", "attempts")
print(json.dumps({"flushed": flushed, "rows": sorted(set(map(tuple, rows)))}))
"""

EVERY = [f"{session} {number}" for session in ("s1", "s2") for number in range(1, 6)]


def _once(log: Path) -> list[str]:
    """Return what a plugin was told, by session, without what came again."""
    return sorted(dict.fromkeys(log.read_text().splitlines()), key=lambda line: line.partition(" ")[0])


def test_a_killed_worker_loses_nothing_and_keeps_the_order(tmp_path: Path) -> None:
    with own_database() as database:
        environment = database | {"MEMDOCK_DATA_DIR": str(tmp_path / "data"), "HOME": str(tmp_path)}
        with running(environment, *script(_DELIVER), str(tmp_path)) as first:
            assert first.wait() == -9
        with running(environment, *script(_DELIVER), str(tmp_path)) as second:
            printed, _ = second.communicate()

    assert json.loads(printed) == {"flushed": [True, True], "rows": [["done", 0]]}
    assert _once(tmp_path / "patient") == _once(tmp_path / "deadly") == EVERY
    told = (tmp_path / "patient").read_text().splitlines()
    assert len(told) - len(EVERY) <= 2  # what was under way in the two sessions
