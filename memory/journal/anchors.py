"""Anchors: the comment under an entry's heading that names the conversation turn it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

type Kind = Literal["transcript", "rollout", "db", ""]
type Platform = Literal["claude-code", "codex", "openclaw", "opencode", "dsh", ""]

_KINDS: tuple[Kind, ...] = ("transcript", "rollout", "db")

# A key stands at the start or after a blank. One letter is a Windows drive (`C:\`), `//` follows a URL's scheme:
# neither ends a value.
_KEY = re.compile(r"(?:^|(?<=[ \t]))([a-z][a-z0-9_-]+):(?!//)")


@dataclass(frozen=True, slots=True)
class Anchor:
    """What an anchor names; `kind` is the key that held `path`, and empty in other tools' anchors."""

    session: str
    turn: str
    has_turn: bool
    kind: Kind
    path: str


def parse(line: str) -> Anchor | None:
    """Read a line `<!-- session:S turn:T transcript:PATH -->`; None when it is no anchor.

    A value runs up to the next ` key:` or the end of the comment, so it may hold blanks, and may be empty. Unknown
    keys are skipped; of a repeated key the first counts. Other tools' anchors start with a key of their own: they
    name a session, but promise nothing about the meaning of the rest, so their kind stays empty.
    """
    pairs = _pairs(line)
    if "session" not in pairs:
        return None
    named = next((kind for kind in pairs if kind in _KINDS), "")
    return Anchor(
        session=pairs["session"],
        turn=pairs.get("turn", ""),
        has_turn="turn" in pairs,
        kind=_kind(named) if next(iter(pairs)) == "session" else "",
        path=pairs.get(named, ""),
    )


def line(anchor: Anchor) -> str:
    """Write an anchor as MemSearch's plugins do: `session`, `turn` where there is one, then the path under its key.

    What would end the comment or pass for another key is defused, so that `parse` never reads anything else from it.
    """
    turn = f" turn:{_plain(anchor.turn)}" if anchor.has_turn else ""
    return f"<!-- session:{_plain(anchor.session)}{turn} {anchor.kind or 'db'}:{_plain(anchor.path)} -->"


def platform(anchor: Anchor) -> Platform:
    """Name the agent that writes anchors of this shape; empty when none does."""
    if anchor.kind == "transcript":
        is_openclaw = not anchor.has_turn or "/.openclaw/" in anchor.path.replace("\\", "/")
        return "openclaw" if is_openclaw else "claude-code"
    if anchor.kind == "rollout":
        return "codex"
    if anchor.kind == "db":
        return "dsh" if anchor.turn.isascii() and anchor.turn.isdigit() else "opencode"
    return ""


def _pairs(line: str) -> dict[str, str]:
    """The keys and values of a one-line comment in their order; empty when it is anything else."""
    text = line.strip()
    if len(text) < len("<!---->") or not text.startswith("<!--") or not text.endswith("-->"):
        return {}
    text = text[4:-3].strip(" \t")
    keys = list(_KEY.finditer(text))
    if not keys or keys[0].start() != 0 or " -->" in text:
        return {}
    ends = [key.start() for key in keys[1:]] + [len(text)]
    pairs: dict[str, str] = {}
    for key, end in zip(keys, ends, strict=True):
        pairs.setdefault(key[1], text[key.end() : end].strip(" \t"))
    return pairs


def _plain(value: str) -> str:
    text = " ".join(value.split()).replace("-->", "->")
    return _KEY.sub(r"\1%3A", text)


def _kind(name: str) -> Kind:
    return next((kind for kind in _KINDS if kind == name), "")
