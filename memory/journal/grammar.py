"""The grammar of a day file: bytes in, entries with their places out; nothing here touches a disk or a database.

The format is the union of what MemSearch's five plugins write, and of what people and formatters make of it. Code
fences do not hide a heading: MemSearch's own chunker does not see them either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory.journal import anchors
from memory.journal.anchors import Anchor

type State = Literal["summary", "raw", "unavailable", "note"]
type Newline = Literal["\n", "\r\n"]

BOM = b"\xef\xbb\xbf"

ROLE = (
    r"\[(?:(?:User|Human|Assistant|System|Agent|Claude(?: Code)?|Codex|OpenClaw|OpenCode|DSH|DeepSeek Harness)"
    r"(?: calls tool)?|Tool(?: (?:call|result|output|error))?)\]:"
)
"""What stands before a speaker's text in a raw transcript, as a regular expression."""

_TIME = rb"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_BOUNDARY = re.compile(
    rb"^(?:### (?P<entry>%(t)s)|## Session (?P<session>%(t)s)|## Memory Compact(?: %(t)s)?)[ \t\r]*$" % {b"t": _TIME},
    re.MULTILINE,
)
_DATE_HEADING = re.compile(r"# \d{4}-\d{2}-\d{2}\s*")

# Escape sequences that end (CSI, OSC), then every control but tab and newline, and byte order marks.
_INVISIBLE = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]"
)

_UNAVAILABLE = re.compile(r"(?:[-*+] +)?(?:\*\*|__)?Memory summary unavailable(?![^\W_])")
_BLOCK_START = re.compile(r"\n *(?:\n|[-*+] |\d+[.)] |#|```|~~~|\[|<!--)")
_DIALOGUE = re.compile(rf"^(?:{ROLE}|=== (?:Turn|Transcript) |\.\.\.\(truncated)", re.MULTILINE)

# Codex without a summary quotes the question and the last message. That reads as a summary does, unless the message
# brought code along.
_CODEX_QUOTE = re.compile(r"^- User asked: .*\n- Codex: ", re.MULTILINE)
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One entry: a heading `### HH:MM` and what follows it; lines count from 1."""

    ordinal: int
    time: str
    session_heading: str
    anchor: Anchor | None
    body: str
    state: State
    start_line: int
    end_line: int
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeading:
    """A line `## Session HH:MM`."""

    time: str
    start_line: int
    end_line: int
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What stands outside entries; `text` is empty when a person would miss nothing of it."""

    text: str
    start_line: int
    end_line: int
    raw: bytes


type Piece = Section | SessionHeading | Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """One day file. The pieces' bytes, joined, are the file."""

    pieces: tuple[Piece, ...]
    newline: Newline
    has_bom: bool
    problems: tuple[str, ...]

    @property
    def entries(self) -> tuple[Section, ...]:
        """The entries in the order of the file, which need not be that of their times."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Section))

    @property
    def notes(self) -> tuple[Note, ...]:
        """Text outside entries: before the first one, under a session heading, or a compacted memory."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Note) and piece.text)

    @property
    def session_headings(self) -> int:
        return sum(isinstance(piece, SessionHeading) for piece in self.pieces)

    @property
    def empty_sessions(self) -> int:
        """Count the session headings without an entry before the next one or the end of the file."""
        marks = [piece for piece in self.pieces if not isinstance(piece, Note)]
        followers = [*marks[1:], None]
        return sum(
            isinstance(mark, SessionHeading) and not isinstance(follower, Section)
            for mark, follower in zip(marks, followers, strict=False)
        )


@dataclass(frozen=True, slots=True)
class _Slice:
    """The bytes from one boundary to the next; `kind` and `time` are those of the heading that opens them."""

    raw: bytes
    line: int
    kind: str = ""
    time: str = ""


