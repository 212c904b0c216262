"""Loaded before Django: tests never touch the data directory of the person who runs them."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings

# A slow machine is not a failing test: speed is measured in tests/bench. Every run tries the same examples, so that only
# a change can break a test; `--hypothesis-profile=search` looks for other ones. A fixture serves all examples of a test.
_SILENT = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("memdock", deadline=None, derandomize=True, max_examples=40, suppress_health_check=_SILENT)
settings.register_profile("search", deadline=None, max_examples=1000, suppress_health_check=_SILENT)
settings.load_profile("memdock")

# A tenth of the time of all tests would go into looks for garbage among what they all share.
gc.set_threshold(50_000)

_KEPT = {"MEMDOCK_DATABASE_URL", "MEMDOCK_TEST_CLAUDE", "MEMDOCK_TEST_CODEX", "MEMDOCK_TEST_FIXTURES"}

for _name in [name for name in os.environ if name.startswith(("MEMDOCK_", "ENGRAM_", "MEMSEARCH_"))]:
    if _name not in _KEPT:
        del os.environ[_name]

_directory = tempfile.mkdtemp(prefix="memdock-tests-")
atexit.register(shutil.rmtree, _directory, ignore_errors=True)
os.environ["MEMDOCK_DATA_DIR"] = _directory

# Where Python may leave no bytecode beside the sources, it keeps it for this run: otherwise each of the many processes
# that tests start would compile all of Django again, which takes longer than everything else it does.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = f"{_directory}/bytecode"
