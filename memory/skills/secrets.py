"""What looks like a secret that should not be in a text that agents share."""

from __future__ import annotations

import re
from typing import NamedTuple


class Suspect(NamedTuple):
    """Where something looks like a secret: the line, from 1, and what it looks like; never the secret itself."""

    line: int
    kind: str


_KINDS = (
    ("a private key", re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY")),
    ("an AWS key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("a GitHub token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}")),
    ("a GitLab token", re.compile(r"\bglpat-[\w-]{20,}")),
    ("a Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("an API key", re.compile(r"\b(?:sk|pk|rk)(?:-[a-z]+)*[-_](?:live_|test_|proj-|ant-)?[A-Za-z0-9_-]{24,}")),
    ("a Google key", re.compile(r"\bAIza[\w-]{35}")),
    ("a signed token", re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{5,}")),
    ("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:(?!\$|<|\{|x{2,}|\*)[^\s/@]{3,200}@")),
    (
        "a password",
        re.compile(
            r"""(?:password|passwd|secret|token|api[_-]?key)["']?\s{0,5}[:=]\s{0,5}["']?(?!\$|<|\{|\*|your|xxx|\.\.\.)"""
            r"""(?=[^\s"'`]{0,100}\d)[^\s"'`,;)]{12,200}""",
            re.IGNORECASE,
        ),
    ),
)  # fmt: skip


def suspects(text: str) -> list[Suspect]:
    """Find what looks like a secret, by line; placeholders such as `$TOKEN` and `<token>` are none."""
    return [
        Suspect(number, kind)
        for number, line in enumerate(text.split("\n"), start=1)
        for kind, pattern in _KINDS
        if pattern.search(line)
    ]
