"""What the page of the settings prints that says which tasks run by themselves, how often and by whom."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from dock.contexts import links, settings
from dock.contexts.choices import Tab
from dock.contexts.settings import Field, Frame
from dock.forms.settings import SettingsForm
from dock.forms.upkeep import TASKS
from memory.configuration import keys, memsearch
from memory.configuration.memsearch import Configuration
from memory.maintenance.platforms import FALLBACK
from memory.maintenance.tasks.keeping import APPROVAL
from memory.models import Project

NAME = "settings-upkeep"

_FIELDS = (
    ("enabled", "Run by itself", "After a session and every six hours, when there are new journals."),
    ("provider", "Provider", "native, which is the agent's own program, or the name of a provider of MemSearch."),
    ("model", "Model", ""),
    ("min_interval_hours", "Hours between two runs", ""),
    ("output_file", "File", "Relative to the project, or absolute."),
    ("min_occurrences", "How often a procedure has to come up", ""),
)


@dataclass(frozen=True, slots=True)
class TaskFields:
    """The settings of one task."""

    name: str
    label: str
    fields: list[Field]


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """The page; an agent at a time, since MemSearch keeps the tasks apart by agent."""

    frame: Frame
    url: str
    platform: str
    platforms: list[Tab]
    approval: Field
    tasks: list[TaskFields]
    runs_url: str
    seen: str
    stale: bool


def platform(wanted: str) -> str:
    """Return the agent that an address names, the first choice where it names none."""
    return wanted if wanted in keys.PLATFORMS else FALLBACK


def wanted(name: str) -> list[str]:
    """Return the keys that the page of an agent sets."""
    return [APPROVAL, *(key for task in TASKS for key, *_ in _keys(name, task))]


def page(
    project: Project | None, name: str, person: User, *, form: SettingsForm | None = None, stale: bool = False
) -> UpkeepSettings:
    """Build the page of an agent. Three queries."""
    configuration = memsearch.effective(project)
    frame = settings.frame(NAME, project, person, of_projects=True)
    return UpkeepSettings(
        frame=settings.with_problems(frame, configuration),
        url=links.to(NAME, project=frame.project, platform=name),
        platform=name,
        platforms=[
            Tab(one, links.to(NAME, project=frame.project, platform=one), one == name) for one in keys.PLATFORMS
        ],
        approval=settings.field(
            APPROVAL,
            "New texts of PROJECT.md and USER.md wait for approval",
            configuration,
            project,
            help="They are shown as a proposal, and written when somebody approves them.",
            form=form,
        ),
        tasks=[
            TaskFields(task, label, _fields(name, task, configuration, project, form)) for task, label in TASKS.items()
        ],
        runs_url=links.to("upkeep-list", project=frame.project),
        seen=settings.stamp(project, wanted(name)),
        stale=stale,
    )


def _keys(name: str, task: str) -> list[tuple[str, str, str]]:
    found = [(f"plugins.{name}.{task}.{key}", label, text) for key, label, text in _FIELDS]
    return [one for one in found if keys.is_known(one[0])]


def _fields(
    name: str, task: str, configuration: Configuration, project: Project | None, form: SettingsForm | None
) -> list[Field]:
    return [
        settings.field(key, label, configuration, project, help=text, form=form)
        for key, label, text in _keys(name, task)
    ]
