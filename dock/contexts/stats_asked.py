"""What the stats were asked for, and the addresses that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from dock.contexts import links
from dock.forms.stats import Criteria
from memory.models import Project
from memory.stats.period import Period


@dataclass(frozen=True, slots=True)
class Asked:
    """A project, or all with None, and the days that are counted."""

    project: Project | None
    criteria: Criteria
    period: Period

    @property
    def owner(self) -> str:
        return self.project.name if self.project else ""

    def here(self, **over: str) -> str:
        """Return this page with another state."""
        return links.to("stats", **{"project": self.owner, **self.criteria.query(), **over})

    def listed(self, page: str, kind: str) -> str:
        """Return the list page, or where only some days count, the search for what is of these days."""
        return self.found(kind) if self.period.since else links.to(page, project=self.owner)

    def found(self, kind: str, since: date | None = None, until: date | None = None, **query: str) -> str:
        """Return the search for records of a kind: of these days, or else of the period."""
        begin = since or self.period.since
        end = until or (self.period.until if begin else None)
        return links.to("search", kind=kind, **{"project": self.owner, **query}, since=begin or "", until=end or "")

    def day(self, since: date, until: date, *, platform: str = "") -> str:
        """Return the journals of one day, or the search for the entries of several."""
        if since != until:
            return self.found("entry", since, until, platform=platform)
        return links.to("journal-day", since, project=self.owner, platform=platform)
