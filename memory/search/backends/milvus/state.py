"""How Milvus is, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.models import Project
from memory.search.backends.milvus import asking, journals
from memory.search.backends.milvus.asking import Holding
from memory.search.backends.milvus.connection import Unreachable


@dataclass(frozen=True, slots=True)
class State:
    """One sentence on how things are, and what to do about it ("" when nothing is to do)."""

    text: str
    trouble: str = ""


def state() -> State:
    """Ask Milvus what it holds. One query, and some requests to Milvus, for which it waits a few seconds at most."""
    projects = Project.objects.exclude(memory_dir="").order_by("name")
    places = [journals.home(name=one.name, root=one.root, memory_dir=one.memory_dir) for one in projects]
    try:
        return _state(asking.holdings(places))
    except Unreachable as exc:
        return State(f"Milvus cannot be asked, so journals are found by words alone. {exc}", "See MEMDOCK_MILVUS_URI.")


def _state(holdings: Sequence[Holding]) -> State:
    filled = [one for one in holdings if one.chunks]
    strange = [one.project for one in holdings if not one.fits]
    if strange:
        text = f"Milvus holds vectors of another model for {', '.join(strange)}: found by words alone."
        return State(text, "Set MEMDOCK_EMBEDDING to the model that MemSearch uses.")
    chunks = sum(one.chunks for one in filled)
    return State(f"Milvus holds {_many(chunks, 'chunk')} of {_many(len(filled), 'project')}.")


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
