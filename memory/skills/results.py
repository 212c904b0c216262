"""What became of a job at each of its targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

type Done = Literal["waiting", "installed", "same", "uninstalled", "missing", "restored", "differs", "failed"]
"""`same`: the text was there already; `missing`: there was no copy to take away; `differs`: another text was in the way."""

SUCCESS = frozenset({"installed", "same", "uninstalled", "missing", "restored"})


@dataclass(frozen=True, slots=True)
class Result:
    """One target of a job; `kept` is the key of the replaced copy that is put back there."""

    target: str
    path: str
    outcome: Done = "waiting"
    error: str = ""
    kept: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Result:
        return cls(**row)

    @property
    def is_success(self) -> bool:
        return self.outcome in SUCCESS

    def as_json(self) -> dict[str, object]:
        return asdict(self)
