"""Fake homes of five agents with known truth, and the journals whose anchors name what lies in them."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from memory.journal import anchors
from memory.transcripts import moments
from memory.transcripts.conversation import Transcript
from memory.transcripts.find import locate
from memory.transcripts.limits import Limits
from memory.transcripts.places import Location
from memory.transcripts.reading import Shown, read
from memory.transcripts.roots import Roots
from tests.places import FIXTURES

type Truth = dict[str, Any]

ALL = Shown(thinking=True, inactive=True, replayed=True)
WHOLE = 10**6
"""More turns than any conversation has."""
UNCUT = Limits(text=10**8, output=10**8, input=10**8, turn=10**9, total=10**10)


@dataclass(frozen=True, slots=True)
class Written:
    """An anchor as it stands in a journal, with the day of the file and the time above it."""

    day: date
    hhmm: str
    line: str


@dataclass(frozen=True, slots=True)
class Home:
    """What `make_transcripts.py` made."""

    folder: Path
    truth: Truth

    @property
    def path(self) -> Path:
        return self.folder / "home"

    @property
    def roots(self) -> Roots:
        return {
            "claude-code": (self.path / ".claude/projects",),
            "codex": (self.path / ".codex",),
            "openclaw": (self.path / ".openclaw/agents",),
            "opencode": (self.path / ".local/share/opencode",),
            "dsh": (self.path / ".dsh/sessions", self.path / ".dsh-plain/sessions"),
        }

    def session(self, platform: str, *quirks: str) -> Truth:
        """Return the first session of an agent that has all these quirks."""
        sessions: list[Truth] = self.truth["sessions"]
        return next(s for s in sessions if s["platform"] == platform and {*quirks} <= {*s["quirks"], s["kind"]})

    def turns(self, session: Truth) -> list[Truth]:
        """Return the turns that a reader must give: those of all pages, without hidden ones."""
        pages = [s for s in self.truth["sessions"] if _key(s) == _key(session)]
        return [turn for page in pages for turn in page["turns"] if not turn.get("hidden")]

    def place(self, session: Truth) -> Location:
        """Find a session by the path that its file has now."""
        path = str(self.path / session["path"])
        return locate(platform=session["platform"], path=path, session=session["session"], known=self.roots)

    def all_of(self, session: Truth, *, shown: Shown = ALL, limits: Limits = UNCUT) -> Transcript:
        return read(self.place(session), context=WHOLE, shown=shown, limits=limits)

    def written(self) -> Iterator[Written]:
        """Yield every anchor of the journals."""
        for file in sorted((self.folder / "project/.memsearch/memory").glob("*.md")):
            lines = file.read_text(encoding="utf-8").split("\n")
            for heading, line in itertools.pairwise(lines):
                if heading.startswith("### "):
                    yield Written(date.fromisoformat(file.stem), heading[4:], line)

    def turn_of(self, written: Written) -> tuple[Truth, Truth]:
        """Return the session and the turn that an anchor was written for."""
        entry = {"date": written.day.isoformat(), "time": written.hhmm}
        return next(
            (session, turn)
            for session in self.truth["sessions"]
            for turn in session["turns"]
            if turn["anchor"] == written.line and turn["entry"] == entry
        )

    def resolve(self, written: Written, *, context: int = 0) -> Transcript:
        """Go from an anchor to its turn, as recall does."""
        anchor = anchors.parse(written.line)
        assert anchor is not None
        platform = anchors.platform(anchor)
        place = locate(platform=platform, path=anchor.path, session=anchor.session, known=self.roots)
        return read(place, turn=anchor.turn, time=self.deadline(platform, written), context=context)

    def deadline(self, platform: str, written: Written) -> datetime | None:
        zone = timezone(timedelta(minutes=self.truth["utc_offset_minutes"]))
        return moments.deadline(platform, written.day, written.hhmm, zone)


def make(folder: Path, *arguments: str) -> Home:
    """Run the generator into a folder that it may fill."""
    command = [sys.executable, str(FIXTURES / "make_transcripts.py"), str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)
    return Home(folder, json.loads((folder / "transcripts-truth.json").read_text(encoding="utf-8")))


def _key(session: Truth) -> tuple[str, str]:
    return session["platform"], session["session"]
