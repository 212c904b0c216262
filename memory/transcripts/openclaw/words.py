"""A person's words in an OpenClaw message: channels and plugins put a good deal in front of them."""

from __future__ import annotations

import re

_LEADING = re.compile(
    r"""\s*(?:
      Recent\ memories\ \(use\ memory_search\ for\ full\ search\):.*?(?:\n[ \t]*\n|\Z)
    | [^\n]{1,80}\ \(untrusted\ metadata\):\s*```(?:json)?\n.*?\n```[ \t]*(?:\n|\Z)
    | System:\ \[[^\]\n]*\][^\n]*(?:\n|\Z)
    | \[message_id:[^\]\n]*\][ \t]*(?:\n|\Z)
    | \[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\ \d{4}-\d\d-\d\d\ \d\d:\d\d(?:\ [^\]\n]{1,40})?\][ \t]*
    )""",
    re.DOTALL | re.VERBOSE,
)
_TRAILING = re.compile(r"\n\[message_id:[^\]\n]*\]\s*\Z")
_DIRECTIVE = re.compile(r"\[\[(?:reply_to_current|reply_to:[^\]\n]*|audio_as_voice)\]\][ \t]*")
_HEARTBEATS = ("Read HEARTBEAT.md if it exists", "[OpenClaw heartbeat poll]")


def spoken(text: str) -> str:
    """Cut complete blocks before the words, and the message's id after them."""
    while block := _LEADING.match(text):
        text = text[block.end() :]
    return _TRAILING.sub("", text)


def said(text: str) -> str:
    """Cut what an answer says to the channel and not to the person."""
    return _DIRECTIVE.sub("", text)


def is_heartbeat(text: str) -> bool:
    return text.lstrip().startswith(_HEARTBEATS)


def is_quiet(texts: list[str]) -> bool:
    """Tell whether an answer to a heartbeat says that there is nothing to say."""
    return all(text.strip() in {"HEARTBEAT_OK", "NO_REPLY"} for text in texts)
