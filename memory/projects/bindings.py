"""`.engram/config.json`: the name that a project gives itself."""

from __future__ import annotations

import json
from pathlib import Path

from memory.descriptors import Refused
from memory.engram.errors import InvalidProjectConfig
from memory.projects import names, smallfiles

PLACE = ".engram/config.json"
_LIMIT = 65_536


def bound_name(directory: Path) -> str:
    """Return the canonical name that the directory's `.engram/config.json` gives, or "" where there is no such file.

    Raises InvalidProjectConfig for a file that is there and gives none: nothing else is guessed then.
    """
    try:
        text = smallfiles.read(directory / PLACE, limit=_LIMIT)
        if text is None:
            return ""
        return plain_name(json.loads(text)["project_name"])
    except Refused as exc:
        raise _invalid(directory, str(exc)) from exc
    except (KeyError, TypeError, AttributeError) as exc:
        raise _invalid(directory, "It gives no project_name.") from exc
    except names.InvalidName as exc:
        raise _invalid(directory, str(exc)) from exc
    except (ValueError, RecursionError) as exc:
        raise _invalid(directory, "It is not JSON.") from exc


def plain_name(name: str) -> str:
    """Return the canonical name; raise InvalidName for blank, slashes and control characters too."""
    wanted = names.canonical(names.validate(name))
    if "/" in wanted or "\\" in wanted:
        raise names.InvalidName("A project's name cannot hold slashes here.")
    return wanted


def _invalid(directory: Path, why: str) -> InvalidProjectConfig:
    path = str(directory / PLACE)
    return InvalidProjectConfig(f"project resolution failed: invalid project config {path}: {why}", project_path=path)
