"""Where the tests find what lies outside the package."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FIXTURES = Path(os.environ.get("MEMDOCK_TEST_FIXTURES", ROOT.parent / "shared" / "fixtures"))
"""Generators and samples with known truth; tests that need them are left out where they are absent."""
