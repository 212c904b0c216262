"""What is kept of a run while it goes on, so that a killed one can be taken up where it was."""

from __future__ import annotations

from memory.models import UpkeepRun


def keep(run: UpkeepRun, **facts: object) -> None:
    """Set fields of a run and save them at once."""
    for name, value in facts.items():
        setattr(run, name, value)
    run.save(update_fields=list(facts))
