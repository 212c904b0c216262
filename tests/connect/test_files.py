"""Files of other programs: their links, modes and owners stay, and what was there is kept beside them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.utils import timezone

from memory.connect import files
from memory.connect.files import Changed
from tests.connect.conftest import Connect, states

OTHER = b'{"mcpServers": {"docs": {"command": "docs"}}}\n'


@pytest.fixture
def config(home: Path) -> Path:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(OTHER)
    return path


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.memdock-backup-*"))


def test_a_backup_holds_the_former_bytes_with_their_mode(config: Path, connect: Connect) -> None:
    config.chmod(0o640)

    (change,) = connect("cursor", "--write")["changes"]

    (backup,) = backups(config)
    assert change["backup"] == str(backup)
    assert backup.read_bytes() == OTHER
    assert {stat.S_IMODE(path.stat().st_mode) for path in (config, backup)} == {0o640}


def test_only_the_newest_three_backups_are_kept_and_nobody_elses_goes(config: Path, connect: Connect) -> None:
    (config.parent / "mcp.json.memdock-backup-mine").write_text("mine")
    for _ in range(3):
        connect("cursor", "--write")
        connect("cursor", "--remove")

    assert len(backups(config)) == 3 + 1
    assert config.read_bytes() == OTHER


def test_a_link_stays_a_link_and_its_target_is_written(config: Path, connect: Connect, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "cursor.json"
    target.parent.mkdir()
    config.rename(target)
    config.symlink_to(target)

    connect("cursor", "--write")

    assert config.is_symlink()
    assert b"memdock" in target.read_bytes()
    connect("cursor", "--remove")
    assert (config.is_symlink(), target.read_bytes()) == (True, OTHER)


def test_a_file_that_we_made_goes_without_a_trace(home: Path, connect: Connect) -> None:
    assert states(connect("cursor", "--write")) == ["created"]

    assert states(connect("cursor", "--remove")) == ["removed"]
    assert list((home / ".cursor").iterdir()) == []


def test_a_read_only_file_is_left_alone(config: Path, connect: Connect) -> None:
    config.chmod(0o444)

    with pytest.raises(CommandError, match="read-only"):
        connect("cursor", "--write")

    assert (config.read_bytes(), backups(config)) == (OTHER, [])


def test_a_list_in_the_place_of_our_object_is_left_alone(config: Path, connect: Connect) -> None:
    config.write_bytes(b'{"mcpServers": []}')

    with pytest.raises(CommandError, match="not what it should be"):
        connect("cursor", "--write")

    assert (config.read_bytes(), backups(config)) == (b'{"mcpServers": []}', [])


@pytest.mark.parametrize("data", [b'{"a": ', b"\xff\xfe{\x00}\x00", b"[]", b"{'a': 1}"])
@pytest.mark.parametrize("action", ["--write", "--remove"])
def test_a_broken_file_is_left_alone(config: Path, connect: Connect, data: bytes, action: str) -> None:
    config.write_bytes(data)

    with pytest.raises(CommandError, match=str(config)):
        connect("cursor", action)

    assert (config.read_bytes(), backups(config)) == (data, [])


def test_when_one_file_is_broken_no_other_one_is_written(home: Path, connect: Connect) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("model = \n")

    with pytest.raises(CommandError, match=r"config.toml: line 1, column \d+"):
        connect("codex", "--write")

    assert [path.name for path in (home / ".codex").iterdir()] == ["config.toml"]


def test_a_folder_in_the_place_of_a_file_is_said_in_a_sentence(home: Path, connect: Connect) -> None:
    (home / ".cursor" / "mcp.json").mkdir(parents=True)

    with pytest.raises(CommandError, match=r"mcp\.json"):
        connect("cursor", "--write")


def test_a_file_that_another_program_changed_meanwhile_is_not_overwritten(config: Path) -> None:
    original = files.read(config)
    config.write_bytes(b'{"newer": 1}')

    with pytest.raises(Changed):
        files.replace(original, "{}", with_backup=True, at=timezone.now())

    assert config.read_bytes() == b'{"newer": 1}'
    assert os.listdir(config.parent) == ["mcp.json"]
