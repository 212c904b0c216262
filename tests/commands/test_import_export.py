"""`memdock import` and `memdock export`, as people and scripts meet them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Memdock
from tests.makers import make_entry_text, make_tree
from tests.memory.engram.exchange import rows
from tests.memory.engram.exchange.sources import write
from tests.places import ROOT

DOCUMENT = {"sessions": [rows.session()], "observations": [rows.observation()], "prompts": [rows.prompt()]}
ZERO = {"new": 0, "updated": 0, "same": 0}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write(tmp_path / "export.json", **DOCUMENT)


def test_an_import_is_told_in_one_document_and_found_at_once(memdock: Memdock, export: Path) -> None:
    foreseen = memdock("import", str(export), "--dry-run", "--json")
    told = {
        "source": str(export),
        "kind": "engram-export",
        "dry_run": True,
        "sessions": ZERO | {"new": 1},
        "observations": ZERO | {"new": 1},
        "prompts": ZERO | {"new": 1},
        "relations": ZERO | {"unresolved": 0},
        "skipped": [],
        "problems": [],
    }
    assert (json.loads(foreseen.stdout), foreseen.stderr, foreseen.returncode) == (told, "", 0)

    done = memdock("import", str(export), "--json")

    assert (json.loads(done.stdout), done.stderr, done.returncode) == (told | {"dry_run": False}, "", 0)
    [hit] = json.loads(memdock("search", "leases", "--kind", "observation", "--json").stdout)
    assert hit["title"] == "Leases are kept in Redis"
    again = json.loads(memdock("import", str(export), "--json").stdout)
    assert (again["observations"], again["sessions"]) == (ZERO | {"same": 1}, ZERO | {"same": 1})


def test_an_import_is_told_to_people(memdock: Memdock, tmp_path: Path) -> None:
    path = write(tmp_path / "odd.json", observations=[7], prompts=[rows.prompt("prompt-9\x1b[31m", session_id="s9")])
    told = memdock("import", str(path)).stdout
    assert "prompts: 1 new, 0 updated, 0 same" in told
    assert "skipped: an observation: It is not an object." in told
    assert "problem: session s9: Its record is missing" in told
    assert "\x1b" not in told


@pytest.mark.parametrize("name", ["gone.json", "words.json", "empty"])
def test_what_cannot_be_imported_is_one_line_and_exit_1(memdock: Memdock, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "words.json").write_text("words")
    done = memdock("import", str(tmp_path / name), "--json")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert str(tmp_path / name) in done.stderr


def test_a_directory_with_memsearch_becomes_a_project(memdock: Memdock, tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "quay", {"2026-02-03": make_entry_text() + make_entry_text("10:00", turn="2")})
    foreseen = json.loads(memdock("import", str(tree), "--project", "Quay Works", "--dry-run", "--json").stdout)
    assert "quay works" not in memdock("sync", "--json").stdout

    done = json.loads(memdock("import", str(tree), "--project", "Quay Works", "--json").stdout)

    assert foreseen == done | {"dry_run": True}
    assert (done["kind"], done["sessions"], done["journals"]["project"]) == (
        "memsearch",
        ZERO | {"new": 1},
        "quay works",
    )
    assert (done["journals"]["entries"], done["journals"]["sessions"]) == (2, 1)
    again = json.loads(memdock("import", str(tree), "--project", "Quay Works", "--json").stdout)
    assert again["sessions"] == ZERO | {"same": 1}


def test_an_export_goes_to_stdout_or_into_a_file(memdock: Memdock, export: Path, tmp_path: Path) -> None:
    memdock("import", str(export))
    printed = memdock("export", "--project", "harbor")
    assert (printed.returncode, printed.stderr) == (0, "")

    target = tmp_path / "out.json"
    done = memdock("export", "--project", "harbor", "-o", str(target), "--json")

    document = json.loads(target.read_text())
    assert json.loads(done.stdout) == {"file": str(target), "bytes": target.stat().st_size}
    assert target.stat().st_mode & 0o777 == 0o600
    assert document | {"exported_at": ""} == json.loads(printed.stdout) | {"exported_at": ""}
    assert [row["sync_id"] for row in document["observations"]] == ["obs-1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export.json", "out.json"]


def test_an_export_that_cannot_be_written_is_one_line_and_exit_1(memdock: Memdock, tmp_path: Path) -> None:
    for arguments in (["-o", str(tmp_path / "no" / "out.json")], ["--project", "nowhere"]):
        done = memdock("export", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_a_bar_shows_on_terminals_only(memdock: Memdock, export: Path, tmp_path: Path) -> None:
    assert memdock("import", str(export)).stderr == ""
    ours, theirs = pty.openpty()
    variables = os.environ | {"MEMDOCK_DATA_DIR": str(tmp_path / "data"), "MEMDOCK_DATABASE_URL": ""}
    command = [sys.executable, "-m", "memsite.cli", "import", str(export), "--dry-run"]
    subprocess.run(command, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    assert b"] 3 of 3" in os.read(ours, 10_000)
    os.close(ours)
