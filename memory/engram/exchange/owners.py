"""The projects that imported rows name, as far as they are known already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory.models import Project, ProjectAlias
from memory.models.project import NO_PROJECT
from memory.projects import names
from memory.projects.names import InvalidName

_LONGEST_LABEL = 500


@dataclass(frozen=True, slots=True)
class Owner:
    """A project by the name that it has here; `pk` is 0 while it does not exist."""

    name: str
    pk: int = 0

    def label(self, spelled: str) -> str:
        """Return how a row spells its project, where that is not its name."""
        said = spelled.strip()[:_LONGEST_LABEL]
        return "" if said == self.name else said


class Owners:
    """Finds owners by what rows call them; with `everything` all rows belong to the project of that name."""

    def __init__(self, spelled: Iterable[str], *, everything: str = "") -> None:
        """Look the names up, aliases as well. Two queries."""
        self._everything = everything
        self._by_name: dict[str, Owner] = {}
        self._names = {text: self._wanted(text) for text in spelled}
        wanted = set(self._names.values())
        for name, pk in Project.objects.filter(name__in=wanted).values_list("name", "pk"):
            self._by_name[name] = Owner(name, pk)
        aliases = ProjectAlias.objects.filter(name__in=wanted - self._by_name.keys())
        for alias, name, pk in aliases.values_list("name", "project__name", "project"):
            self._by_name[alias] = Owner(name, pk)
        self.missing = sorted(wanted - self._by_name.keys())

    def of(self, spelled: str) -> Owner:
        """Return the owner of one of the names that were looked up."""
        wanted = self._names[spelled]
        return self._by_name.get(wanted) or Owner(wanted)

    def pks(self) -> set[int]:
        return {owner.pk for owner in self._by_name.values()}

    def rows(self, used: Iterable[str]) -> dict[str, Project]:
        """Return projects by their names. One query."""
        rows = Project.objects.filter(name__in=set(used)).defer("problems")
        return {row.name: row for row in rows}

    def make(self) -> None:
        """Make the projects that are missing, in the caller's transaction."""
        for name in self.missing:
            self._by_name[name] = Owner(name, Project.objects.get_or_create(name=name)[0].pk)
        self.missing = []

    def _wanted(self, spelled: str) -> str:
        text = self._everything or spelled
        try:
            return names.canonical(names.validate(text)) if text.strip() else NO_PROJECT
        except InvalidName:  # kept as the label of a row that belongs to no project
            return NO_PROJECT
