"""Where Milvus is, when the environment chooses it; what is not said there, MemSearch's own configuration says."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

CONFIG = "~/.memsearch/config.toml"
LITE = "~/.memsearch/milvus.db"
"""Where MemSearch keeps its collections unless it is told otherwise: a database of Milvus Lite."""

_SERVER = re.compile(r"(?:https?|tcp)://[^\s/@]+(?:/\S*)?|unix:\S+")


@dataclass(frozen=True, slots=True)
class Milvus:
    """The address of a server, or the path of a Milvus Lite database; the token is "" where none is needed."""

    uri: str
    token: str


def read(env: environ.Env) -> Milvus | None:
    """Return where Milvus is, None when MEMDOCK_SEARCH does not ask for it.

    Raises ImproperlyConfigured with one line that starts with the variable's name.
    """
    wanted = env.str("MEMDOCK_SEARCH", default="").strip() or "local"
    if wanted not in {"local", "milvus"}:
        raise ImproperlyConfigured(f"MEMDOCK_SEARCH: {wanted!r} is neither local nor milvus.")
    if wanted == "local":
        return None
    if not find_spec("pymilvus"):
        raise ImproperlyConfigured("MEMDOCK_SEARCH: Milvus needs `memdock[milvus]` installed.")
    if env.str("MEMDOCK_EMBEDDING", default="").strip() == "none":
        raise ImproperlyConfigured("MEMDOCK_EMBEDDING: Milvus holds vectors; none makes no vectors.")
    return Milvus(_uri(env), _token(env))


def _uri(env: environ.Env) -> str:
    uri = env.str("MEMDOCK_MILVUS_URI", default="").strip() or _configured("uri") or LITE
    if _SERVER.fullmatch(uri):
        return uri
    if "://" in uri or not uri.endswith(".db"):  # only that ending means a file to pymilvus
        raise ImproperlyConfigured(
            "MEMDOCK_MILVUS_URI: an address such as http://localhost:19530 or a file ending in .db is needed"
            + ("; put the secret into MEMDOCK_MILVUS_TOKEN." if "@" in uri else ".")
        )
    return str(Path(uri).expanduser().absolute())


def _token(env: environ.Env) -> str:
    token = env.str("MEMDOCK_MILVUS_TOKEN", default="").strip() or _configured("token")
    if not (token.isascii() and token.isprintable()):
        raise ImproperlyConfigured("MEMDOCK_MILVUS_TOKEN: a token is one line of ASCII characters.")
    return token


def _configured(key: str) -> str:
    """Return what MemSearch's configuration says; `env:NAME` there stands for a variable."""
    variable = f"MEMDOCK_MILVUS_{key.upper()}"
    try:
        text = Path(CONFIG).expanduser().read_text(encoding="utf-8")
        value = tomllib.loads(text).get("milvus", {}).get(key, "")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, AttributeError, RuntimeError) as exc:
        raise ImproperlyConfigured(f"{variable}: {CONFIG} cannot be read ({exc}); set this variable.") from exc
    if not isinstance(value, str):
        raise ImproperlyConfigured(f"{variable}: milvus.{key} in {CONFIG} is not a text; set this variable.")
    if not value.startswith("env:"):
        return value.strip()
    name = value.removeprefix("env:")
    if name not in os.environ:
        raise ImproperlyConfigured(f"{variable}: {CONFIG} refers to {name}, which is not set.")
    return os.environ[name].strip()
