"""`memdock maintain` runs what is due and tells of every task."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.commands.conftest import Memdock
from tests.makers import make_entry_text, make_tree
from tests.memory.maintenance.models import install_claude, none, replace, serving

TASKS = ("project_review", "user_profile", "memory_to_skill")

_CONFIG = """
[llm.providers.stub]
type = "openai"
base_url = "{url}"
[plugins.dsh.project_review]
enabled = true
provider = "stub"
[plugins.claude-code.user_profile]
enabled = true
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project's directory."""
    return make_tree(tmp_path / "harbor", {"2026-01-05": make_entry_text()})


def test_runs_what_is_due_and_says_why_the_rest_is_not(memdock: Memdock, root: Path, tmp_path: Path) -> None:
    install_claude(tmp_path / "bin", replace("# Mira"))
    (tmp_path / ".memsearch").mkdir()
    own = {"HOME": str(tmp_path), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    memory = str(root / ".memsearch")
    with serving() as model:
        (tmp_path / ".memsearch" / "config.toml").write_text(_CONFIG.format(url=model.url))
        model.says(none("Nothing yet."))
        assert memdock("add", str(root), **own).returncode == 0
        first, second = (memdock("maintain", "--json", **own) for _ in range(2))
        forced = memdock("maintain", "--project", "harbor", "--task", "project_review", "--force", "--json", **own)
        model.says("What?")
        failed = memdock("maintain", "--task", "project_review", "--force", "--json", **own)

    assert first.returncode == 0
    assert json.loads(first.stdout) == [
        {"project": "harbor", "task": "project_review", "action": "none", "reason": "Nothing yet.",
         "output": f"{memory}/PROJECT.md"},
        {"project": "harbor", "task": "user_profile", "action": "replace", "reason": "A decision.",
         "output": f"{memory}/USER.md"},
        {"project": "harbor", "task": "memory_to_skill", "action": "disabled", "reason": "", "output": ""},
    ]  # fmt: skip
    assert Path(memory, "USER.md").read_text() == "# Mira\n"
    told = [(one["action"], one["reason"]) for one in json.loads(second.stdout)]
    assert told == [("skip", "input unchanged"), ("skip", "input unchanged"), ("disabled", "")]
    assert [(one["task"], one["action"]) for one in json.loads(forced.stdout)] == [("project_review", "none")]
    assert failed.returncode == 1
    assert json.loads(failed.stdout)[0]["action"] == "error"
    assert failed.stderr == "A task failed.\n"


def test_refuses_what_it_does_not_know(memdock: Memdock) -> None:
    assert memdock("maintain", "--task", "tidy").returncode == 2
    unknown = memdock("maintain", "--project", "nowhere")
    assert (unknown.returncode, unknown.stderr) == (1, "There is no project nowhere.\n")
