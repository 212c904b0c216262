"""What an agent needs to reach MemDock: files and entries that go into its own configuration."""

from __future__ import annotations
