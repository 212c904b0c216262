"""Projects with skill candidates, for browsers to review."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.skills.store import blob_hash
from tests.e2e.conftest import Dock

VIOLATIONS = "axe.run({resultTypes: ['violations']}).then((found) => found.violations)"


@dataclass(frozen=True, slots=True)
class Yard:
    """A project directory with skill candidates."""

    name: str
    root: Path

    def skill(self, slug: str) -> Path:
        return self.root / ".memsearch" / "skill-candidates" / slug / "SKILL.md"

    def record(self, slug: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.skill(slug).parent / "meta.json").read_text())
        return found

    def propose(self, slug: str, step: str) -> None:
        """Write a candidate, or let it evolve, as MemSearch does."""
        text = f'---\nname: {slug}\ndescription: "About {slug}"\n---\n\n# {slug}\n\n1. {step}\n2. Write it down.\n'
        record = {
            "name": slug,
            "status": "candidate",
            "description": f"About {slug}",
            "content_hash": blob_hash(text.encode()),
            "occurrences": 3,
            "sources": [".memsearch/memory/2026-01-05.md"],
            "reason": "Seen in three sessions.",
            "installed_paths": [],
            "created_at": "2026-01-05T18:20:07.120450Z",
            "updated_at": "2026-01-05T18:20:07.120450Z",
        }
        if self.skill(slug).exists():
            record = self.record(slug) | {"content_hash": record["content_hash"]}
        self.skill(slug).parent.mkdir(parents=True, exist_ok=True)
        self.skill(slug).write_text(text)
        (self.skill(slug).parent / "meta.json").write_text(json.dumps(record, indent=2) + "\n")

    def copies(self) -> dict[str, str]:
        """Return every file below the folders that agents of this project read."""
        folders = (self.root / name for name in (".claude", ".agents", ".openclaw"))
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.root)): path.read_text() for path in files}


def make_yard(dock: Dock, root: Path, name: str, *slugs: str) -> Yard:
    yard = Yard(name, root / name)
    journal = yard.root / ".memsearch" / "memory" / "2026-01-05.md"
    journal.parent.mkdir(parents=True)
    journal.write_text(
        "## Session 09:10\n\n### 09:12\n<!-- session:s1 turn:1 db:/h/s.jsonl -->\n- Watched the anchor\n"
    )
    for slug in slugs:
        yard.propose(slug, f"Look at the {slug}.")
    dock.command("add", str(yard.root))
    return yard


def axe_script() -> str:
    from axe_playwright_python.sync_playwright import Axe

    return str(Axe().axe_script)
