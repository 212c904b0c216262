"""How much may be on its way to a peer that has not answered."""

from __future__ import annotations

import asyncio

SIZE = 10_000


class Window:
    """Counts changes between our pings and the peer's pongs.

    The server's transport takes whatever it is given, so a peer that does not read would fill the memory. A pong says
    that everything before its ping was read; that much may then be sent anew.
    """

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._sent = 0
        self._read = 0
        self._at_ping: int | None = None
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def needs_ping(self) -> bool:
        """Tell whether it is time to ask how far the peer has come."""
        return self._at_ping is None and 2 * self._under_way >= self._size

    def sent(self, count: int) -> None:
        """Note that `count` changes were sent."""
        self._sent += count
        self._update()

    def pinged(self) -> None:
        """Note that a ping was sent; until it is answered later ones say nothing more."""
        if self._at_ping is None:
            self._at_ping = self._sent

    def ponged(self) -> None:
        """Note a pong; one that answers no ping says nothing."""
        if self._at_ping is not None:
            self._read, self._at_ping = self._at_ping, None
            self._update()

    async def room(self) -> None:
        """Wait until more may be sent."""
        await self._has_room.wait()

    @property
    def _under_way(self) -> int:
        return self._sent - self._read

    def _update(self) -> None:
        if self._under_way < self._size:
            self._has_room.set()
        else:
            self._has_room.clear()
