"""What starts upkeep without anybody asking for it: a session that ended, and the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction
from django.db.models import QuerySet

from memory import changes
from memory.configuration import keys, memsearch
from memory.configuration.memsearch import Unset
from memory.maintenance import claims, due, history, platforms, state
from memory.maintenance.state import CannotKeep
from memory.models import Change, Marker, Project, Session

TIMER = "timer"
SESSION_END = claims.SESSION_END
AUTOMATIC = (TIMER, SESSION_END)

EVERY = timedelta(hours=6)
"""How often the clock looks at every project."""

_SEEN = "upkeep.sessions"
_CLOCK = "upkeep.timer"
_ENDED = "session.ended"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A task of a project that may be due: its interval has passed, and it does not rest after failures."""

    project: int
    task: str
    platform: str


type Queue = Callable[..., int]


def session_ends(queue: Queue, *, at: datetime) -> int:
    """Queue runs for projects in which a session ended since the last look; return how many."""
    latest = changes.latest()
    marker, is_new = Marker.objects.get_or_create(name=_SEEN, defaults={"value": latest, "updated_at": at})
    if is_new or marker.value >= latest:
        return 0
    ended = Change.objects.filter(kind=_ENDED, pk__gt=marker.value, pk__lte=latest).exclude(project=None)
    found = dict(ended.order_by("pk").values_list("project_id", "ref"))  # of each project the last one
    wanted = list(_after(found, at=at))
    return _take(queue, wanted, name=_SEEN, was=marker.value, value=latest, trigger=SESSION_END, at=at)


def clock(queue: Queue, *, at: datetime) -> int:
    """Queue runs for all projects when the time has come; return how many."""
    marker, _ = Marker.objects.get_or_create(name=_CLOCK)
    if marker.value > (at - EVERY).timestamp():
        return 0
    wanted = [one for project in _projects() for one in candidates(project, at=at)]
    now = int(at.timestamp())
    return _take(queue, wanted, name=_CLOCK, was=marker.value, value=now, trigger=TIMER, at=at)


def candidates(project: Project, *, preferred: str = "", at: datetime) -> Iterator[Wanted]:
    """Yield the tasks of a project that are switched on and whose time may have come; the input is looked at later."""
    configuration = memsearch.effective(project)
    for task in keys.TASKS:
        among = platforms.enabled(configuration, task)
        if not among:
            continue
        platform = platforms.choose(project, among, preferred=preferred)
        try:
            hours = configuration.number(f"plugins.{platform}.{task}.min_interval_hours")
            entry = state.entry(Path(project.memory_dir), platform, task)
        except (Unset, CannotKeep):
            continue
        is_rested = due.rest(entry, **history.failures(project, task, platform), at=at).is_due
        if is_rested and due.interval(entry, hours=hours, at=at).is_due:
            yield Wanted(project.pk, task, platform)


def _after(found: Mapping[int, str], *, at: datetime) -> Iterator[Wanted]:
    """Yield what the ends of sessions ask for; `found` is the ref of the last one of each project, which names the agent."""
    keys_of = {project: ref.partition(":")[2] for project, ref in found.items()}
    spoke = dict(Session.objects.filter(key__in=keys_of.values()).values_list("key", "platform"))
    for project in _projects().filter(pk__in=found):
        yield from candidates(project, preferred=spoke.get(keys_of[project.pk], ""), at=at)


def _projects() -> QuerySet[Project]:
    return Project.objects.exclude(memory_dir="").order_by("pk")


@transaction.atomic(durable=True)
def _take(queue: Queue, wanted: list[Wanted], *, name: str, was: int, value: int, trigger: str, at: datetime) -> int:
    """Move the marker and queue in one transaction; whoever comes second finds the marker moved."""
    if not Marker.objects.filter(name=name, value=was).update(value=value, updated_at=at):
        return 0
    return sum(queue(one, trigger=trigger, at=at) for one in wanted)
