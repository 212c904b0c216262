"""`memdock backup` and `memdock restore`, as a person runs them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import locks
from memory.backup import archive
from memory.backup.errors import CannotRestore
from tests.commands.conftest import Memdock
from tests.makers import make_entry_text, make_tree

DAY = "2026-02-03"


def backup(memdock: Memdock, file: Path) -> Any:
    done = memdock("backup", str(file), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def made(memdock: Memdock, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a backup that nobody may change."""
    file = tmp_path_factory.mktemp("made") / "memdock.tar.gz"
    backup(memdock, file)
    return file


def test_everything_comes_back(memdock: Memdock, data_dir: Path, tree: Path, tmp_path: Path) -> None:
    memdock("add", str(make_tree(tree, {DAY: make_entry_text()})))
    kept = data_dir / "artifacts" / "ab" / "abcd"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(bytes(range(256)))
    identity = memdock("instance-id").stdout
    file = tmp_path / "memdock.tar.gz"
    told = backup(memdock, file)
    assert told["bytes"] == file.stat().st_size
    assert file.stat().st_mode & 0o777 == 0o600

    memdock("add", str(make_tree(tree.with_name("quay"), {DAY: make_entry_text()})))
    kept.unlink()
    (kept.parent / "newer").write_text("made after the backup")
    (data_dir / "instance_id").write_text("0" * 32 + "\n")
    foreign = data_dir / "mine" / "notes.md"
    foreign.parent.mkdir()
    foreign.write_text("A person's own file.")

    done = memdock("restore", str(file), "--json")

    assert done.returncode == 0, done.stderr
    assert kept.read_bytes() == bytes(range(256))
    assert os.listdir(kept.parent) == ["abcd"]
    assert foreign.read_text() == "A person's own file."
    assert memdock("instance-id").stdout == identity
    assert [one["project"] for one in json.loads(memdock("sync", "--json").stdout)] == ["harbor"]
    assert json.loads(memdock("search", "kind:entry", "--json").stdout)

    before = json.loads(done.stdout)["before"]
    assert memdock("restore", before).returncode == 0  # a wrong restore is undone as easily
    assert [one["project"] for one in json.loads(memdock("sync", "--json").stdout)] == ["harbor", "quay"]


def test_it_goes_to_another_machine(memdock: Memdock, tree: Path, tmp_path: Path) -> None:
    if os.environ.get("MEMDOCK_DATABASE_URL", "").startswith("postgres"):
        pytest.skip("one database")
    memdock("add", str(make_tree(tree, {DAY: make_entry_text()})))
    file = tmp_path / "memdock.tar.gz"
    backup(memdock, file)
    there = {"MEMDOCK_DATA_DIR": str(tmp_path / "new"), "MEMDOCK_DATABASE_URL": ""}

    assert memdock("restore", str(file), **there).returncode == 0

    assert memdock("instance-id", **there).stdout == memdock("instance-id").stdout
    assert "harbor" in memdock("sync", "--json", **there).stdout


def test_a_backup_inside_the_data_directory_survives_its_restore(memdock: Memdock, data_dir: Path) -> None:
    file = data_dir / "memdock-monday.tar.gz"
    backup(memdock, file)
    digest = hashlib.sha256(file.read_bytes()).digest()

    assert memdock("restore", str(file)).returncode == 0

    assert hashlib.sha256(file.read_bytes()).digest() == digest
    with tarfile.open(file) as tar:
        assert not [name for name in tar.getnames() if name.endswith(".gz")]


def test_a_backup_replaces_nothing(memdock: Memdock, tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_text("mine")
    done = memdock("backup", str(file))
    assert (done.returncode, done.stderr) == (1, f"{file} exists already; a backup replaces nothing.\n")
    assert file.read_text() == "mine"
    assert os.listdir(tmp_path) == ["precious"]


def test_a_place_that_is_not_there_is_said(memdock: Memdock, tmp_path: Path) -> None:
    done = memdock("backup", str(tmp_path / "none" / "memdock.tar.gz"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "cannot be written: No such file or directory." in done.stderr


def test_nothing_is_put_back_while_memdock_runs(memdock: Memdock, data_dir: Path, made: Path) -> None:
    with locks.held(data_dir / "up.lock"):
        done = memdock("restore", str(made))
    assert (done.returncode, done.stderr) == (1, "MemDock is running with this data directory; stop it first.\n")


def _flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def _cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _emptied(file: Path) -> None:
    file.write_bytes(b"")


def _added(name: str, **facts: Any) -> Callable[[Path], None]:
    """Return what adds a member that the list does not have."""

    def add(file: Path) -> None:
        with tarfile.open(file) as old:
            members = [(info, old.extractfile(info)) for info in old]
            with tarfile.open(file.with_suffix(".new"), "w:gz") as new:
                for info, content in members:
                    new.addfile(info, content)
                extra = tarfile.TarInfo(name)
                for key, value in facts.items():
                    setattr(extra, key, value)
                new.addfile(extra, io.BytesIO())
        file.with_suffix(".new").replace(file)

    return add


@pytest.mark.parametrize(
    "damage",
    [
        _flipped,
        _cut,
        _emptied,
        pytest.param(_added("files/more"), id="more"),
        pytest.param(_added("../outside"), id="outside"),
        pytest.param(_added("/etc/outside"), id="absolute"),
        pytest.param(_added("files/link", type=tarfile.SYMTYPE, linkname="/etc/passwd"), id="link"),
        pytest.param(_added("files/pipe", type=tarfile.FIFOTYPE), id="pipe"),
    ],
)
def test_what_is_not_whole_changes_nothing(
    memdock: Memdock, data_dir: Path, made: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    file = tmp_path / "memdock.tar.gz"
    shutil.copyfile(made, file)
    damage(file)
    before = _state(data_dir)

    done = memdock("restore", str(file))

    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (1, 1, "")
    assert done.stderr.startswith(str(file))
    assert _state(data_dir) == before


def _state(data_dir: Path) -> dict[str, str]:
    found = (path for path in data_dir.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


@given(data=st.binary(max_size=2000))
def test_no_bytes_are_a_backup_by_chance(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("any") / "file"
    file.write_bytes(data)
    with pytest.raises(CannotRestore):
        archive.check(file)
