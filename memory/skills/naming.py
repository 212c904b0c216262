"""Names of skills as folders are called."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection
from itertools import count

LONGEST = 100
"""Characters of a folder's name; MemSearch has no limit, file systems do."""

_OTHER = re.compile(r"[^a-z0-9-]+")


def slug_of(name: str, taken: Collection[str] = ()) -> str:
    """Return the folder's name for a skill, none of `taken`.

    That is MemSearch's own slug wherever the name has a Latin letter or a digit, so that both tools mean the same
    candidate. MemSearch calls all other names `skill`; here they are told apart by a digest of the name.
    """
    plain = _OTHER.sub("-", name.strip().lower()).strip("-")
    slug = plain if 0 < len(plain) <= LONGEST else _distinct(plain, name)
    candidates = (slug if number == 1 else f"{slug}-{number}" for number in count(1))
    return next(one for one in candidates if one not in taken)


def _distinct(plain: str, name: str) -> str:
    """Tell apart what has no letters of its own, or too many. A name means the same however it is spaced or cased."""
    spoken = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    if not spoken:
        return "skill"
    digest = hashlib.sha256(spoken.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: LONGEST - 9].rstrip('-') or 'skill'}-{digest}"
