"""The plugin of DSH in a real Node, driven as DSH drives it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.connect import own_files
from tests.waiting import DEADLINE

NODE = shutil.which("node") or ""
_DRIVER = Path(__file__).parent / "drive.mjs"
_INDEX = own_files.HERE / "dsh" / "index.js"
_FOREIGN = ("MEMDOCK_", "ENGRAM_", "MEMSEARCH_")


@dataclass(frozen=True, slots=True)
class Came:
    """What came of each step, and what the plugin warned of."""

    steps: list[Any]
    warned: list[str]


def drive(
    directory: Path, *steps: list[Any], config: dict[str, Any] | None = None, patience: float = 20, **variables: str
) -> Came:
    """Run steps in a fresh plugin, whose limits are `patience` times as long; a failed step came to `{"error": …}`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    done = subprocess.run(
        [NODE, str(_DRIVER), str(_INDEX), json.dumps(config or {}), str(directory)],
        input=json.dumps(steps),
        env=environment | {"HOME": str(directory), "PATIENCE": str(patience)} | variables,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    return Came(told["came"], told["warned"])


def save(title: str, content: str = "The importer trims blanks.", **over: str) -> list[Any]:
    return ["tool", "mem_save", {"title": title, "content": content} | over]


def summary(text: str, ident: str = "c1") -> list[Any]:
    return ["event", "compaction/summary", {"compactionId": ident, "summary": [{"type": "text", "text": text}]}]


def asked(text: str, *more: str) -> list[Any]:
    data = {"source": {"kind": "user"}, "content": [{"type": "text", "text": text}]}
    return ["event", "user/message", data, *more]
