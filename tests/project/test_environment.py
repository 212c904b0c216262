"""What MemDock makes of its environment."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memsite import environment


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MEMDOCK_DATABASE_URL", "MEMDOCK_HOST", "MEMDOCK_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMDOCK_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def test_makes_a_private_data_directory_with_its_secrets(data_dir: Path) -> None:
    first, second = environment.read(), environment.read()

    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE((data_dir / "secret_key").stat().st_mode) == 0o600
    assert first.secret_key == second.secret_key
    assert len(first.secret_key) >= 50
    assert first.instance_id == second.instance_id
    assert sorted(path.name for path in data_dir.iterdir()) == ["instance_id", "secret_key"]


def test_a_readable_secret_is_closed_again(data_dir: Path) -> None:
    environment.read()
    (data_dir / "secret_key").chmod(0o644)

    environment.read()

    assert stat.S_IMODE((data_dir / "secret_key").stat().st_mode) == 0o600


def test_defaults_stay_on_this_machine(data_dir: Path) -> None:
    env = environment.read()

    assert (env.host, env.port, env.is_loopback) == ("127.0.0.1", 7437, True)
    assert env.database["NAME"] == str(data_dir / "memdock.sqlite3")
    assert env.allowed_hosts == environment.LOOPBACK_HOSTS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMDOCK_PORT", "eighty"),
        ("MEMDOCK_PORT", "70000"),
        ("MEMDOCK_PORT", "²"),
        ("MEMDOCK_HOST", "two words"),
        ("MEMDOCK_ALLOWED_HOSTS", "*"),
        ("MEMDOCK_HTTPS", "maybe"),
        ("MEMDOCK_EMBEDDING", "openai:"),
        ("MEMDOCK_EMBEDDING", "gpt"),
        ("MEMDOCK_EMBED_ORIGINS", "javascript:alert(1)"),
        ("MEMDOCK_REDIS_URL", "http://localhost"),
        ("MEMDOCK_DATABASE_URL", "oracle://x"),
        ("MEMDOCK_DATA_DIR", "/proc/memdock"),
        ("MEMDOCK_SERVICE", "{"),
        ("MEMDOCK_SERVICE", "[]"),
        ("MEMDOCK_SERVICE", '{"timeout": 3}'),
        ("MEMDOCK_SERVICE", '{"routing": {"journal": {"operations": []}}}'),
    ],
)
def test_a_wrong_value_names_its_variable(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ImproperlyConfigured, match=f"^{name}: "):
        environment.read()


def test_opening_to_others_needs_the_allowed_hosts(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOCK_HOST", "0.0.0.0")
    with pytest.raises(ImproperlyConfigured, match=r"^MEMDOCK_ALLOWED_HOSTS: "):
        environment.read()

    monkeypatch.setenv("MEMDOCK_ALLOWED_HOSTS", "dock.example")
    assert not environment.read().is_loopback


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"])
def test_loopback_is_recognised(host: str) -> None:
    assert environment.is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "dock.example", "localhost.example"])
def test_everything_else_is_open_to_others(host: str) -> None:
    assert not environment.is_loopback(host)
