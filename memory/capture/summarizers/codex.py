"""Codex, asked once without hooks, shell, session or servers (`codex exec`)."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import replace
from pathlib import Path

from memory.capture.summarizers import programs, prompt
from memory.capture.summarizers.base import Summary, Unavailable
from memory.capture.summarizers.bullets import bullets
from memory.configuration import keys, memsearch
from memory.models import Capture
from memory.transcripts import fields

name = "codex"

TIMEOUT = 60.0
_FLAGS = [
    "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "--disable", "hooks", "--disable", "shell_tool",
    "-c", "notify=[]", "-c", "tools.web_search=false", "-c", 'model_reasoning_effort="low"', "--color", "never",
]  # fmt: skip


def summarize(capture: Capture, *, agent_name: str) -> Summary:
    """Return the summary of the person's Codex. Raises Unavailable."""
    configuration = memsearch.effective(capture.project)
    model = configuration.text(f"plugins.{capture.platform}.summarize.model")
    task = f"{prompt.text(configuration, agent_name)}\n\nTranscript:\n{capture.rendered}"
    said = ask(task, model=model, timeout=configuration.number(keys.TIMEOUT) or TIMEOUT)
    return replace(said, text=bullets(said.text))


def ask(task: str, *, model: str, timeout: float) -> Summary:
    """Return what Codex says to a task, as it is; without a model its own default. Raises Unavailable."""
    program, folder = programs.found("codex"), programs.folder_of_runs()
    out = folder / f"codex-{os.getpid()}-{secrets.token_hex(4)}.txt"
    argv = [program, "exec", *_FLAGS, *_without_servers(program), "-C", str(folder), "-o", str(out)]
    try:
        result = programs.run([*argv, *(["-m", model] if model else []), "-"], stdin=task, timeout=timeout)
        said = _said(out)
    finally:
        out.unlink(missing_ok=True)
    if result.status != 0 or not said.strip():
        raise Unavailable(result.complaint or f"summarizer exited with status {result.status}")
    return Summary(text=said, model=model or "codex default")


def _without_servers(program: str) -> list[str]:
    """Switch each configured MCP server off by its name; an empty table would not do it."""
    result = programs.run([program, "mcp", "list", "--json"], timeout=10)
    try:
        servers = json.loads(result.stdout)
    except ValueError:
        return []
    names = [fields.text(server.get("name")) for server in fields.records(servers)]
    return [part for one in names if one for part in ("-c", f"mcp_servers.{one}.enabled=false")]


def _said(out: Path) -> str:
    try:
        return out.read_text(errors="replace")[:200_000]
    except OSError:
        return ""
