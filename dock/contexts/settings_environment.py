"""What the page of the environment prints: what MemDock was started with, secrets as dots."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings as site
from django.contrib.auth.models import User

from dock.contexts import settings
from dock.contexts.settings import Frame
from memory.configuration import masking
from memory.models import Project

NAME = "settings-environment"

_SECRETS = {
    "MEMDOCK_SECRET_KEY",
    "MEMDOCK_MILVUS_TOKEN",
    "MEMDOCK_EMBEDDING_KEY",
    "MEMDOCK_TOKEN",
    "ENGRAM_HTTP_TOKEN",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
}
_OURS = (
    ("MEMDOCK_DATA_DIR", "~/.memdock", "Database, secret key, instance id, artifacts, spool, backups."),
    ("MEMDOCK_DATABASE_URL", "SQLite in the data directory", "PostgreSQL for more than one machine."),
    ("MEMDOCK_REDIS_URL", "in memory", "Rings the bell between web processes."),
    ("MEMDOCK_HOST", "127.0.0.1", "Where to listen."),
    ("MEMDOCK_PORT", "7437", "On which port."),
    ("MEMDOCK_ALLOWED_HOSTS", "loopback names", "Further names under which MemDock is reached."),
    ("MEMDOCK_HTTPS", "off", "Behind a TLS proxy: secure cookies, HSTS, redirects."),
    ("MEMDOCK_SECRET_KEY", "made once in the data directory", "Signs sessions and links."),
    ("MEMDOCK_SEARCH", "local", "The search index: local or milvus."),
    ("MEMDOCK_MILVUS_URI", "from ~/.memsearch/config.toml", "Where Milvus is."),
    ("MEMDOCK_MILVUS_TOKEN", "from ~/.memsearch/config.toml", "Its token."),
    ("MEMDOCK_EMBEDDING", "wordllama", "What makes vectors: wordllama, none or openai:MODEL."),
    ("MEMDOCK_EMBEDDING_URL", "OpenAI's", "Where that endpoint is."),
    ("MEMDOCK_EMBEDDING_KEY", "none", "Its key."),
    ("MEMDOCK_SERVICE", "everything for every plugin", "Which calls memory plugins get, and how long they may take."),
    ("MEMDOCK_EMBED_ORIGINS", "none", "Origins that may frame the capsule."),
    ("MEMDOCK_LOG_LEVEL", "INFO", "How much the log says."),
    ("MEMDOCK_URL", "this machine's MemDock", "Where hooks and connectors find MemDock."),
    ("MEMDOCK_TOKEN", "the hook token of this machine", "Their token."),
    ("MEMDOCK_DISABLE", "unset", "Set, hooks and connectors do nothing."),
)
_OF_OTHERS = (
    ("ENGRAM_HTTP_TOKEN", "none", "Asked for on Engram's guarded routes."),
    ("ENGRAM_PROJECT", "detected", "The project of Engram's tools."),
    ("MEMSEARCH_DIR", ".memsearch of the project", "Where MemSearch's plugins write."),
    ("DSH_CLI", "dsh on PATH", "The dsh that summarises."),
    ("DSH_HOME", "~/.dsh", "DSH's profiles and sessions."),
    ("CLAUDE_CONFIG_DIR", "~/.claude", "Claude Code's settings."),
    ("CODEX_HOME", "~/.codex", "Codex's settings."),
    ("OPENAI_API_KEY", "none", "Taken where a provider has no api_key."),
    ("ANTHROPIC_API_KEY", "none", "Taken where a provider has no api_key."),
    ("GEMINI_API_KEY", "none", "Taken where a provider has no api_key."),
)


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable: the value in force, and what it is for."""

    name: str
    value: str
    is_set: bool
    text: str


@dataclass(frozen=True, slots=True)
class Environment:
    """The page."""

    frame: Frame
    groups: list[tuple[str, str, list[Variable]]]


def page(project: Project | None, person: User) -> Environment:
    """Build the page. No query."""
    return Environment(
        frame=settings.frame(NAME, project, person),
        groups=[
            ("ours", "MemDock", list(_variables(_OURS))),
            ("others", "Other tools", list(_variables(_OF_OTHERS))),
        ],
    )


def _variables(told: tuple[tuple[str, str, str], ...]) -> Iterator[Variable]:
    for name, default, text in told:
        value = os.environ.get(name, "")
        yield Variable(name, shown(name, value) if value else _default(name, default), bool(value), text)


def shown(name: str, value: str) -> str:
    """Return a value as a page may show it: secrets as dots, addresses without a password."""
    return masking.MASK if name in _SECRETS else masking.address(value)


def _default(name: str, words: str) -> str:
    return str(site.DATA_DIR) if name == "MEMDOCK_DATA_DIR" else words
