"""Finds the conversation that an anchor names: by its path, else by its session id below the known folders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory import disk
from memory.disk import Tree
from memory.transcripts import registry, roots
from memory.transcripts.places import Location, Unavailable, below, why_absent
from memory.transcripts.readers import Reader

type Troubles = list[disk.Refused | Unavailable]
"""Why what was found on the way could not be opened."""


def locate(*, platform: str, path: str, session: str, known: roots.Roots | None = None) -> Location:
    """Return where the conversation lies; raise `Unavailable` with the reason where it cannot be opened.

    `path` and `session` are what an anchor says, and may be empty, foreign or hostile: nothing is opened outside of
    `known` (by default the platform's folders on this machine), and nothing through a link.
    """
    reader = registry.reader(platform)
    session = session.encode("utf-8", "replace").decode()  # no database takes half a surrogate
    places = tuple(known.get(platform, ())) if known is not None else roots.known(platform)
    troubles: Troubles = []
    for root in places:
        if found := _named(reader, platform, root, path, session, troubles):
            return found
    for root in places:
        if found := _looked_up(reader, platform, root, path, session, troubles):
            return found
    raise _farewell(reader, path, places, troubles)


def _named(reader: Reader, platform: str, root: Path, path: str, session: str, troubles: Troubles) -> Location | None:
    for candidate in below(path, root, reader.mark):
        with _noting(troubles), Tree(root) as tree:
            if pages := reader.at(tree, candidate, session):
                return Location(platform, session, root, pages, by_path=candidate in pages)
    return None


def _looked_up(
    reader: Reader, platform: str, root: Path, path: str, session: str, troubles: Troubles
) -> Location | None:
    with _noting(troubles), Tree(root) as tree:
        if session and (pages := reader.find(tree, session, path)):
            return Location(platform, session, root, pages, by_path=False)
    return None


@contextmanager
def _noting(troubles: Troubles) -> Iterator[None]:
    """Go on where something is missing or not to be opened, and keep why."""
    try:
        yield
    except disk.Missing:
        pass
    except (disk.Refused, Unavailable) as trouble:
        troubles.append(trouble)


def _farewell(reader: Reader, path: str, places: tuple[Path, ...], troubles: Troubles) -> Unavailable:
    if troubles:
        first = troubles[0]
        return first if isinstance(first, Unavailable) else Unavailable("refused", str(first))
    absent = why_absent(path, places, reader.mark)
    if absent.reason == "gone" and reader.farewell:
        return Unavailable("gone", f"{absent} {reader.farewell}")
    return absent
