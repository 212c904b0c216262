"""Which Milvus the environment and MemSearch's configuration name."""

from __future__ import annotations

from pathlib import Path

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured

from memsite import milvus
from memsite.milvus import Milvus

pytest.importorskip("pymilvus", reason="the group milvus is not installed")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with nothing in it, and MEMDOCK_SEARCH=milvus."""
    for name in ("MEMDOCK_MILVUS_URI", "MEMDOCK_MILVUS_TOKEN", "MEMDOCK_EMBEDDING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMDOCK_SEARCH", "milvus")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def read() -> Milvus | None:
    return milvus.read(environ.Env())


def configure(home: Path, text: str) -> None:
    (home / ".memsearch").mkdir()
    (home / ".memsearch/config.toml").write_text(text)


def test_words_are_enough_unless_milvus_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMDOCK_SEARCH")
    assert read() is None
    monkeypatch.setenv("MEMDOCK_SEARCH", "local")
    assert read() is None


def test_is_where_memsearch_keeps_it(home: Path) -> None:
    assert read() == Milvus(str(home / ".memsearch/milvus.db"), "")


def test_is_where_memsearchs_configuration_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(home, '[milvus]\nuri = "https://milvus.example:19530"\ntoken = "env:OUR_TOKEN"\n')
    monkeypatch.setenv("OUR_TOKEN", "root:secret")

    assert read() == Milvus("https://milvus.example:19530", "root:secret")


def test_the_environment_wins(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(home, "this is no TOML")
    monkeypatch.setenv("MEMDOCK_MILVUS_URI", "tcp://10.0.0.4:19530")
    monkeypatch.setenv("MEMDOCK_MILVUS_TOKEN", "t")

    assert read() == Milvus("tcp://10.0.0.4:19530", "t")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMDOCK_SEARCH", "elastic"),
        ("MEMDOCK_EMBEDDING", "none"),
        ("MEMDOCK_MILVUS_URI", "ftp://host"),
        ("MEMDOCK_MILVUS_URI", "http://"),
        ("MEMDOCK_MILVUS_URI", "http://root:secret@host:19530"),
        ("MEMDOCK_MILVUS_URI", "/somewhere/milvus"),
        ("MEMDOCK_MILVUS_TOKEN", "two\nlines"),
    ],
)
def test_a_wrong_value_names_its_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ImproperlyConfigured, match=f"^{name}: ") as raised:
        read()

    assert "secret@" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "not TOML",
        "milvus = 3",
        "[milvus]\nuri = 3",
        '[milvus]\nuri = "env:NOT_SET_ANYWHERE"',
        '[milvus]\nuri = "x://y"',
    ],
)
def test_a_configuration_of_memsearch_that_cannot_be_used_names_the_variable(home: Path, text: str) -> None:
    configure(home, text)

    with pytest.raises(ImproperlyConfigured, match=r"^MEMDOCK_MILVUS_URI: "):
        read()
