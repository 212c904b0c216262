"""DeepSeek Harness: a plugin, linked into its profiles, which brings the skill along."""

from __future__ import annotations

from pathlib import Path

from memory.connect import files, own_files
from memory.connect.document import Document
from memory.connect.plan import Plan, Scope
from memory.connect.refusals import CannotConnect, Unreadable
from memory.connect.steps import Edit, Link, Part
from memory.transcripts.conversation import Json

NAME = "dsh"
PACKAGE = "memdock-dsh"
FOLDER = own_files.HERE / "dsh"

_BUNDLES = ("dsh", "profile", "bundles")


def plan(scope: Scope) -> Plan:
    """Plan for every profile there is. Raises CannotConnect where there is none, and for a project."""
    if scope.project:
        raise CannotConnect("DSH has plugins for its profiles, not for single projects; leave --project out.")
    home = scope.place("DSH_HOME", ".dsh")
    profiles = [path.parent for path in sorted(home.glob("profiles/*/package.json")) if _bundles(path) is not None]
    paste = [f"dsh plugin --profile {path.name} add {FOLDER}" for path in profiles]
    return Plan(
        agent=NAME,
        steps=tuple(step for profile in profiles for step in _linked(profile)),
        paste=tuple(paste) or (f"dsh plugin --profile NAME add {FOLDER}",),
        then=("Start DSH again.",),
        notes=()
        if profiles
        else (f"There is no profile in {home} yet: DSH makes one at its first start; then run this again.",),
        needs_token=True,
    )


def _linked(profile: Path) -> tuple[Edit, Link]:
    return (
        Edit(profile / "package.json", Part(_put, _take)),
        Link(profile / "node_modules" / PACKAGE, FOLDER),
    )


def _bundles(path: Path) -> Json:
    """Return the layers of a profile, None where the file is not a profile's. Raises CannotConnect."""
    try:
        return Document(files.read(path).text, is_strict=True).get(_BUNDLES)
    except Unreadable as exc:
        raise CannotConnect(f"{path}: {exc} It is left as it is.") from exc


def _put(text: str | None) -> str | None:
    document = Document(text, is_strict=True)
    if PACKAGE not in _named(document):
        document.append(_BUNDLES, PACKAGE)
    return document.text


def _take(text: str | None) -> str | None:
    document = Document(text, is_strict=True)
    names = _named(document)
    if PACKAGE in names:
        document.remove((*_BUNDLES, names.index(PACKAGE)))
    return document.text


def _named(document: Document) -> list[Json]:
    found = document.get(_BUNDLES)
    return found if isinstance(found, list) else []
