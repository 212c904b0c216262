"""Reads MemSearch's configuration where MemSearch keeps it, and what a person chose in MemDock above it.

Layers, low to high: defaults, `~/.memsearch/config.toml`, the project's `.memsearch.toml` (a few harmless keys only),
settings for all projects, settings of the project. Values `env:NAME` are replaced when they are asked for.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memory.configuration import keys, masking
from memory.configuration.keys import Scalar
from memory.disk import DiskError, Missing, Tree
from memory.models import Project, Setting

type Source = Literal["default", "config.toml", ".memsearch.toml", "MemDock", "this project"]

LARGEST_FILE = 1024 * 1024
_ENV = "env:"
TRUE = {"1", "true", "yes", "on"}
_WORDS = TRUE | {"0", "false", "no", "off"}


class Unset(Exception):
    """A value names an environment variable that is not set; the message says which."""


@dataclass(frozen=True, slots=True)
class Value:
    """What holds for a key as it is written, and where that is."""

    value: Scalar
    source: Source
    beneath: Value | None = None
    """What would hold without it."""

    def without(self, source: Source) -> Value:
        """Return what holds when this source, the highest one that there is, says nothing."""
        return (self.beneath or UNSET) if self.source == source else self


UNSET = Value("", "default")
"""What holds for a key that nobody speaks of."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What holds for one project; `problems` are sentences for people."""

    values: Mapping[str, Value]
    problems: tuple[str, ...] = ()

    def get(self, key: str) -> Scalar:
        """Return the value of a key, "" for an unknown one. Raises Unset."""
        found = self.values.get(key)
        return _resolved(key, found.value) if found else ""

    def text(self, key: str) -> str:
        """Return a value as text. Raises Unset."""
        return str(self.get(key))

    def number(self, key: str) -> int:
        """Return a value as a whole number; the default where it is none. Raises Unset."""
        value = self.get(key)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, str) and value.isascii() and value.isdigit():
            return int(value)
        default = keys.defaults().get(key, 0)
        return int(default) if isinstance(default, int) else 0

    def flag(self, key: str) -> bool:
        """Return a switch, as TOML or as MemSearch's `config set` writes it. Raises Unset."""
        value = self.get(key)
        return value if isinstance(value, bool) else str(value).strip().lower() in TRUE

    def texts(self, key: str) -> list[str]:
        """Return a list of texts; a single text is one. Raises Unset."""
        value = self.get(key)
        return [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []

    def provider_names(self) -> list[str]:
        """Return the names of `[llm.providers.<name>]`."""
        return sorted({found[1] for key in self.values if (found := keys.PROVIDER.fullmatch(key))})

    def shown(self, key: str) -> str:
        """Return a value as a page may show it (see the function)."""
        return shown(key, self.values.get(key, UNSET).value)

    def unset_variable(self, key: str) -> str:
        """Return the name of the environment variable that a key asks for in vain, "" where nothing is missing."""
        try:
            self.get(key)
        except Unset:
            return str(self.values[key].value).removeprefix(_ENV)
        return ""


@dataclass(slots=True)
class _Layers:
    values: dict[str, Value] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def put(self, pairs: Iterable[tuple[str, Scalar]], source: Source) -> None:
        for key, value in pairs:
            if not keys.is_known(key):
                if keys.is_misspelt(key):
                    self.problems.append(f"{source}: there is no setting {key!r:.100}; that is left out.")
                continue
            if not _fits(key, value):
                self.problems.append(f"{source}: {key} cannot be {shown(key, value)!r}; that is left out.")
                continue
            self.values[key] = Value(value, source, self.values.get(key))


def effective(project: Project | None = None) -> Configuration:
    """Return what holds for a project, or for all. One query, two small files; a broken file is a problem, no error."""
    layers = _Layers()
    layers.put(keys.defaults().items(), "default")
    layers.put(_of_home(layers.problems), "config.toml")
    if project and project.root:
        layers.put(_trusted(_of_project(project.root, layers.problems), layers.problems), ".memsearch.toml")
    chosen = Setting.objects.filter(project=None)
    if project and project.pk:
        chosen |= Setting.objects.filter(project=project)
    for row in sorted(chosen, key=lambda row: row.project_id is not None):
        layers.put([(row.key, row.value)], "this project" if row.project_id else "MemDock")
    return Configuration(layers.values, tuple(layers.problems))


def shown(key: str, value: Scalar) -> str:
    """Return a value as a page may show it: a secret as dots, a variable by its name, switches as TOML has them."""
    if keys.is_secret(key) and value and not str(value).startswith(_ENV):
        return masking.MASK
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list) else masking.address(str(value))


def _fits(key: str, value: Scalar) -> bool:
    """Tell whether a value can be read as what the key wants; switches may be words, as `config set` writes them."""
    default = keys.defaults().get(key)
    if isinstance(value, str) and value.startswith(_ENV):
        return True
    if isinstance(default, bool):
        return isinstance(value, bool) or str(value).strip().lower() in _WORDS
    return not isinstance(default, int) or (isinstance(value, int) and not isinstance(value, bool))


def same(key: str, one: Scalar, other: Scalar) -> bool:
    """Tell whether two values of a key mean the same; a switch may be a word."""
    if isinstance(keys.defaults().get(key), bool):
        one, other = (str(value).strip().lower() for value in (one, other))
        return one == other or (one in _WORDS and other in _WORDS and (one in TRUE) == (other in TRUE))
    return one == other


def _trusted(pairs: Iterator[tuple[str, Scalar]], problems: list[str]) -> Iterator[tuple[str, Scalar]]:
    """Leave out what a project's own file may not say, and say so once."""
    refused = []
    for key, value in pairs:
        if key in keys.TRUSTED_IN_A_PROJECT:
            yield key, value
        elif keys.is_known(key):
            refused.append(key)
    if refused:
        told = ", ".join(refused[:3]) + (f" and {len(refused) - 3:,} more" if len(refused) > 3 else "")
        problems.append(f".memsearch.toml may not set {told}: anybody may have written it. That is left out.")


def _of_home(problems: list[str]) -> Iterator[tuple[str, Scalar]]:
    path = Path.home() / ".memsearch" / "config.toml"  # may be a link: people keep such files elsewhere
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return
    except OSError as exc:
        problems.append(f"config.toml cannot be read: {exc.strerror}.")
        return
    yield from _pairs(path.name, data, problems)


def _of_project(root: str, problems: list[str]) -> Iterator[tuple[str, Scalar]]:
    """What a repository says of itself: opened as everything else that strangers may have written."""
    try:
        with Tree(Path(root)) as tree:
            data = tree.read(".memsearch.toml", limit=LARGEST_FILE + 1).data
    except Missing:
        return
    except DiskError as exc:
        problems.append(f".memsearch.toml: {exc}")
        return
    yield from _pairs(".memsearch.toml", data, problems)


def _pairs(name: str, data: bytes, problems: list[str]) -> Iterator[tuple[str, Scalar]]:
    if len(data) > LARGEST_FILE:
        problems.append(f"{name} is larger than 1 MB; it was not read.")
        return
    try:
        yield from _flat(tomllib.loads(data.decode()), "")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as exc:
        problems.append(f"{name} is no TOML: {exc}.")


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, Scalar]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, str | int | float | list):
            yield f"{prefix}{name}", value


def _resolved(key: str, value: Scalar) -> Scalar:
    if not (isinstance(value, str) and value.startswith(_ENV)):
        return value
    name = value.removeprefix(_ENV)
    if name not in os.environ:
        raise Unset(f"Environment variable '{name}' referenced in config (via 'env:{name}') is not set.")
    return os.environ[name]
