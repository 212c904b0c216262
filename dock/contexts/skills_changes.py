"""What of a SKILL.md is new to its reader: the text beside another one that they choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dock.contexts.choices import Option, Tab
from dock.contexts.skills_bases import NOTHING, Base
from dock.forms.skills import Wanted
from memory.models import SkillCandidate
from memory.texts import diffs
from memory.texts.diffs import Line, Row, Triple

_NEW = "Nothing like it was here before: all of it is new."
_UNSEEN = "Another text was installed, which MemDock never saw: all of this one is shown as new."
_LAYOUTS = {"split": "Side by side", "unified": "Unified"}


@dataclass(frozen=True, slots=True)
class Changes:
    """One comparison, or a `note` on why there is none: `rows` in two columns, `lines` in one, or `three` texts; none of them where that is too much."""

    action: str
    bases: list[Option]
    note: str
    layout: str
    layouts: list[Tab]
    before: str
    after: str
    rows: list[Row] | None
    lines: list[Line] | None
    three: list[Triple] | None
    added: int
    removed: int
    is_same: bool
    is_missing: bool
    is_too_long: bool
    source_url: str


def changes(row: SkillCandidate, bases: dict[str, Base], wanted: Wanted, link: Callable[..., str]) -> Changes:
    """Compare the skill with the base that is wanted, or with the one that suits; `link(…)` gives addresses."""
    name = wanted.base if wanted.base in bases else next(iter(bases))
    base = bases[name]
    before = base.read()
    edited = base.edited() if base.edited else None
    three = diffs.three_way(before, edited, row.text) if before is not None and edited is not None else None
    layout = "unified" if name == NOTHING else wanted.layout or "split"
    is_split = three is None and before is not None and layout == "split"
    is_one = three is None and before is not None and not is_split
    rows = diffs.side_by_side(before or "", row.text) if is_split else None
    lines = diffs.unified(before or "", row.text) if is_one else None
    counted = diffs.count(before or "", row.text)
    return Changes(
        action=link(),
        bases=[Option(key, one.label, key == name) for key, one in bases.items()] if len(bases) > 1 else [],
        note=_UNSEEN if row.installed_hash else _NEW,
        layout=wanted.layout,
        layouts=_layouts(name, layout, link) if name != NOTHING and not base.edited else [],
        before=base.title,
        after="On disk now",
        rows=rows,
        lines=lines,
        three=three,
        added=counted.added,
        removed=counted.removed,
        is_same=before == row.text and edited in {None, row.text},
        is_missing=before is None,
        is_too_long=before is not None and rows is None and lines is None and three is None,
        source_url=link(view="source"),
    )


def _layouts(base: str, current: str, link: Callable[..., str]) -> list[Tab]:
    return [
        Tab(label, link(view="changes", base=base, layout=name), name == current) for name, label in _LAYOUTS.items()
    ]
