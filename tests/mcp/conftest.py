"""A caller that works for the project harbor."""

from __future__ import annotations

import pytest

from memory.mcp.caller import Caller
from tests.mcp.callers import make_caller


@pytest.fixture
def agent(db: None) -> Caller:
    return make_caller()
