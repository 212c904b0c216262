"""What the list of upkeep's runs prints, and the form that asks for one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from dock.contexts import links, paged, upkeep_words
from dock.contexts.choices import Option, Tab
from dock.contexts.upkeep_tasks import TaskRow, tasks
from dock.contexts.upkeep_words import State
from dock.forms.upkeep import TASKS, AskForm, Criteria
from memory.maintenance import queries
from memory.models import Project, UpkeepRun
from memory.projects import queries as projects

ADD = "memory.add_upkeeprun"

_RESULTS = {"": "All", "changed": "Changed something", "none": "Nothing new", "failed": "Failed", "open": "Under way"}


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run; `said` is its reason or its error."""

    id: str
    url: str
    task: str
    project: str
    state: State
    is_dry_run: bool
    said: str
    by: str
    took: str
    spent: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Ask:
    """The form that asks for a run."""

    url: str
    projects: list[Option]
    tasks: list[Option]
    errors: list[str]


@dataclass(frozen=True, slots=True)
class UpkeepList:
    """The list page; `project` is empty for all projects, `ask` is None where this person may not ask."""

    project: str
    url: str
    clear_url: str
    is_filtered: bool
    result: str
    tabs: list[Tab]
    filter_tasks: list[Option]
    filter_triggers: list[Option]
    rows: list[RunRow]
    ask: Ask | None
    tasks: list[TaskRow]
    previous_url: str
    next_url: str


def listing(project: Project | None, criteria: Criteria, person: User, form: AskForm | None = None) -> UpkeepList:
    """Build the list page. Three queries, three more where it is that of one project."""
    owner = project.name if project else ""
    state = {"project": owner, "task": criteria.task, "trigger": criteria.trigger, "result": criteria.result}
    rows = queries.runs(project, task=criteria.task, result=criteria.result, trigger=criteria.trigger)
    found = paged.page(rows, order=queries.ORDER, cursor=criteria.cursor)
    return UpkeepList(
        project=owner,
        url=links.to("upkeep-list", **state, cursor=criteria.cursor),
        clear_url=links.to("upkeep-list", project=owner),
        is_filtered=bool(criteria.task or criteria.trigger or criteria.result),
        result=criteria.result,
        tabs=[
            Tab(label, links.to("upkeep-list", **state | {"result": name}), name == criteria.result)
            for name, label in _RESULTS.items()
        ],
        filter_tasks=_options({"": "Every task"} | TASKS, criteria.task),
        filter_triggers=_options({"": "Every start"} | {name: name for name in queries.triggers()}, criteria.trigger),
        rows=[_row(run, is_of_many=project is None) for run in found.items],
        ask=_ask(owner, form) if person.has_perm(ADD) else None,
        tasks=tasks(project) if project else [],
        previous_url=found.previous and links.to("upkeep-list", **state, cursor=found.previous),
        next_url=found.next and links.to("upkeep-list", **state, cursor=found.next),
    )


def _row(run: UpkeepRun, *, is_of_many: bool) -> RunRow:
    return RunRow(
        id=f"upkeep-{run.pk}",
        url=links.to("upkeep-run", run.pk),
        task=upkeep_words.task(run.task),
        project=run.project.name if is_of_many else "",
        state=upkeep_words.state(run),
        is_dry_run=run.is_dry_run,
        said=run.error or run.reason or ", ".join(_names(run)),
        by=upkeep_words.started_by(run),
        took=upkeep_words.took(run),
        spent=upkeep_words.dollars(run.cost_usd),
        at=run.created_at,
    )


def _names(run: UpkeepRun) -> list[str]:
    return [str(one.get("slug") or one.get("name", "")) for one in run.skills]


def _ask(owner: str, form: AskForm | None) -> Ask:
    sent = form.data if form else {}
    names = [row.name for row in projects.brief().exclude(memory_dir="")]
    return Ask(
        url=links.to("upkeep-ask"),
        projects=_options({name: name for name in names}, str(sent.get("project", owner))),
        tasks=_options(TASKS, str(sent.get("task", ""))),
        errors=[str(error) for errors in form.errors.values() for error in errors] if form else [],
    )


def _options(choices: dict[str, str], chosen: str) -> list[Option]:
    return [Option(value, label, value == chosen) for value, label in choices.items()]
