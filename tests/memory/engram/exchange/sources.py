"""Generated Engram memory with known contents, and what is here of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from django.db.models import Q
from django.utils import timezone

from memory.engram.exchange import importing, sources
from memory.engram.exchange.report import Report
from memory.engram.naming import wire_name
from memory.models import Observation, Prompt, Relation, Session
from tests.places import FIXTURES


def make_engram(target: Path, *arguments: str) -> dict[str, Any]:
    """Run the generator into `target`; return its ground truth."""
    script = FIXTURES / "make_engram.py"
    subprocess.run([sys.executable, script, target, *arguments], check=True, capture_output=True)
    truth: dict[str, Any] = json.loads((target / "engram-ground-truth.json").read_text())
    return truth


def bring(path: Path | str, *, project: str = "", dry_run: bool = False) -> Report:
    """Import what lies at a path."""
    with sources.opened(str(path)) as source:
        return importing.run(source, project=project, dry_run=dry_run, at=timezone.now())


def write(path: Path, **document: Any) -> Path:
    """Write an export of Engram; return its path."""
    path.write_text(json.dumps({"version": "0.2.0"} | document))
    return path


def counts() -> dict[str, Any]:
    """Count what is here, in the words of the ground truth."""
    sessions = Session.objects.registered().filter(is_stub=False)
    waiting = Relation.objects.filter(Q(source=None) | Q(target=None))
    live = Observation.objects.live().select_related("project")
    by_project = Counter(row.project_label or wire_name(row.project) or "(null)" for row in live)
    return {
        "sessions": sessions.count(),
        "stub_sessions": Session.objects.filter(is_stub=True).count(),
        "observations_live": Observation.objects.live().count(),
        "observations_deleted": Observation.objects.deleted().count(),
        "prompts": Prompt.objects.count(),
        "relations": Relation.objects.count() - waiting.count(),
        "relations_deferred": waiting.count(),
        "sessions_without_end": sessions.filter(ended_at=None).count(),
        "live_by_project": dict(sorted(by_project.items())),
    }


def expected(truth: dict[str, Any], step: str) -> dict[str, Any]:
    """Return the counts after a step."""
    return {name: value for name, value in truth[step].items() if name in counts()}
