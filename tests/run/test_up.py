"""`memdock up` as a person runs it: a real process with real children."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.databases import own_database
from tests.makers import make_entry_text, make_tree
from tests.servers import Server, children, free_port, running
from tests.waiting import DEADLINE, wait_until

DAY = "2026-02-03"
UP = [sys.executable, "-m", "memsite.cli", "up", "--no-open"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with own_database() as database:
        yield {**database, "MEMDOCK_DATA_DIR": str(tmp_path_factory.mktemp("data"))}


@pytest.fixture(scope="module")
def server(environment: dict[str, str]) -> Iterator[Server]:
    with running(**environment) as server:
        yield server


def memdock(environment: dict[str, str], *arguments: str) -> Any:
    command = [sys.executable, "-m", "memsite.cli", *arguments, "--json"]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def fail(environment: dict[str, str], *arguments: str, **variables: str) -> str:
    """Run `memdock up` where it cannot start; return its message."""
    done = subprocess.run([*UP, *arguments], env=os.environ | environment | variables, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def is_alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_server_answers_when_it_says_so(server: Server, environment: dict[str, str]) -> None:
    health = httpx.get(f"{server.url}/health").json()
    command = [sys.executable, "-m", "memsite.cli", "instance-id"]
    printed = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True).stdout.strip()
    assert (health["status"], health["service"], health["instance_id"]) == ("ok", "engram", printed)
    assert health["capabilities"] == {"isolated_session_registration": True, "root_session_resume": True}


def test_the_printed_link_signs_one_browser_in(server: Server) -> None:
    with httpx.Client(headers={"Origin": server.url}) as browser:
        page = browser.get(server.sign_in)
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert found
        assert browser.post(server.sign_in).status_code == 403  # without what the page carries
        answer = browser.post(server.sign_in, data={"csrfmiddlewaretoken": found[1]})
        assert (answer.status_code, answer.headers["Location"]) == (302, "/dock/")
        assert any(name.startswith("memdock_") and "csrf" not in name for name in browser.cookies)
    assert httpx.get(server.sign_in).status_code == 410


def test_what_a_shell_appends_is_read(server: Server, environment: dict[str, str], tmp_path: Path) -> None:
    make_tree(tmp_path / "harbor", {DAY: make_entry_text()})
    assert memdock(environment, "add", str(tmp_path / "harbor"))["entries"] == 1
    token = memdock(environment, "token", "create", "test", "--scope", "read")["token"]
    journal = tmp_path / "harbor" / ".memsearch" / "memory" / f"{DAY}.md"
    text = make_entry_text("10:00", turn="2", body="- Moored")
    subprocess.run(["sh", "-c", f'printf "%s" "$1" >> "{journal}"', "sh", text], check=True)

    def is_read() -> bool:
        answer = httpx.get(f"{server.url}/api/v1/projects/harbor", headers={"Authorization": f"Bearer {token}"})
        return bool(answer.json()["entries"] == 2)

    wait_until(is_read)


def test_the_doctor_finds_everything_running(server: Server, environment: dict[str, str]) -> None:
    def running_parts() -> bool:
        states = {check["name"]: check["state"] for check in memdock(environment, "doctor")["checks"]}
        return bool(states["watcher"] == states["worker"] == "ok")

    wait_until(running_parts)


def test_a_killed_web_server_is_started_again(server: Server) -> None:
    wait_until(lambda: len(children(server)) == 3)
    killed = children(server)["web"]
    os.kill(killed, signal.SIGKILL)
    # The socket listens on: whoever asks meanwhile waits and is answered.
    assert httpx.get(f"{server.url}/health", timeout=DEADLINE).status_code == 200
    assert children(server)["web"] != killed


def test_a_data_directory_is_used_once(server: Server, environment: dict[str, str]) -> None:
    assert "is running already" in fail(environment, "--port", str(free_port()))


def test_a_taken_port_is_one_line_and_nothing_is_half_done(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = fail({"MEMDOCK_DATA_DIR": str(tmp_path), "MEMDOCK_DATABASE_URL": ""}, "--port", str(port))
    assert str(port) in message
    assert not (tmp_path / "memdock.sqlite3").exists()


def test_a_wrong_port_names_its_variable(tmp_path: Path) -> None:
    assert fail({"MEMDOCK_DATA_DIR": str(tmp_path)}, MEMDOCK_PORT="harbor").startswith("MEMDOCK_PORT: ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_no_child_outlives_its_parent(tmp_path: Path, number: signal.Signals) -> None:
    with own_database() as database, running(**database, MEMDOCK_DATA_DIR=str(tmp_path)) as server:
        wait_until(lambda: len(children(server)) == 3)
        pids = list(children(server).values())
        server.process.send_signal(number)
        assert server.process.wait(timeout=DEADLINE) == (-number if number is signal.SIGKILL else 0)
        wait_until(lambda: not any(is_alive(pid) for pid in pids))
