"""Topic keys: how they are spelled, and which one a memory should have (Engram's rules)."""

from __future__ import annotations

import hashlib
import re

from memory.engram.redaction import redact

LONGEST = 120
_SEGMENT = 100
_FIRST_WORDS = 8

_BY_TYPE = {
    "architecture": ("architecture", "design", "adr", "refactor"),
    "bug": ("bug", "bugfix", "fix", "incident", "hotfix"),
    "decision": ("decision",),
    "pattern": ("pattern", "convention", "guideline"),
    "config": ("config", "setup", "infra", "infrastructure", "ci"),
    "discovery": ("discovery", "investigation", "root_cause", "root-cause"),
    "learning": ("learning", "learn"),
    "session": ("session_summary",),
}
_FAMILIES = {kind: family for family, kinds in _BY_TYPE.items() for kind in kinds}

_BY_WORDS = {  # in this order; the first that occurs anywhere decides
    "bug": ("bug", "fix", "panic", "error", "crash", "regression", "incident", "hotfix"),
    "architecture": ("architecture", "design", "adr", "boundary", "hexagonal", "refactor"),
    "decision": ("decision", "tradeoff", "chose", "choose", "decide"),
    "pattern": ("pattern", "convention", "naming", "guideline"),
    "config": ("config", "setup", "environment", "env", "docker", "pipeline"),
    "discovery": ("discovery", "investigate", "investigation", "found", "root cause"),
    "learning": ("learned", "learning"),
}


def normalize(topic_key: str) -> str:
    """Trim, lower the case, put `-` for each run of white space and keep at most 120 bytes."""
    joined = "-".join(topic_key.lower().split())
    return joined.encode()[:LONGEST].decode(errors="ignore")


def suggest(type: str, title: str, content: str) -> str:  # noqa: A002 - the field's name on the wire
    """Return `family/segment` for a memory; the same memory always gets the same.

    Texts that are not ASCII end in `-u-` and 12 hex digits of their SHA-256, since their slugs say little.
    """
    title, content = redact(title), redact(content)
    family = _family(type, title, content)
    source = title if _slug(title) else " ".join(content.lower().split()[:_FIRST_WORDS])
    segment = _slug(source).removeprefix(f"{family}-") or "general"
    if segment == family:
        segment = "general"
    suffix = _suffix(source or title)
    room = min(_SEGMENT, LONGEST - len(family) - 1) - len(suffix)
    return f"{family}/{segment[:room].rstrip('-') if suffix else segment[:room]}{suffix}"


def _family(kind: str, title: str, content: str) -> str:
    kind = kind.strip().lower()
    if kind in _FAMILIES:
        return _FAMILIES[kind]
    text = f"{title} {content}".lower()
    for family, words in _BY_WORDS.items():
        if any(word in text for word in words):
            return family
    return "topic" if kind in {"", "manual"} else _slug(kind) or "topic"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_SEGMENT]


def _suffix(source: str) -> str:
    return "" if source.isascii() else f"-u-{hashlib.sha256(source.encode()).hexdigest()[:12]}"
