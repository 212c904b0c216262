"""Run in MemDock's own shell: what became of the loop of a SESSION, as JSON."""

from __future__ import annotations

import json
import os

from memory.agent_loop import queue
from memory.models import Artifact, LoopUpdate
from memory.service.registry import plugins

session = os.environ["SESSION"]
is_flushed = queue.flush(session, within=60)
updates = LoopUpdate.objects.filter(session_key=session).order_by("pk").values_list("point", "state")
artifacts = Artifact.objects.order_by("pk").values_list("native_id", "role", "blob__digest")
told = {"updates": list(updates), "plugins": [row.id for row in plugins], "artifacts": list(artifacts)}
print(json.dumps({"flushed": is_flushed} | told))
