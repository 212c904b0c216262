"""What lists and pages of skills are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django import forms

from memory.skills.queries import State

STATES: tuple[State, ...] = (
    "waiting",
    "changes_requested",
    "approved",
    "installed",
    "edited",
    "snoozed",
    "rejected",
    "broken",
    "all",
)
VIEWS = ("changes", "rendered", "source", "history")
LAYOUTS = ("split", "unified")


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which skills are wanted; `state` is one of `STATES`, or empty for the reader's likely wish."""

    text: str = ""
    state: State | Literal[""] = ""
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of one skill is shown; an empty value asks for what suits the skill.

    `base` names the text to compare with, `revision` one content of the history, `act` a dialog that is open, `job`
    the work on another skill that is told about, `seen` the content hash that the reader has before them, `was` the
    last decision that they know of.
    """

    view: str = ""
    base: str = ""
    layout: str = ""
    revision: str = ""
    act: str = ""
    job: int | None = None
    seen: str = ""
    was: int = 0


def _choices(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


class SkillFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    q = forms.CharField(required=False, max_length=200)
    state = forms.ChoiceField(required=False, choices=_choices(STATES))
    cursor = forms.CharField(required=False, max_length=2000)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(found.get("q", ""), found.get("state", ""), found.get("cursor", ""))


class SkillView(forms.Form):
    """What the page of a skill shows; a value that cannot be one is left out."""

    view = forms.ChoiceField(required=False, choices=_choices(VIEWS))
    base = forms.CharField(required=False, max_length=80)
    layout = forms.ChoiceField(required=False, choices=_choices(LAYOUTS))
    revision = forms.CharField(required=False, max_length=20)
    act = forms.ChoiceField(required=False, choices=_choices(("install", "snooze")))
    job = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    seen = forms.CharField(required=False, max_length=60)
    was = forms.IntegerField(required=False, min_value=0, max_value=2**62)

    def wanted(self) -> Wanted:
        self.is_valid()
        found = self.cleaned_data
        names = ("view", "base", "layout", "revision", "act", "seen")
        kept = {name: found.get(name, "") for name in names}
        return Wanted(**kept, job=found.get("job"), was=found.get("was") or 0)
