"""How pages speak of runs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dock.forms.upkeep import TASKS
from memory.models import UpkeepRun
from memory.models.maintenance import UpkeepState

_DONE = {
    "replace": ("replaced", "ok", "check"),
    "distilled": ("skills written", "ok", "check"),
    "waiting": ("proposed", "accent", "clock"),
    "none": ("nothing new", "", ""),
    "skip": ("not due", "", ""),
    "locked": ("busy elsewhere", "warn", "clock"),
}
_DRY = {"replace": ("would replace", "accent", ""), "distilled": ("would write skills", "accent", "")}


@dataclass(frozen=True, slots=True)
class State:
    """What became of a run, as a badge."""

    words: str
    tone: str
    icon: str


def state(run: UpkeepRun) -> State:
    if run.state == UpkeepState.FAILED:
        return State("failed", "bad", "x-mark")
    if run.state != UpkeepState.DONE:
        return State(run.state, "", "clock")
    known = _DONE | _DRY if run.is_dry_run else _DONE
    return State(*known.get(run.action, (run.action, "", "")))


def task(name: str) -> str:
    return TASKS.get(name, name)


def started_by(run: UpkeepRun) -> str:
    """Say what or who started a run."""
    return f"{run.trigger}, {run.actor_label}" if run.actor_label not in {"", run.trigger} else run.trigger


def took(run: UpkeepRun) -> str:
    return "" if run.duration_ms is None else f"{run.duration_ms / 1000:,.1f} s"


def asked(run: UpkeepRun) -> str:
    """Say which model was asked."""
    return " by ".join(filter(None, (run.model, run.provider)))


def tokens(run: UpkeepRun) -> str:
    if not run.input_tokens and not run.output_tokens:
        return ""
    return f"{run.input_tokens:,} in, {run.output_tokens:,} out"


def dollars(amount: Decimal | None) -> str:
    if not amount:
        return ""
    return f"${amount:,.2f}" if amount >= Decimal("0.01") else f"${amount.normalize():f}"
