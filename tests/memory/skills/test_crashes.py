"""A worker that is killed on a job, wherever: the job is taken up again and ends with the truth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.databases import own_database
from tests.run.processes import run

# Each round has a skill of its own, so that nothing has to be undone; a fork stands for the worker. It dies before its
# n-th write, to a table of skills or to a folder, until it gets through. Without git, which is a process of its own.
_ROUNDS = """
import json, shutil, signal
from itertools import count
from pathlib import Path
from django.db import connection, connections
from django.utils import timezone
from memory.models import ReplacedCopy, SkillCopy
from memory.skills import jobs, store
from tests.memory.skills.desks import CLAUDE, make_desk, outcomes

place = Path(sys.argv[1])
os.environ |= {"PATH": "", "HOME": str(place / "home")}
desk = make_desk(place / "harbor", place / "home")
MINE = b"# Edited by hand"
FILES = {"os.rename", "os.remove"}
TABLES = ("memory_skilljob", "memory_replacedcopy", "memory_skillcandidate")
left = 0

def step():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def on_sql(execute, sql, params, many, context):
    if sql.startswith(("INSERT", "UPDATE", "DELETE")) and any(table in sql for table in TABLES):
        step()
    return execute(sql, params, many, context)

sys.addaudithook(lambda event, arguments: step() if event in FILES else None)

def worker(dies_at):
    global left
    connections.close_all()
    if child := os.fork():
        return os.waitpid(child, 0)[1] == 0
    left = dies_at
    with connection.execute_wrapper(on_sql):
        jobs.run_due(at=timezone.now())
    connections.close_all()
    os._exit(0)

def prepare(action, slug):
    desk.propose(slug)
    overwrite = {CLAUDE: store.blob_hash(MINE)}
    if action == "uninstall":
        desk.install(slug=slug)
    desk.copy(slug=slug).parent.mkdir(parents=True, exist_ok=True)
    desk.copy(slug=slug).write_bytes(MINE)
    if action == "restore":
        desk.install(slug=slug, overwrite=overwrite)
    return desk.decide(action, slug, targets=[CLAUDE], overwrite=overwrite).job

told = []
for action in ("install", "uninstall", "restore"):
    for number in count(1, 1 if action == "install" else 3):
        slug = f"{action}-{number}"
        job = prepare(action, slug)
        before, after = desk.copy(slug=slug).read_bytes(), desk.text(slug)
        was_through = worker(number)
        now = desk.copy(slug=slug).read_bytes() if desk.copy(slug=slug).exists() else None
        is_whole = now in {before, {"install": after, "uninstall": None, "restore": MINE}[action]}
        worker(0)
        job.refresh_from_db()
        copy, meta = desk.copy(slug=slug), desk.meta(slug)
        told.append({
            "action": action,
            "number": number,
            "was_whole": is_whole,
            "state": job.state,
            "outcomes": outcomes(job),
            "copy": copy.read_text() if copy.exists() else None,
            "text": after.decode(),
            "kept": ReplacedCopy.objects.filter(slug=slug, content_hash=list(job.overwrite.values())[0]).count()
                if job.overwrite else None,
            "paths": len(meta["installed_paths"]),
            "rows": SkillCopy.objects.filter(skill__slug=slug).count(),
            "left": [str(one) for one in desk.root.rglob("*.memdock")],
            "open": desk.skill(slug).jobs.exclude(state__in=["done", "failed"]).count(),
        })
        shutil.rmtree(desk.store / slug)
        if was_through:
            break
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    with own_database() as database:
        data = str(tmp_path_factory.mktemp("data"))
        place = tmp_path_factory.mktemp("place")
        (Path(place) / "harbor").mkdir()
        printed = run({**database, "MEMDOCK_DATA_DIR": data}, _ROUNDS, str(place))
    found: list[dict[str, object]] = json.loads(printed)
    return found


def test_a_job_whose_worker_was_killed_ends_with_the_truth(told: list[dict[str, object]]) -> None:
    ends = {
        "install": ({"installed", "same"}, 1),
        "uninstall": ({"uninstalled", "missing"}, 0),
        "restore": ({"restored", "same"}, 1),
    }
    for one in told:
        possible, copies = ends[str(one["action"])]
        assert (one["state"], one["open"], one["left"], one["was_whole"]) == ("done", 0, [], True), one
        assert set(one["outcomes"]) <= possible, one  # type: ignore[call-overload]
        assert (one["paths"], one["rows"]) == (copies, copies), one
        expected = {"install": one["text"], "uninstall": None, "restore": "# Edited by hand"}
        assert one["copy"] == expected[str(one["action"])], one
        assert one["kept"] in {None, 1}, one


def test_every_step_was_died_at(told: list[dict[str, object]]) -> None:
    assert [one["number"] for one in told if one["action"] == "install"][:7] == [*range(1, 8)]
    assert {str(one["action"]) for one in told} == {"install", "uninstall", "restore"}
