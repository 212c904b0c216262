"""Reads the one thing that a project's name needs from a git configuration: where `origin` is."""

from __future__ import annotations

import re

_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\r?\n")
_SECTION = re.compile(r'\s*\[\s*([^\]\s"]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_URL = re.compile(r"\s*url\s*=(.*)", re.IGNORECASE)
_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"?|((?:[^"\\#;]|\\.)+)|[#;].*|\\')
_ESCAPED = re.compile(r"\\(.)")
_PARTS = re.compile(r"[/:\\]")


def origin_url(text: str) -> str:
    """Return the first URL of the remote `origin`, or "" (`git-config(1)`, section Syntax).

    Files that it includes and rewriting rules of other files are left alone: only the last part of the URL counts.
    """
    is_origin = False
    for line in _CONTINUED.sub(r"\1", text).splitlines():
        section = _SECTION.match(line)
        if section:
            is_origin = (section[1].lower(), section[2]) in {("remote", "origin"), ("remote.origin", None)}
        setting = _URL.match(line, section.end() if section else 0)
        if is_origin and setting:
            return _value(setting[1])
    return ""


def last_part(url: str) -> str:
    r"""Return the name of the repository that a URL or path leads to, or "".

    Parts end at `/`, `:` and `\`; `.git` at the end goes, and a whole part of that name as well.
    """
    parts = [part for part in _PARTS.split(url.strip()) if part and part != ".git"]
    return parts[-1].removesuffix(".git") if parts else ""


def _value(raw: str) -> str:
    """Take off quotes, escapes and the comment after a value."""
    pieces = [(match[1] or match[2] or "") for match in _PIECE.finditer(raw.strip())]
    return _ESCAPED.sub(r"\1", "".join(pieces)).strip()
