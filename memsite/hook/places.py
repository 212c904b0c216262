"""Where MemDock keeps its data on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def data_dir() -> Path:
    """Return the data directory, as `memsite.settings` does."""
    return Path(os.environ.get("MEMDOCK_DATA_DIR") or "~/.memdock").expanduser()
