"""What a reviewer wants known before reading a skill: checks, and what an agent would run that follows it."""

from __future__ import annotations

from dataclasses import dataclass

from memory.models import SkillCandidate
from memory.skills import frontmatter, runs, validation
from memory.skills.runs import Runs
from memory.texts import hidden

MOST = 40
"""Commands, URLs or paths that are listed."""

_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Check:
    is_ok: bool
    label: str
    detail: str


@dataclass(frozen=True, slots=True)
class Checks:
    """All checks, and how many failed."""

    items: list[Check]
    failed: int


@dataclass(frozen=True, slots=True)
class Run:
    """A command, URL or path; `is_new` where the text that was reviewed last has it not."""

    text: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Commands, URLs or paths; `more` are not listed."""

    label: str
    items: list[Run]
    more: int


@dataclass(frozen=True, slots=True)
class WhatItRuns:
    """What the text would have an agent do; `missing` says of what there is nothing."""

    groups: list[Group]
    new: int
    missing: str


def checks(row: SkillCandidate) -> Checks:
    """Check a skill. A handful of queries."""
    items = [Check(one.ok, one.label, one.detail) for one in validation.checks(row)]
    return Checks(items, sum(not one.is_ok for one in items))


def what_it_runs(row: SkillCandidate, before: str | None) -> WhatItRuns:
    """List what a skill runs, opens and reads; what `before` has not is new, unless there is no text before."""
    now = runs.what_it_runs(row.body)
    new = runs.new(runs.what_it_runs(frontmatter.split(before)[1]), now) if before is not None else Runs()
    parts = [
        ("Commands", now.commands, new.commands),
        ("Addresses", now.urls, new.urls),
        ("Paths", now.paths, new.paths),
    ]
    return WhatItRuns(
        groups=[_group(label, told, set(fresh)) for label, told, fresh in parts],
        new=len(new.commands) + len(new.urls) + len(new.paths),
        missing=_missing([label.lower() for label, told, _ in parts if not told]),
    )


def _group(label: str, told: tuple[str, ...], fresh: set[str]) -> Group:
    first = sorted(told, key=lambda text: text not in fresh)[:MOST]
    return Group(label, [Run(_shown(text), text in fresh) for text in first], len(told) - len(first))


def _shown(text: str) -> str:
    seen = hidden.visible(text)
    return f"{seen[:_SHOWN]}…" if len(seen) > _SHOWN else seen


def _missing(names: list[str]) -> str:
    """Say what there is none of: "No commands, no paths."."""
    words = ", ".join(f"no {name}" for name in names)
    return f"{words[:1].upper()}{words[1:]}." if words else ""
