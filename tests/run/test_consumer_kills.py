"""What a consumer does is complete and in order, however often it is killed."""

from __future__ import annotations

from pathlib import Path

from tests.databases import own_database
from tests.run.consumer_killing import PLUGINS, Storm, is_in_order, repeated

STORM = Storm(changes=5000, kills=50, seed=20260524)


def test_a_consumer_that_is_killed_misses_nothing_and_mixes_nothing_up(tmp_path: Path) -> None:
    with own_database() as database:
        environment = database | {"MEMDOCK_DATA_DIR": str(tmp_path / "data"), "OPENBLAS_NUM_THREADS": "1"}
        done = STORM.weather(environment, tmp_path / "effects")

    assert {effect.memory_id for effect in done} == {f"memory:{number}" for number in range(1, STORM.changes + 1)}
    assert is_in_order(done)
    # A kill between an effect and its cursor lets that one effect come again: one for each plugin at most.
    assert repeated(done) <= STORM.kills * len(PLUGINS)
