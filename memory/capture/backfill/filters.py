"""What of a source is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime

from django.utils import timezone


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Restrictions on the turns of a source; an empty one restricts nothing.

    Days are local, and both are counted in. A `project` also gets what was said in directories that belong to none.
    """

    project: str = ""
    platform: str = ""
    session: str = ""
    since: date | None = None
    until: date | None = None

    def has(self, when: datetime) -> bool:
        """Tell whether a turn that ended then is wanted."""
        day = timezone.localtime(when).date()
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)

    def as_json(self) -> dict[str, str]:
        """Return those that are set; days as ISO 8601."""
        return {name: str(value) for name, value in asdict(self).items() if value}


EVERYTHING = Filters()


def from_json(told: Mapping[str, str]) -> Filters:
    """Read what `as_json` returned."""
    days = {name: date.fromisoformat(told[name]) for name in ("since", "until") if name in told}
    texts = {name: told.get(name, "") for name in ("project", "platform", "session")}
    return Filters(**texts, since=days.get("since"), until=days.get("until"))
