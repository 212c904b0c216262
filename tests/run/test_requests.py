"""Requests that come at the same time, and clients that leave before their answer."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.databases import own_database
from tests.servers import running

CLIENTS = 6
ROUNDS = 20


def test_everybody_gets_their_own_answer_whoever_leaves_early(tmp_path: Path) -> None:
    with own_database() as database, running(**database, MEMDOCK_DATA_DIR=str(tmp_path)) as server:

        def ask(number: int) -> set[str]:
            with httpx.Client(base_url=server.url) as client:
                body = {"id": f"session-{number}", "project": f"project-{number}", "directory": "/w"}
                client.post("/sessions", json=body).raise_for_status()
                return {client.get(f"/sessions/session-{number}").json()["project"] for _ in range(ROUNDS)}

        def leave(number: int) -> None:
            where = urlsplit(server.url)
            for _ in range(ROUNDS):
                with socket.create_connection((where.hostname, where.port)) as connection:
                    line = f"GET /search?q=session-{number}&project=project-{number} HTTP/1.1"
                    connection.sendall(f"{line}\r\nHost: {where.netloc}\r\n\r\n".encode())

        with ThreadPoolExecutor(2 * CLIENTS) as pool:
            asked = [pool.submit(ask, number) for number in range(CLIENTS)]
            left = [pool.submit(leave, number) for number in range(CLIENTS)]
            assert [one.result() for one in asked] == [{f"project-{number}"} for number in range(CLIENTS)]
            assert all(one.exception() is None for one in left)

        assert httpx.get(f"{server.url}/health").json()["status"] == "ok"
