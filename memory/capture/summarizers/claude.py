"""Claude Code, asked once and without tools, hooks or a transcript of its own (`claude -p`)."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from memory.capture.summarizers import programs, prompt
from memory.capture.summarizers.base import Summary, Unavailable
from memory.capture.summarizers.bullets import bullets
from memory.configuration import keys, memsearch
from memory.models import Capture
from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject

name = "claude"

TIMEOUT = 110.0
_MODEL = "haiku"
_FLAGS = ["--safe-mode", "--strict-mcp-config", "--tools", "", "--no-session-persistence", "--no-chrome"]


def summarize(capture: Capture, *, agent_name: str) -> Summary:
    """Return the summary of the person's Claude. Raises Unavailable."""
    configuration = memsearch.effective(capture.project)
    model = configuration.text(f"plugins.{capture.platform}.summarize.model") or _MODEL
    told = prompt.text(configuration, agent_name)
    said = ask(told, capture.rendered, model=model, timeout=configuration.number(keys.TIMEOUT) or TIMEOUT)
    return replace(said, text=bullets(said.text))


def ask(told: str, material: str, *, model: str, timeout: float) -> Summary:
    """Return what Claude says to a task and its material, as it is. Raises Unavailable."""
    argv = [programs.found("claude"), "-p", *_FLAGS, "--model", model, "--output-format", "json"]
    result = programs.run(
        [*argv, "--system-prompt", told],
        stdin=material,
        timeout=timeout,
        extra={"CLAUDE_CODE_MAX_RETRIES": "1"},
    )
    answer = _answer(result)
    if result.status != 0 or answer.get("is_error") is not False:
        said = fields.text(answer.get("result")) or result.complaint
        raise Unavailable(said[:300] or f"summarizer exited with status {result.status}")
    usage = fields.record(answer.get("usage"))
    return Summary(
        text=fields.text(answer.get("result")),
        model=model,
        input_tokens=fields.number(usage.get("input_tokens")) or 0,
        output_tokens=fields.number(usage.get("output_tokens")) or 0,
        cost_usd=_price(answer.get("total_cost_usd")),
    )


def _answer(result: programs.Result) -> JsonObject:
    try:
        return fields.record(json.loads(result.stdout))
    except (ValueError, RecursionError):
        return {}


def _price(value: Json) -> Decimal | None:
    try:
        price = Decimal(str(value))
    except InvalidOperation:
        return None
    return price if price.is_finite() and 0 <= price < 100_000 else None
