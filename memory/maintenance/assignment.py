"""One run with everything that it needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory.configuration import memsearch
from memory.configuration.keys import Scalar
from memory.configuration.memsearch import Configuration
from memory.maintenance import places
from memory.maintenance.places import BadPlace, Place
from memory.models import Project, UpkeepRun
from memory.models.maintenance import UpkeepTask
from memory.skills.store import FOLDER


@dataclass(frozen=True, slots=True)
class Assignment:
    """A run of a task; `output` is a document, or the folder of the skill candidates."""

    run: UpkeepRun
    project: Project
    configuration: Configuration
    input: Place
    output: Place

    @property
    def memory_dir(self) -> Path:
        return Path(self.project.memory_dir)

    @property
    def hours(self) -> int:
        """The shortest time between two runs that did something. Raises Unset."""
        return self.configuration.number(self.key("min_interval_hours"))

    def key(self, name: str) -> str:
        """Return the key of a value of this task's configuration."""
        return f"plugins.{self.run.platform}.{self.run.task}.{name}"

    def get(self, name: str) -> Scalar:
        """Return a value of this task's configuration. Raises Unset."""
        return self.configuration.get(self.key(name))


def of(run: UpkeepRun) -> Assignment:
    """Gather what a run needs. Raises BadPlace and Unset."""
    project = run.project
    if not project.memory_dir:
        raise BadPlace("This project has no memory folder.")
    configuration = memsearch.effective(project)
    plugin = f"plugins.{run.platform}.{run.task}"
    given = places.find(project, configuration.text(f"{plugin}.input_dir") or ".memsearch/memory")
    if run.task == UpkeepTask.MEMORY_TO_SKILL:
        output = Place(Path(project.memory_dir), FOLDER)
    else:
        output = places.find(project, configuration.text(f"{plugin}.output_file"))
    return Assignment(run, project, configuration, given, output)
