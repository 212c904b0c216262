"""Trees with skill candidates in them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memory.skills import store
from tests.memory.skills.desks import Desk, make_desk
from tests.memory.skills.trees import RECORD, SKILL, Write
from tests.places import FIXTURES

MAKER = FIXTURES / "make_memsearch.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project" / ".memsearch"
    root.mkdir(parents=True)
    return root


@pytest.fixture
def write(root: Path) -> Write:
    """Return what writes one candidate; `record` replaces keys of its meta.json."""

    def write(slug: str = "tide", *, skill: bytes = SKILL, record: dict[str, object] | None = None) -> None:
        folder = root / store.FOLDER / slug
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(skill)
        values = RECORD | {"name": slug, "content_hash": store.blob_hash(skill)} | (record or {})
        (folder / "meta.json").write_text(json.dumps(values))

    return write


@pytest.fixture
def desk(tmp_path: Path, tree: Path, db: None, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A project with one candidate, `tide`; the home directory is a folder of this test."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = make_desk(tree, tmp_path / "home")
    found.propose()
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not MAKER.exists():
        pytest.skip("the fixture generator is not here")
    place = tmp_path_factory.mktemp("skills")
    make = [sys.executable, str(MAKER), "made", "--days", "4", "--quirks", "skills-odd,hidden"]
    subprocess.run(make, cwd=place, check=True, capture_output=True)
    return place / "made"
