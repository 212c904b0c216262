"""The way to Milvus: a server that stays connected, or a Milvus Lite database that is let go after each use."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

type Client = Any
"""A pymilvus.MilvusClient; that package takes seconds to load, and is optional."""

CONNECTING = 5.0
"""Seconds that a server may take to answer the first time."""

_MOST_OF_A_REASON = 200
_lite = threading.RLock()


class Unreachable(Exception):
    """Milvus cannot be had now, or refuses; the text says where and why."""


def is_chosen() -> bool:
    """Tell whether MEMDOCK_SEARCH is milvus."""
    return bool(settings.MILVUS_URI)


def is_lite() -> bool:
    """Tell whether Milvus is a database of Milvus Lite, which one process can open at a time."""
    return str(settings.MILVUS_URI).endswith(".db")


def is_made() -> bool:
    """Tell whether there can be anything: a Lite database that does not exist is not made by looking."""
    return not is_lite() or Path(settings.MILVUS_URI).exists()


@contextmanager
def opened() -> Iterator[Client]:
    """Hold a client. Raises Unreachable, also for what Milvus says to any call in the block."""
    from grpc import RpcError  # type: ignore[import-untyped]
    from pymilvus.exceptions import MilvusException  # type: ignore[import-untyped]

    try:
        if is_lite():
            with _lite, _lite_client(settings.MILVUS_URI) as client:
                yield client
        else:
            yield _server(settings.MILVUS_URI, settings.MILVUS_TOKEN)
    except MilvusException as exc:
        raise Unreachable(f"Milvus at {settings.MILVUS_URI}: {_reason(exc.message)}") from exc
    except (RpcError, OSError) as exc:
        raise Unreachable(f"Milvus at {settings.MILVUS_URI}: {_reason(str(exc) or type(exc).__name__)}") from exc


@cache
def _server(uri: str, token: str) -> Client:
    return _client(uri=uri, token=token, timeout=CONNECTING)


@contextmanager
def _lite_client(path: str) -> Iterator[Client]:
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    client = _client(uri=path)
    try:
        yield client
    finally:
        client.close()
        _release(path)


def _client(**options: object) -> Client:
    from pymilvus import MilvusClient  # type: ignore[import-untyped]

    for name in ("pymilvus", "milvus_lite", "grpc._server"):  # what they would print is raised as well
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return MilvusClient(**options)


def _release(path: str) -> None:
    """End the server that Milvus Lite runs in this process; while it runs no other process can open the database."""
    from milvus_lite.server_manager import server_manager_instance  # type: ignore[import-untyped]

    server_manager_instance.release_server(path)


def _reason(text: str) -> str:
    reason = " ".join(text.split())[:_MOST_OF_A_REASON]
    if is_lite() and "Open local milvus failed" in reason:
        return "it cannot be opened; another process may have it open (Milvus Lite allows one at a time)"
    return reason
