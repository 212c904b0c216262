"""Tools that help with saving, and that look after the memory itself."""

from __future__ import annotations

from pydantic import Field

from memory.engram import checks, topics
from memory.mcp import choosing
from memory.mcp.answers import Answer, told
from memory.mcp.arguments import Arguments, Line, Text
from memory.mcp.caller import Call
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool


class Suggest(Arguments):
    type: Line = Field("", description="Type of the memory.")
    title: Line = Field("", description="Its title, which decides.")
    content: Text = Field("", description="Its content, where it has no title.")


@tool("Suggest Topic Key")
def mem_suggest_topic_key(call: Call, asked: Suggest) -> Answer:
    """Suggest a topic_key for a subject that goes on, so that later saves revise one memory."""
    if not asked.title.strip() and not asked.content.strip():
        raise Refusal("provide title or content to suggest a topic_key")
    return Answer(f"Suggested topic_key: {topics.suggest(asked.type, asked.title, asked.content)}")


class Doctor(Arguments):
    project: Line = Field("", description="Only this project; without one, the project that you work in.")
    check: Line = Field("", description="Only this check; without one, all of them.")


@tool("Run Doctor")
def mem_doctor(call: Call, asked: Doctor) -> Answer:
    """Check that the memory is sound; nothing is changed."""
    report = checks.report(choosing.for_reading(call, asked.project).project, asked.check.strip())
    return told(report, is_error=report["status"] == "error")
