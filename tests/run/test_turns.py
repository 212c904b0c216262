"""Who writes when: a long work of one process, and short ones of another."""

from __future__ import annotations

import json
from pathlib import Path

from tests.databases import own_database
from tests.run import processes

WRITES = 20

_LONG = """
import time
from django.db import transaction
from memory import locks
from memory.models import Marker
Marker.objects.create(name="part", value=0)
print("ready", flush=True)
while True:
    with transaction.atomic():
        Marker.objects.filter(name="part").update(value=Marker.objects.get(name="part").value + 1)
        time.sleep(0.05)  # what a part of an import takes
    locks.give_way()
"""
_SHORT = f"""
import json, time
from django.db import transaction
from memory.models import Marker

def part():
    return Marker.objects.get(name="part").value

waited = []
for number in range({WRITES}):
    before = part()
    with transaction.atomic():
        Marker.objects.update_or_create(name="short", defaults={{"value": number}})
        waited.append(part() - before)
print(json.dumps(waited))
"""


def test_a_short_write_waits_for_one_part_of_a_long_work(tmp_path: Path) -> None:
    with own_database() as database:
        own = {**database, "MEMDOCK_DATA_DIR": str(tmp_path)}
        with processes.running(own, *processes.script(_LONG)) as long:
            assert long.stdout
            assert long.stdout.readline() == "ready\n"
            waited = json.loads(processes.run(own, _SHORT))

    assert len(waited) == WRITES
    assert sorted(waited)[WRITES // 2] <= 1
    assert sum(waited) <= 2 * WRITES
