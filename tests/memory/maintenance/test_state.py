"""State and locks are shared with MemSearch's own runner."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.maintenance import digests, due, locks, state
from memory.maintenance.places import Place
from memory.models import Project
from memory.transcripts.conversation import JsonObject
from tests.memory.maintenance.models import Model, none, replace, skill, skills
from tests.memory.maintenance.scenes import DAY, memory, run, settle, write_more

KEY = "dsh.project_review"


def entries(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(memory(project, state.FILE).read_text())
    return found


def write(project: Project, data: object) -> None:
    memory(project, state.FILE).write_text(json.dumps(data))


def lock(project: Project, text: str, *, age: float = 0.0) -> Path:
    path = memory(project, ".maintenance-dsh-project_review.lock")
    path.write_text(text)
    os.utime(path, (time.time() - age,) * 2)
    return path


def dead() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_success_is_noted_as_memsearch_notes_it_and_the_rest_is_kept(harbor: Project, model: Model) -> None:
    write(harbor, {"claude-code.user_profile": {"x": 1}, "other": [1], KEY: {"mine": 2, "last_error": "e"}})
    model.says(replace("# Harbor"))

    made = run(harbor)

    found = entries(harbor)
    assert (found["claude-code.user_profile"], found["other"]) == ({"x": 1}, [1])
    entry = found[KEY]
    assert entry.pop("last_checked_at") == entry.pop("last_success_at")
    assert entry == {
        "last_action": "replace",
        "last_input_digest": made.input_digest,
        "mine": 2,
        "output_file": str(memory(harbor, "PROJECT.md")),
    }


def test_a_failure_keeps_what_was_known(harbor: Project, model: Model) -> None:
    model.says(none())
    before = run(harbor).input_digest
    write_more(harbor)
    model.says("no JSON")

    made = run(harbor)

    entry = entries(harbor)[KEY]
    assert (entry["last_input_digest"], entry["failed_input_digest"]) == (before, made.input_digest)
    assert (entry["last_action"], entry["last_error"]) == ("error", made.error)


def test_a_state_that_is_no_json_is_kept_aside(harbor: Project, model: Model) -> None:
    memory(harbor, state.FILE).write_text('{"dsh.')
    model.says(none())

    assert run(harbor).action == "none"
    assert memory(harbor, ".maintenance-state.json.unreadable").read_text() == '{"dsh.'
    assert entries(harbor)[KEY]["last_action"] == "none"


def test_a_state_that_is_a_link_is_not_followed(harbor: Project, model: Model, tmp_path: Path) -> None:
    (tmp_path / "target").write_text("{}")
    memory(harbor, state.FILE).symlink_to(tmp_path / "target")

    assert "links are not followed" in run(harbor).error
    assert (tmp_path / "target").read_text() == "{}"


@pytest.mark.parametrize("words", ["{}", "{} elsewhere memdock"])
def test_a_lock_in_use_is_respected(harbor: Project, model: Model, words: str) -> None:
    path = lock(harbor, words.format(os.getpid()))

    made = run(harbor)

    assert (made.state, made.action) == ("done", "locked")
    assert f"process {os.getpid()}" in made.reason
    assert model.asked == []
    assert path.read_text() == words.format(os.getpid())


@pytest.mark.parametrize(("owner", "age"), [(dead, 0), (os.getpid, locks.LONGEST + 1), (str, 90)])
def test_a_lock_that_was_left_behind_is_taken_over(
    harbor: Project, model: Model, owner: Callable[[], object], age: float
) -> None:
    path = lock(harbor, str(owner()), age=age)
    model.says(none())

    assert run(harbor).action == "none"
    assert not path.exists()


def test_memsearch_finds_the_task_locked_while_it_runs(harbor: Project, model: Model) -> None:
    lib = pytest.importorskip("memsearch.maintenance")
    found = []

    def answer(shown: str) -> str:
        with lib._file_lock(memory(harbor, ".maintenance-dsh-project_review.lock")) as is_ours:
            found.append(is_ours)
        return none()

    model.answer = answer
    assert run(harbor).action == "none"
    assert found == [False]


def test_a_task_runs_again_only_with_new_journals_and_after_its_interval(harbor: Project, model: Model) -> None:
    model.says(none())
    assert run(harbor).action == "none"
    assert (run(harbor).action, run(harbor).reason) == ("skip", "input unchanged")

    settle("plugins.dsh.project_review.min_interval_hours", 24)
    write_more(harbor)
    assert (run(harbor).action, run(harbor).reason) == ("skip", "not due for 24h")
    assert run(harbor, force=True).action == "none"
    assert len(model.asked) == 2


def test_memsearch_reads_the_same_digest(harbor: Project, tmp_path: Path) -> None:
    lib = pytest.importorskip("memsearch.maintenance")
    folder = memory(harbor, "memory")
    for path, data in {
        "a-b.md": b"1", "a/b.md": b"2", "a/.hidden.md": b"\xff\r\n", ".x/y.md": b"3", "Z.md": b"", "n.txt": b"4",
        "dir.md/in.md": b"5", "日本.md": b"6",
    }.items():  # fmt: skip
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(data)

    assert digests.digest(Place(Path(harbor.memory_dir), "memory")) == lib._input_digest(folder)
    assert digests.digest(Place(tmp_path, "nothing")) == lib._input_digest(tmp_path / "nothing")


hours = st.integers(-5, 200)
moments = st.sampled_from(["", "yesterday", "2026-01-05T10:00:00Z"]) | st.timedeltas(
    timedelta(days=-9), timedelta(days=1)
).map(lambda ago: (timezone.now() + ago).isoformat())


@given(hours, moments, st.sampled_from(["a", "b", None]))
def test_memsearch_holds_the_same_for_due(interval: int, last: str, digest: str | None) -> None:
    lib = pytest.importorskip("memsearch.maintenance")
    entry: JsonObject = {"last_success_at": last, "last_input_digest": digest}
    configured = lib.PluginMaintenanceTaskConfig(min_interval_hours=interval)

    for is_forced in (False, True):
        found = due.due(entry, "a", hours=interval, is_forced=is_forced, at=timezone.now())
        assert (found.is_due, found.reason) == lib._is_due(configured, entry, "a", is_forced)


def test_memsearch_goes_on_from_our_state_and_we_from_its(harbor: Project, model: Model) -> None:
    lib = pytest.importorskip("memsearch.maintenance")
    distilling = pytest.importorskip("memsearch.skills")
    config = pytest.importorskip("memsearch.config").MemSearchConfig()
    for task in ("project_review", "user_profile", "memory_to_skill"):
        getattr(config.plugins.dsh, task).enabled = True
        getattr(config.plugins.dsh, task).min_interval_hours = 0
    place = {"platform": "dsh", "project_dir": harbor.root, "memsearch_dir": harbor.memory_dir, "cfg": config}
    model.says(replace("# Ours"))
    run(harbor)

    found = {one.task: one for one in lib.run_due_tasks(**place, llm_runner=lambda *_: replace("# Theirs"))}
    assert (found["project_review"].action, found["project_review"].reason) == ("skip", "input unchanged")
    assert found["user_profile"].action == "replace"
    assert (run(harbor, "user_profile").action, run(harbor, "user_profile").reason) == ("skip", "input unchanged")

    assert distilling.distill(**place, llm_runner=lambda *_: skills(skill())).created == ["run-tests"]
    assert run(harbor, "memory_to_skill").reason == "input unchanged"
    write_more(harbor)
    model.says(none())
    assert run(harbor).action == "none"
    assert [one.action for one in lib.run_due_tasks(**place, llm_runner=lambda *_: none())] == ["skip", "none"]
    assert set(entries(harbor)) == {KEY, "dsh.user_profile", "dsh.memory_to_skill"}


def test_tasks_look_at_the_memory_folder_itself(harbor: Project, model: Model) -> None:
    model.says(none())
    run(harbor)

    assert sorted(os.listdir(memory(harbor, "memory"))) == [f"{DAY}.md"]
    assert memory(harbor, state.FILE).is_file()
