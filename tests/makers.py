"""Plain builders of what tests need; memory is made the way it comes: as files that are read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.utils import timezone

from memory.audit import COMMAND
from memory.models import Project
from memory.projects import actions, sync
from tests.places import FIXTURES


def make_tree(root: Path, days: dict[str, str] | None = None, **files: str | bytes) -> Path:
    """Write a `.memsearch` tree: day files by date, other files by path; return the project's directory."""
    memory = root / ".memsearch"
    (memory / "memory").mkdir(parents=True, exist_ok=True)
    for day, text in (days or {}).items():
        (memory / "memory" / f"{day}.md").write_bytes(text.encode())
    for path, content in files.items():
        target = memory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def make_entry_text(time: str = "09:12", *, session: str = "s1", turn: str = "1", body: str = "- Did a thing") -> str:
    """Return one journal entry as the dsh plugin writes it."""
    return f"### {time}\n<!-- session:{session} turn:{turn} db:/h/s.jsonl -->\n{body}\n\n"


def make_project(root: Path, *, name: str = "") -> Project:
    """Register the directory and read its memory."""
    project, _ = actions.add(path=str(root), name=name, actor=COMMAND, at=timezone.now())
    sync.sync(project, at=timezone.now())
    return project


def make_generated_tree(target: Path, *arguments: str) -> dict[str, Any]:
    """Run the generator of known trees into `target`; return its ground truth."""
    script = FIXTURES / "make_memsearch.py"
    subprocess.run([sys.executable, script, target, *arguments], check=True, capture_output=True)
    truth: dict[str, Any] = json.loads((target / "ground-truth.json").read_text())
    return truth
