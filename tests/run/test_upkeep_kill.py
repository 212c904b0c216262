"""A run that is killed anywhere is taken up again or fails truthfully, and its document is never half of anything."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.databases import own_database
from tests.memory.maintenance.models import replace, serving
from tests.run.processes import run
from tests.run.upkeep_killing import text

KILLS = 16

_STORM = f"""
import json
from pathlib import Path
from tests.run.upkeep_killing import storm
from memory.management import database
database.prepare()
print(json.dumps(storm(Path(sys.argv[1]), sys.argv[2], kills={KILLS})))
"""


def test_a_run_survives_kill_9_anywhere(tmp_path: Path) -> None:
    with own_database() as database, serving() as model:
        model.answer = lambda shown: replace(text(int(re.findall(r"round (\d+)", shown)[-1])))
        (tmp_path / "home").mkdir()
        own = {"MEMDOCK_DATA_DIR": str(tmp_path / "data"), "HOME": str(tmp_path / "home")}
        told, *rounds = json.loads(run(database | own, _STORM, str(tmp_path / "harbor"), model.url))

    assert told["total"] > KILLS
    assert sum(one["killed"] for one in rounds) >= KILLS - 1
    for one in rounds:
        assert one["whole"]
        assert one["edit_kept"] and one["edit_seen"]
        assert one["state"] == "done" or "changed on disk" in one["error"]
        assert one["is_new"] is (one["state"] == "done")
        assert one["entry"] == ("replace" if one["is_new"] else "error")
        assert one["left"] == []
    assert any(one["state"] == "failed" for one in rounds)
    assert len(model.asked) < 2 * len(rounds)
