"""Refs: the stable text ids of what can be found (`entry:12`), and the pages that show them."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import quote

from django.urls import NoReverseMatch, reverse

from memory.models import (
    Artifact,
    Capture,
    Document,
    Entry,
    Fact,
    Observation,
    Project,
    Prompt,
    Session,
    SkillCandidate,
    UpkeepRun,
)

_BY_NUMBER = {
    "artifact": "dock:artifact-detail",
    "entry": "dock:entry-detail",
    "observation": "dock:memory-detail",
    "prompt": "dock:prompt-detail",
    "upkeep": "dock:upkeep-run",
}
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:@+=-]*")


def entry(row: Entry) -> str:
    return f"entry:{row.pk}"


def session(row: Session) -> str:
    return f"session:{row.key}"


def skill(row: SkillCandidate, project: Project) -> str:
    return f"skill:{project.name}/{row.slug}"


def document(row: Document, project: Project) -> str:
    return f"file:{project.name}/{row.name}"


def capture(row: Capture) -> str:
    return f"capture:{row.pk}"


def observation(row: Observation) -> str:
    return f"observation:{row.pk}"


def prompt(row: Prompt) -> str:
    return f"prompt:{row.pk}"


def upkeep(row: UpkeepRun) -> str:
    return f"upkeep:{row.pk}"


def artifact(row: Artifact) -> str:
    return f"artifact:{row.pk}"


def fact(row: Fact) -> str:
    return f"fact:{row.pk}"


def project(row: Project) -> str:
    return f"project:{row.name}"


def url(ref: str) -> str:
    """Return the path of the page that shows a ref, or "" for what has none."""
    try:
        return _path(ref)
    except NoReverseMatch:  # one odd ref of an agent must not stop a page that lists it among others
        return ""


def _path(ref: str) -> str:
    kind, _, rest = ref.partition(":")
    if kind in _BY_NUMBER and rest.isascii() and rest.isdigit():
        return reverse(_BY_NUMBER[kind], args=[int(rest)])
    if kind == "session" and rest:
        return reverse("dock:session-detail", args=[rest])
    if kind == "capture" and rest.isascii() and rest.isdigit():
        return f"{reverse('dock:capture-list')}?capture={rest}"
    if kind == "project" and rest:
        return f"{reverse('dock:live')}?project={query(rest)}"
    owner, _, name = rest.rpartition("/")  # a project's name may hold slashes, a file's cannot
    if kind == "skill" and owner and name:
        return reverse("dock:skill-detail", args=[owner, name])
    if kind == "file" and owner and name:
        return reverse("dock:document-detail", args=[owner, name])
    return ""


def query(text: str) -> str:
    """Return any text as the value of a query parameter."""
    return quote(text, safe="")


def segment(text: str) -> str:
    """Return any text as one plain URL segment: itself when harmless, else `~` and base64url.

    Ids come from agents and may hold slashes, dots, quotes or spaces that do not survive a path.
    """
    if _PLAIN.fullmatch(text):
        return text
    return "~" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def from_segment(segment: str) -> str:
    """Undo `segment`. Raises ValueError for what it cannot have made."""
    if not segment.startswith("~"):
        return segment
    try:
        return base64.b64decode(segment[1:] + "=" * (-len(segment[1:]) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as exc:
        raise ValueError(segment) from exc
