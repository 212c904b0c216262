"""Where our own plugins read and write: threads that a plugin of somebody else cannot hold up."""

from __future__ import annotations

from memory.service.desk import Desk

desk = Desk("memory plugins", threads=4)
