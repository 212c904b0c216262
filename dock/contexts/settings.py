"""What every page of the settings prints: the list of pages, whose settings they are, and fields of keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from django.contrib.auth.models import User

from dock.contexts import links
from dock.contexts.choices import Option
from dock.forms.settings import SettingsForm
from memory.configuration import actions, keys, masking, memsearch, values
from memory.configuration.keys import Scalar
from memory.configuration.memsearch import Configuration, Value
from memory.models import Project
from memory.models.project import NO_PROJECT
from memory.projects import queries

CHANGE = "memory.change_setting"
"""The permission to change what MemDock does."""

PAGES = (
    ("settings-summarizers", "Summarizers"),
    ("settings-recall", "Recall"),
    ("settings-loop", "Agent loop"),
    ("settings-upkeep", "Upkeep"),
    ("settings-configuration", "Configuration"),
    ("settings-projects", "Projects"),
    ("settings-tokens", "Tokens"),
    ("settings-plugins", "Plugins"),
    ("settings-environment", "Environment"),
    ("settings-appearance", "Appearance"),
)
"""The pages by the names of their addresses, in the order of the list; a new one is a line here."""

FIRST = PAGES[0][0]

_SOURCES = {
    "default": "default",
    "config.toml": "~/.memsearch/config.toml",
    ".memsearch.toml": ".memsearch.toml of the project",
    "MemDock": "MemDock, for all projects",
    "this project": "MemDock, for this project",
}

type Kind = Literal["switch", "number", "text", "secret", "list", "select"]


@dataclass(frozen=True, slots=True)
class SubPage:
    """One link of the list beside the page."""

    label: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """What is around a page of the settings; with `project` "" it speaks of all of them.

    `scopes` are the projects to choose from, none where a page has no settings of projects.
    """

    title: str
    url: str
    pages: list[SubPage]
    project: str
    scopes: list[Option]
    can_change: bool
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One setting as a form shows it; `note` says where its value is from and what is wrong with it."""

    key: str
    id: str
    label: str
    help: str
    kind: Kind
    value: str
    is_on: bool
    options: list[Option]
    placeholder: str
    source: str
    is_own: bool
    beneath: str
    note: str
    error: str


def frame(name: str, project: Project | None, person: User, *, of_projects: bool = False) -> Frame:
    """Build the frame of a page. One query where it has settings of projects, none otherwise."""
    owner = project.name if project else ""
    pages = [SubPage(label, links.to(page, project=owner), page == name) for page, label in PAGES]
    return Frame(
        title=dict(PAGES)[name],
        url=links.to(name, project=owner),
        pages=pages,
        project=owner,
        scopes=_scopes(owner) if of_projects else [],
        can_change=person.has_perm(CHANGE),
    )


def with_problems(found: Frame, configuration: Configuration) -> Frame:
    """Add what could not be read of the configuration's files."""
    return replace(found, problems=configuration.problems)


def stamp(project: Project | None, wanted: Collection[str]) -> str:
    return actions.stamp(project, wanted)


def field(
    key: str,
    label: str,
    configuration: Configuration,
    project: Project | None,
    *,
    help: str = "",  # noqa: A002 - the word of the form
    placeholder: str = "",
    options: Iterable[tuple[str, str]] = (),
    form: SettingsForm | None = None,
) -> Field:
    """Describe a setting: what a person typed where that was refused, else what holds. No query."""
    held = configuration.values.get(key, memsearch.UNSET)
    source = actions.source(project)
    text = form.sent(key) if form else "" if keys.is_secret(key) else masking.address(values.typed(held.value))
    choices = list(options) or [(value, value) for value in keys.choices(key)]
    return Field(
        key=key,
        id=f"set-{key.replace('.', '-')}",
        label=label,
        help=help,
        kind=_kind(key, held.value, has_choices=bool(choices)),
        value=text,
        is_on=text.lower() in memsearch.TRUE,
        options=_options(choices, text),
        placeholder=placeholder,
        source=source_words(held),
        is_own=held.source == source,
        beneath=_beneath(key, held.without(source)) if held.source == source else "",
        note=_note(configuration, key),
        error=form.error(key) if form else "",
    )


def source_words(value: Value) -> str:
    """Say where a value is from."""
    return _SOURCES[value.source]


def _beneath(key: str, value: Value) -> str:
    told = memsearch.shown(key, value.value) or "nothing"
    return f"{told} ({source_words(value)})"


def _note(configuration: Configuration, key: str) -> str:
    variable = configuration.unset_variable(key)
    return f"The environment variable {variable} is not set." if variable else ""


def _kind(key: str, value: Scalar, *, has_choices: bool) -> Kind:
    default = keys.defaults().get(key, "")
    if has_choices:
        return "select"
    if isinstance(value, str) and isinstance(default, bool | int) and value.startswith("env:"):
        return "text"
    if keys.is_secret(key):
        return "secret"
    if isinstance(default, bool):
        return "switch"
    if isinstance(default, list):
        return "list"
    return "number" if isinstance(default, int) else "text"


def _options(choices: Iterable[tuple[str, str]], current: str) -> list[Option]:
    """Offer the choices; a value that is none of them is one more, or saving would change it unasked."""
    found = [Option(value, label, value == current) for value, label in choices]
    known = any(option.is_selected for option in found)
    return found if known or not found else [*found, Option(current, current or "not set", is_selected=True)]


def _scopes(owner: str) -> list[Option]:
    names = [row.name for row in queries.brief() if row.name != NO_PROJECT]
    return [Option("", "all projects", not owner), *(Option(name, name, name == owner) for name in names)]
