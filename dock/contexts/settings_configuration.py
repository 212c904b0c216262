"""What the pages of MemSearch's configuration print: every key with its value and source, and one key to override."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django.contrib.auth.models import User
from django.http import Http404

from dock.contexts import links, settings
from dock.contexts.settings import Field, Frame
from dock.forms.settings import SettingsForm
from memory.configuration import actions, keys, memsearch
from memory.configuration.memsearch import Configuration, Value
from memory.models import Project

NAME = "settings-configuration"

_SWITCH = [("true", "on"), ("false", "off")]
_ONLY = (("", "All keys"), ("changed", "Not the default"), ("memdock", "Set in MemDock"))
_OWN_SOURCES = {"MemDock", "this project"}


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key; without an address it cannot be overridden here."""

    key: str
    value: str
    source: str
    is_default: bool
    is_own: bool
    note: str
    url: str


@dataclass(frozen=True, slots=True)
class Section:
    """The keys of one table of the file."""

    name: str
    id: str
    rows: list[KeyRow]


@dataclass(frozen=True, slots=True)
class Keys:
    """The list; `only` are the links of the filter."""

    frame: Frame
    q: str
    only: list[tuple[str, str, bool]]
    is_filtered: bool
    sections: list[Section]
    clear_url: str


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source says of a key; `holds` on the one that counts."""

    source: str
    value: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Key:
    """The page of one key."""

    frame: Frame
    key: str
    field: Field
    layers: list[Layer]
    is_used: bool
    can_remove: bool
    seen: str
    url: str
    crumbs: list[tuple[str, str]]
    stale: bool


def listing(project: Project | None, q: str, only: str, person: User) -> Keys:
    """Build the list. Two queries."""
    configuration = memsearch.effective(project)
    found = settings.with_problems(settings.frame(NAME, project, person, of_projects=True), configuration)
    rows = [row for row in _rows(configuration, project) if _fits(row, q, only)]
    state = {"project": found.project, "q": q}
    return Keys(
        frame=found,
        q=q,
        only=[(label, links.to(NAME, **state, only=value), value == only) for value, label in _ONLY],
        is_filtered=bool(q or only),
        sections=list(_sections(rows)),
        clear_url=links.to(NAME, project=found.project),
    )


def key(
    name: str, project: Project | None, person: User, *, form: SettingsForm | None = None, stale: bool = False
) -> Key:
    """Build the page of one key. Raises Http404 for one that nobody knows. Three queries."""
    if not keys.is_known(name):
        raise Http404("There is no such setting.")
    configuration = memsearch.effective(project)
    held = configuration.values.get(name, memsearch.UNSET)
    found = settings.frame(NAME, project, person, of_projects=True)
    return Key(
        frame=found,
        key=name,
        field=_field(name, configuration, project, form),
        layers=list(_layers(name, held)),
        is_used=keys.is_used(name),
        can_remove=found.can_change and held.source == actions.source(project),
        seen=settings.stamp(project, [name]),
        url=_url(name, found.project),
        crumbs=[("Configuration", links.to(NAME, project=found.project))],
        stale=stale,
    )


def _url(name: str, owner: str) -> str:
    return links.to("settings-key", name, project=owner)


def _field(name: str, configuration: Configuration, project: Project | None, form: SettingsForm | None) -> Field:
    options = _SWITCH if isinstance(keys.defaults().get(name), bool) else []
    if name == keys.SUMMARIZER:
        options = [("", "automatic"), *((value, value) for value in keys.SUMMARIZERS)]
    hint = "A JSON array, or one text a line." if isinstance(keys.defaults().get(name), list) else ""
    secret = "Best as env:NAME, so that only the environment holds it." if keys.is_secret(name) else ""
    return settings.field(
        name, "Value in MemDock", configuration, project, help=hint or secret, options=options, form=form
    )


def _rows(configuration: Configuration, project: Project | None) -> Iterator[KeyRow]:
    owner = project.name if project else ""
    for name, held in configuration.values.items():
        variable = configuration.unset_variable(name)
        yield KeyRow(
            key=name,
            value=configuration.shown(name),
            source=_source(held),
            is_default=held.source == "default",
            is_own=held.source in _OWN_SOURCES,
            note=f"{variable} is not set" if variable else "",
            url=_url(name, owner) if keys.is_used(name) or held.source in _OWN_SOURCES else "",
        )


def _source(held: Value) -> str:
    """Say where a value is from, and that the environment has it where it is only named there."""
    words = settings.source_words(held)
    return f"environment, named in {words}" if str(held.value).startswith("env:") else words


def _fits(row: KeyRow, q: str, only: str) -> bool:
    wanted = q.strip().lower()
    if wanted and wanted not in row.key.lower() and wanted not in row.value.lower():
        return False
    return not only or (row.is_own if only == "memdock" else not row.is_default)


def _sections(rows: list[KeyRow]) -> Iterator[Section]:
    ordered = sorted(rows, key=lambda row: (_table(row.key).startswith("plugins."), _table(row.key)))
    for number, (name, found) in enumerate(groupby(ordered, key=lambda row: _table(row.key)), 1):
        yield Section(name, f"section-{number}", list(found))


def _table(name: str) -> str:
    """Return the table that a key is in, an agent's tasks together."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "plugins" else parts[0]


def _layers(name: str, held: Value) -> Iterator[Layer]:
    """Yield what each source says, the one that holds first."""
    found: Value | None = held
    while found:
        yield Layer(_source(found), memsearch.shown(name, found.value) or "empty", found is held)
        found = found.beneath
