"""The script as people and scripts meet it: output, messages, exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands.conftest import Memdock
from tests.makers import make_entry_text, make_tree


def test_works_on_a_new_machine_and_prints_one_json_document(memdock: Memdock, tree: Path) -> None:
    make_tree(tree, {"2026-02-03": make_entry_text()})
    done = memdock("add", str(tree), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "project": "harbor",
        "root": str(tree),
        "memory_dir": str(tree / ".memsearch"),
        "journals": 1,
        "entries": 1,
        "sessions": 1,
        "skills": 0,
        "problems": [],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "/no/such/place"], "/no/such/place does not exist."),
        (["sync", "nowhere"], "There is no project nowhere."),
        (["token", "revoke", "nobody"], "There is no valid token named nobody."),
        (["up", "--port", "99999"], "MEMDOCK_PORT: '99999' is not a port between 1 and 65535."),
    ],
)
def test_a_failure_is_one_line_and_exit_1(memdock: Memdock, arguments: list[str], message: str) -> None:
    done = memdock(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{message}\n")


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["add"], ["add", ".", "--nam", "x"], ["token", "create", "x"], ["up", "--fast"]]
)
def test_bad_usage_is_exit_2(memdock: Memdock, arguments: list[str]) -> None:
    done = memdock(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("MEMDOCK_PORT", "harbor"), ("MEMDOCK_LOG_LEVEL", "LOUD"), ("MEMDOCK_HOST", "0.0.0.0")]
)
@pytest.mark.parametrize("command", ["up", "sync"])
def test_a_wrong_variable_is_named_in_one_line(memdock: Memdock, command: str, name: str, value: str) -> None:
    done = memdock(command, **{name: value})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("MEMDOCK_")


def test_a_database_that_cannot_be_opened_is_one_line(memdock: Memdock, tmp_path: Path) -> None:
    done = memdock("sync", MEMDOCK_DATABASE_URL=f"sqlite:///{tmp_path}")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("The database cannot be used: ")


def test_help_shows_our_commands_and_how_to_reach_the_others(memdock: Memdock) -> None:
    listed = memdock("--help").stdout
    shown = set(re.findall(r"^  ([a-z-]+)", listed, re.MULTILINE))
    assert {"up", "add", "sync", "doctor", "sign-in-link", "token", "instance-id"} <= shown
    assert not {"web", "migrate", "createsuperuser"} & shown
    assert "createsuperuser" in memdock("help", "--commands").stdout


def test_the_instance_id_is_always_the_same(memdock: Memdock) -> None:
    printed = memdock("instance-id").stdout
    assert re.fullmatch(r"[0-9a-f]{32}\n", printed)
    assert memdock("instance-id").stdout == printed
    assert json.loads(memdock("instance-id", "--json").stdout) == {"instance_id": printed.strip()}


def test_the_doctor_says_once_that_there_are_no_tables_yet(memdock: Memdock, tmp_path: Path) -> None:
    done = memdock("doctor", "--json", MEMDOCK_DATA_DIR=str(tmp_path), MEMDOCK_DATABASE_URL=f"sqlite:///{tmp_path}/new")
    bad = [check for check in json.loads(done.stdout)["checks"] if check["state"] == "bad"]
    assert [check["name"] for check in bad if check["name"] != "data_dir"] == ["migrations"]
    assert (done.returncode, done.stderr) == (1, "")
