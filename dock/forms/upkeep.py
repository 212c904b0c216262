"""What lists of runs are asked for, and what a person asks of upkeep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django import forms

from memory.maintenance.queries import RESULTS
from memory.models.maintenance import UpkeepTask

TASKS = {
    UpkeepTask.PROJECT_REVIEW.value: "Project review",
    UpkeepTask.USER_PROFILE.value: "User profile",
    UpkeepTask.MEMORY_TO_SKILL.value: "Memory to skill",
}
"""The tasks as people call them."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which runs are wanted; empty values ask for all."""

    task: str = ""
    result: str = ""
    trigger: str = ""
    cursor: str = ""


class UpkeepFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    task = forms.ChoiceField(required=False, choices=list(TASKS.items()))
    result = forms.ChoiceField(required=False, choices=[(name, name) for name in RESULTS])
    trigger = forms.CharField(required=False, max_length=20)
    cursor = forms.CharField(required=False, max_length=500)

    def criteria(self) -> Criteria:
        self.is_valid()
        return Criteria(**{name: self.cleaned_data.get(name, "") for name in self.fields})


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants to be run; `mode` is run or dry."""

    project: str
    task: str
    mode: Literal["run", "dry"]


class AskForm(forms.Form):
    """Run a task now, or only look what it would do."""

    project = forms.CharField(max_length=200, error_messages={"required": "Choose a project."})
    task = forms.ChoiceField(choices=list(TASKS.items()), error_messages={"required": "Choose a task."})
    mode = forms.ChoiceField(choices=[("run", "Run now"), ("dry", "Dry run")])

    def wish(self) -> Wish:
        found = self.cleaned_data
        return Wish(found["project"], found["task"], found["mode"])


class RefuseForm(forms.Form):
    """Why a proposal is kept out; nobody has to say."""

    note = forms.CharField(required=False, max_length=2000)
