"""What tests of captures share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.models import Setting


@pytest.fixture
def modelled(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Choose a summarizer that asks a model, which is a `dsh` on PATH that answers at once."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "dsh"
    program.write_text("#!/bin/sh\necho '- It was summarised.'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    Setting.objects.update_or_create(project=None, key="capture.summarizer", defaults={"value": "dsh-headless"})
    return program
