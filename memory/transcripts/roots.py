"""Where each agent keeps its conversations on this machine, unless the settings name other places."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from django.conf import settings

type Roots = Mapping[str, Sequence[Path]]
"""Folders by platform; nothing outside of them is opened."""


def known(platform: str) -> tuple[Path, ...]:
    """Return the folders of one agent, the likeliest first; they need not exist.

    The setting `MEMDOCK_TRANSCRIPT_ROOTS`, a dict of lists by platform, takes the place of the agent's own default.
    """
    configured: Mapping[str, Sequence[str | Path]] = getattr(settings, "MEMDOCK_TRANSCRIPT_ROOTS", {})
    if platform in configured:
        return tuple(Path(root).expanduser() for root in configured[platform])
    return _defaults().get(platform, ())


def _defaults() -> dict[str, tuple[Path, ...]]:
    home = Path.home()
    return {
        "claude-code": (_named("CLAUDE_CONFIG_DIR", home / ".claude") / "projects",),
        "codex": (_named("CODEX_HOME", home / ".codex"),),
        "openclaw": tuple(root / "agents" for root in _openclaw(home)),
        # OpenCode uses the XDG place on every system.
        "opencode": (_named("XDG_DATA_HOME", home / ".local" / "share") / "opencode",),
        "dsh": (_named("DSH_HOME", home / ".dsh") / "sessions",),
    }


def _openclaw(home: Path) -> list[Path]:
    """The state folder, and under which names it lay before."""
    older = [home / name for name in (".clawdbot", ".moltbot", ".moldbot")]
    return [_named("OPENCLAW_STATE_DIR", home / ".openclaw"), *older]


def _named(variable: str, otherwise: Path) -> Path:
    value = os.environ.get(variable, "")
    return Path(value).expanduser() if value else otherwise
