"""The newest changes in memory, so that a thousand followers cost one query."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from memory.api.shapes import ChangeJson

SIZE = 2000


@dataclass(frozen=True, slots=True)
class Item:
    """One change, ready to be sent."""

    id: int
    project_id: int | None
    change: ChangeJson


class Tail:
    """Every change with `floor < id <= head`, in order; the oldest go when there are more than `size`."""

    def __init__(self, head: int, *, size: int = SIZE) -> None:
        self.floor = self.head = head
        self._size = size
        self._items: deque[Item] = deque()

    def extend(self, items: Iterable[Item]) -> None:
        """Add what comes directly after the head."""
        for item in items:
            self._items.append(item)
            self.head = item.id
            if len(self._items) > self._size:
                self.floor = self._items.popleft().id

    def covers(self, cursor: int) -> bool:
        """Tell whether nothing after the cursor is missing here."""
        return cursor >= self.floor

    def after(self, cursor: int, *, limit: int) -> list[Item]:
        """Return the oldest items with id > cursor."""
        newer = list(takewhile(lambda item: item.id > cursor, reversed(self._items)))
        return newer[: -limit - 1 : -1]
