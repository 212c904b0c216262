"""Run in MemDock's own shell: a project, no model for summaries, what is CHOSEN, and a message for the agent."""

from __future__ import annotations

import json
import os
from pathlib import Path

from django.utils import timezone

from memory.audit import COMMAND
from memory.capture import inbox
from memory.models import Setting
from memory.projects import actions

project, _ = actions.add(path=str(Path.home() / "harbor"), name="", actor=COMMAND, at=timezone.now())
Setting.objects.create(key="capture.summarizer", value="extractive")
for key, value in json.loads(os.environ["CHOSEN"]).items():
    Setting.objects.create(key=key, value=value)
inbox.queue(project=project, text="Review the skill please.", actor=COMMAND, at=timezone.now())
