"""Loaded before Django: tests never touch the data directory of the person who runs them."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from hypothesis import settings

# A slow machine is not a failing test: speed is measured in tests/bench.
settings.register_profile("memdock", deadline=None)
settings.load_profile("memdock")

_KEPT = {"MEMDOCK_DATABASE_URL", "MEMDOCK_TEST_FIXTURES"}

for _name in [name for name in os.environ if name.startswith(("MEMDOCK_", "ENGRAM_", "MEMSEARCH_"))]:
    if _name not in _KEPT:
        del os.environ[_name]

_directory = tempfile.mkdtemp(prefix="memdock-tests-")
atexit.register(shutil.rmtree, _directory, ignore_errors=True)
os.environ["MEMDOCK_DATA_DIR"] = _directory
