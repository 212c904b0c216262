"""What MemDock is told by its environment; a wrong value names its variable."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from memory.service import routing
from memsite import milvus
from memsite.milvus import Milvus

LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables of the README's table, read and checked."""

    data_dir: Path
    host: str
    port: int
    allowed_hosts: list[str]
    embed_origins: list[str]
    https: bool
    redis_url: str
    database: dict[str, Any]
    secret_key: str
    instance_id: str
    milvus: Milvus | None
    service: dict[str, Any]

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)


def read() -> Environment:
    """Read the environment, creating the data directory and its secrets where they are missing.

    Raises ImproperlyConfigured with one line that starts with the variable's name.
    """
    env = environ.Env()
    data_dir = _data_dir()
    host = env.str("MEMDOCK_HOST", default="127.0.0.1").strip()
    allowed = [name.strip() for name in env.list("MEMDOCK_ALLOWED_HOSTS", default=[]) if name.strip()]
    _check_binding(host, allowed)
    _check_embedding(env.str("MEMDOCK_EMBEDDING", default=""))
    return Environment(
        data_dir=data_dir,
        host=host,
        port=_port(env),
        allowed_hosts=[*LOOPBACK_HOSTS, *allowed],
        embed_origins=_origins(env),
        https=_flag(env, "MEMDOCK_HTTPS"),
        redis_url=_url(env, "MEMDOCK_REDIS_URL", ("redis", "rediss", "unix")),
        database=_database(env, data_dir),
        secret_key=env.str("MEMDOCK_SECRET_KEY", default="") or _secret(data_dir / "secret_key", 48),
        instance_id=_instance_id(data_dir),
        milvus=milvus.read(env),
        service=_service(env),
    )


def is_loopback(host: str) -> bool:
    """Tell whether a host name to bind stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _check_binding(host: str, allowed: list[str]) -> None:
    if not host or re.search(r"[\s/]", host):
        raise ImproperlyConfigured(f"MEMDOCK_HOST: {host!r} is not a host name or address.")
    if not is_loopback(host) and not allowed:
        raise ImproperlyConfigured(
            f"MEMDOCK_ALLOWED_HOSTS: binding to {host} opens MemDock to other machines; "
            "name the hosts under which they may reach it."
        )
    if "*" in allowed:
        raise ImproperlyConfigured("MEMDOCK_ALLOWED_HOSTS: '*' would switch the Host rule off; name the hosts.")


def _check_embedding(text: str) -> None:
    """Refuse what memory.search.embed would refuse later; that package takes too long to load before the start."""
    if not re.fullmatch(r"\s*(?:wordllama|none|openai:.*\S.*)?\s*", text):
        raise ImproperlyConfigured(f"MEMDOCK_EMBEDDING: {text!r} is none of wordllama, none and openai:MODEL.")


def _service(env: environ.Env) -> dict[str, Any]:
    """Read how memory plugins are routed; whether they are there is known only once they are loaded."""
    try:
        told = json.loads(env.str("MEMDOCK_SERVICE", default="").strip() or "{}")
        if not isinstance(told, dict):
            raise routing.BadSettings("it is no object")
        routing.parse(told)
    except ValueError as exc:
        raise ImproperlyConfigured(f"MEMDOCK_SERVICE: {exc}.") from exc
    return told


def _port(env: environ.Env) -> int:
    text = env.str("MEMDOCK_PORT", default="7437")
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise ImproperlyConfigured(f"MEMDOCK_PORT: {text!r} is not a port between 1 and 65535.")
    return int(text)


def _flag(env: environ.Env, name: str) -> bool:
    text = env.str(name, default="").strip().lower()
    if text in {"", "0", "false", "no", "off"}:
        return False
    if text in {"1", "true", "yes", "on"}:
        return True
    raise ImproperlyConfigured(f"{name}: {text!r} is neither on nor off (1 or 0).")


def _origins(env: environ.Env) -> list[str]:
    origins: list[str] = env.list("MEMDOCK_EMBED_ORIGINS", default=[])
    for origin in origins:
        if not re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:]+", origin):
            raise ImproperlyConfigured(f"MEMDOCK_EMBED_ORIGINS: {origin!r} is not an origin such as https://host:port.")
    return origins


def _url(env: environ.Env, name: str, schemes: tuple[str, ...]) -> str:
    url: str = env.str(name, default="")
    if url and url.split("://")[0] not in schemes:
        raise ImproperlyConfigured(f"{name}: an address of the kind {schemes[0]}://… is needed.")
    return url


def _database(env: environ.Env, data_dir: Path) -> dict[str, Any]:
    url = _url(env, "MEMDOCK_DATABASE_URL", ("postgres", "postgresql", "sqlite"))
    if url.startswith("postgres"):
        return _postgres(env)
    name = url.removeprefix("sqlite:///") if url else str(data_dir / "memdock.sqlite3")
    return sqlite(name)


def _postgres(env: environ.Env) -> dict[str, Any]:
    try:
        import psycopg  # noqa: F401  (an optional extra)
    except ImportError as exc:
        raise ImproperlyConfigured("MEMDOCK_DATABASE_URL: PostgreSQL needs `memdock[postgres]` installed.") from exc
    database: dict[str, Any] = env.db_url("MEMDOCK_DATABASE_URL")
    return database


def sqlite(name: str) -> dict[str, Any]:
    """Return Django's settings for a SQLite file: WAL, one writer at a time that others wait for."""
    return {
        "ENGINE": "memsite.sqlite",
        "NAME": name,
        "TEST": {"NAME": f"{name}.test"},  # a file: tests start real servers that share it
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; "
                "PRAGMA cache_size=-32000; PRAGMA mmap_size=134217728;"
            ),
        },
    }


def _data_dir() -> Path:
    path = Path(os.environ.get("MEMDOCK_DATA_DIR") or "~/.memdock").expanduser()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise ImproperlyConfigured(f"MEMDOCK_DATA_DIR: cannot make {path}: {exc.strerror}.") from exc
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"MEMDOCK_DATA_DIR: {path} cannot be written.")
    return path.resolve()


def _instance_id(data_dir: Path) -> str:
    text = _secret(data_dir / "instance_id", 16, hexadecimal=True)
    if not re.fullmatch(r"[0-9a-f]{32}", text):
        raise ImproperlyConfigured(f"MEMDOCK_DATA_DIR: {data_dir / 'instance_id'} does not hold 32 hex digits.")
    return text


def _secret(path: Path, size: int, *, hexadecimal: bool = False) -> str:
    """Return the text of a file that only we may read, made once even when two processes start together."""
    try:
        if not path.exists():
            _write_once(path, secrets.token_hex(size) if hexadecimal else secrets.token_urlsafe(size))
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ImproperlyConfigured(f"MEMDOCK_DATA_DIR: cannot use {path}: {exc}.") from exc


def _write_once(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)  # unlike a rename, a link never replaces what another process made first
    except FileExistsError:
        pass
    finally:
        draft.unlink()
