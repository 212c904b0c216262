from __future__ import annotations

import pytest

from memory.models import Observation
from tests.databases import another_writer
from tests.mcp.callers import make_caller, read, refused

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_busy_database_is_one_error_and_can_be_read() -> None:
    agent = make_caller()
    row = read(agent, "mem_save", title="A", content="B")
    with another_writer("memory_observation"):
        assert refused(agent, "mem_save", title="C", content="D") == (
            "Failed to save: The database is busy; try again in a moment."
        )
        assert refused(agent, "mem_pin", id=row["id"]).endswith("The database is busy; try again in a moment.")
        assert read(agent, "mem_get_observation", id=row["id"])["project"] == "harbor"
        assert read(agent, "mem_context")["result"]
    assert Observation.objects.count() == 1
    read(agent, "mem_save", title="C", content="D")