def parse(data: bytes) -> Day:
    """Split a day file into its pieces. Takes any bytes, in time linear in their number."""
    return Day(
        pieces=tuple(_pieces(data)),
        newline="\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else "\n",
        has_bom=data.startswith(BOM),
        problems=tuple(_problems(data)),
    )


def is_boundary(line: str) -> bool:
    """Say whether a line opens an entry, a session or a compacted memory."""
    return bool(_BOUNDARY.match(line.encode("utf-8", "replace")))


def is_unavailable(body: str) -> bool:
    """Say whether the body is only a plugin's note that there is no summary, as a bullet or a paragraph."""
    return bool(_UNAVAILABLE.match(body)) and not _BLOCK_START.search(body)


def clean(text: str) -> str:
    """Take out what must not reach a page, a terminal or a hash: escape sequences, controls, `\\r`, marks."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n"))


def _pieces(data: bytes) -> Iterator[Piece]:
    ordinal, session = 0, ""
    for part in _slices(data):
        if part.kind == "entry":
            ordinal += 1
            yield _section(part, ordinal=ordinal, session_heading=session)
        elif part.kind == "session":
            session = part.time
            yield from _session(part)
        else:
            yield _note(part.raw, part.line)


def _slices(data: bytes) -> Iterator[_Slice]:
    if data.startswith(BOM):  # A piece of its own, so that a heading on the first line is seen as one.
        yield _Slice(BOM, 1)
        data = data.removeprefix(BOM)
    start, line, kind, time = 0, 1, "", ""
    for boundary in _BOUNDARY.finditer(data):
        if boundary.start() > start:
            raw = data[start : boundary.start()]
            yield _Slice(raw, line, kind, time)
            line += raw.count(b"\n")
        start, kind = boundary.start(), boundary.lastgroup or ""
        time = boundary[kind].decode() if kind else ""
    if start < len(data):
        yield _Slice(data[start:], line, kind, time)


def _section(part: _Slice, *, ordinal: int, session_heading: str) -> Section:
    text = _text(part.raw.partition(b"\n")[2])
    first, _, rest = text.partition("\n")
    anchor = anchors.parse(first)
    body = text if anchor is None else _trim(rest)
    return Section(
        ordinal=ordinal,
        time=part.time,
        session_heading=session_heading,
        anchor=anchor,
        body=body,
        state=_state(body, anchor),
        start_line=part.line,
        end_line=_last_line(part.raw, part.line),
        raw=part.raw,
    )


def _session(part: _Slice) -> Iterator[Piece]:
    heading, end, rest = part.raw.partition(b"\n")
    yield SessionHeading(time=part.time, start_line=part.line, end_line=part.line, raw=heading + end)
    if rest:
        yield _note(rest, part.line + 1)


def _note(raw: bytes, line: int) -> Note:
    lines = clean(_decode(raw)).split("\n")
    told = [(number, text) for number, text in enumerate(lines, line) if not _DATE_HEADING.fullmatch(text)]
    filled = [number for number, text in told if text.strip()] or [line]
    text = _trim("\n".join(text for _, text in told))
    return Note(text=text, start_line=filled[0], end_line=filled[-1], raw=raw)


def _state(body: str, anchor: Anchor | None) -> State:
    if is_unavailable(body):
        return "unavailable"
    if _DIALOGUE.search(body) or (_CODEX_QUOTE.search(body) and _FENCE.search(body)):
        return "raw"
    return "summary" if anchor else "note"


def _problems(data: bytes) -> Iterator[str]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        yield f"line {data.count(b'\n', 0, error.start) + 1} is not valid UTF-8"


def _text(raw: bytes) -> str:
    return _trim(clean(_decode(raw)))


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _trim(text: str) -> str:
    """Drop blank lines around the text, but keep the indentation of its first line."""
    blank = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, blank) + 1 :].rstrip()


def _last_line(raw: bytes, first: int) -> int:
    """The number of the last line with content, when the bytes start on line `first`."""
    return first + raw.rstrip().count(b"\n")
