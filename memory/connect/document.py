"""A configuration in JSON, edited as text: what is not ours keeps every byte, and taking ours out undoes putting it in.

Where a list or an object was empty, our entry follows its bracket at once; in what we create, it starts a line. So
taking an entry out leaves a container that was there before, and takes one that came with the entry.
"""

from __future__ import annotations

import json

from memory.connect import scanner
from memory.connect.refusals import Unreadable
from memory.connect.scanner import Member, Node
from memory.transcripts.conversation import Json

type Path = tuple[str | int, ...]

_WHITE = " \t\r\n"


class Document:
    """The text of a file, or None for one that is not there. All methods raise Unreadable."""

    def __init__(self, text: str | None, *, is_strict: bool) -> None:
        self._is_absent = text is None
        self._text = text or ""
        self._is_strict = is_strict
        self._root = self._scan()

    @property
    def text(self) -> str | None:
        return None if self._is_absent and not self._text else self._text

    def get(self, path: Path) -> Json:
        """Return the value at a path, None where there is none."""
        node = self._at(path)
        return node.value if node else None

    def set(self, path: Path, value: Json) -> None:
        """Put a value at a path of keys, with the objects on the way; a value that is there keeps its place."""
        if self._root is None:
            self._start(_nested(path, value))
        elif node := self._at(path):
            self._splice((node.start, node.end, self._written(value, node.start)))
        else:
            depth = next(length for length in range(len(path) - 1, -1, -1) if self._at(path[:length]))
            self._insert(path[:depth], str(path[depth]), _nested(path[depth + 1 :], value))

    def append(self, path: Path, value: Json) -> None:
        """Put a value at the end of the list at a path; the list is made where there is none."""
        node = self._at(path)
        if node is None:
            self.set(path, [value])
        elif not isinstance(node.value, list):
            raise Unreadable(f"{'.'.join(map(str, path))} is not a list.")
        else:
            self._insert(path, None, value)

    def remove(self, path: Path) -> None:
        """Take out what is at a path, and what came with it and is empty now. Of several, the last one goes first."""
        container = self._at(path[:-1])
        if container is None or container.members is None:
            return
        place = _place(container, path[-1])
        if len(container.members) > 1:
            self._remove_among(container, place)
        else:
            self._remove_only(container, path[:-1])

    def _scan(self) -> Node | None:
        if not self._text.strip(f"\ufeff{_WHITE}"):
            return None
        root = scanner.scan(self._text, is_strict=self._is_strict)
        if not isinstance(root.value, dict):
            raise Unreadable("an object is expected here.", line=1, column=1)
        return root

    def _at(self, path: Path) -> Node | None:
        node = self._root
        for step in path:
            place = _place(node, step) if node else -1
            if node is None or node.members is None or place < 0:
                return None
            node = node.members[place].node
        return node

    def _start(self, value: Json) -> None:
        """Write the first value of a file; one that we make ends with a line's end, by which it is known again."""
        self._text += self._written(value, len(self._text)) + ("\n" if self._is_absent else "")
        self._root = self._scan()

    def _insert(self, path: Path, key: str | None, value: Json) -> None:
        container = self._at(path)
        if container is None or container.members is None or isinstance(container.value, dict) != (key is not None):
            raise Unreadable(f"{'.'.join(map(str, path)) or 'the file'} is not what it should be.")
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        if container.members:
            self._insert_after(container, container.members[-1], name, value)
        else:
            at = container.start + 1
            self._splice((at, at, name + self._written(value, at)))

    def _insert_after(self, container: Node, last: Member, name: str, value: Json) -> None:
        """Add a member behind the last one and its comments; a trailing comma stays the way of the list."""
        end = self._end_of_content(container, last)
        lead = self._lead(last, self._text[last.node.end : end])
        is_trailing = self._text[scanner.skipped(self._text, last.node.end)] == ","
        entry = f"{lead}{name}{self._written(value, last.start)}"
        if is_trailing:
            self._splice((end, end, f"{entry},"))
        elif end == last.node.end:
            self._splice((end, end, f",{entry}"))
        else:
            self._splice((last.node.end, last.node.end, ","), (end, end, entry))

    def _end_of_content(self, container: Node, last: Member) -> int:
        """Return where the white space before the closing bracket begins."""
        inner = self._text[last.node.end : container.end - 1]
        return last.node.end + len(inner.rstrip())

    def _lead(self, last: Member, trailing: str) -> str:
        """Return what comes before a new last member: a line's end and an indent, or one space in a line."""
        white = self._white_before(last.start)
        if "\n" in white:
            return self._newline + white.rpartition("\n")[2]
        return f"{self._newline}{self._indent_at(last.start)}" if "//" in trailing else " "

    def _remove_among(self, container: Node, place: int) -> None:
        members = container.members or ()
        member = members[place]
        entry = (member.start - len(self._white_before(member.start)), member.node.end, "")
        comma = scanner.skipped(self._text, member.node.end)
        if self._text[comma] != ",":  # the last one: the comma before it goes with it
            comma = scanner.skipped(self._text, members[place - 1].node.end)
        self._splice(entry, (comma, comma + 1, ""))

    def _remove_only(self, container: Node, path: Path) -> None:
        member = (container.members or ())[0]
        white = self._white_before(member.start)
        comma = scanner.skipped(self._text, member.node.end)
        end = comma + 1 if self._text[comma] == "," else member.node.end
        inner = self._text[container.start + 1 : member.start] + self._text[end : container.end - 1]
        if not white or inner.strip():
            self._splice((member.start - len(white), end, ""))
        elif path:
            self.remove(path)
        else:
            before, after = self._text[: container.start], self._text[container.end :]
            self._is_absent = not before and after == "\n"
            self._text = "" if self._is_absent else before + after
            self._root = None

    def _splice(self, *pieces: tuple[int, int, str]) -> None:
        """Put texts in the place of others, and read the whole again."""
        for start, end, piece in sorted(pieces, reverse=True):
            self._text = self._text[:start] + piece + self._text[end:]
        self._root = self._scan()

    def _written(self, value: Json, at: int) -> str:
        """Write a value that begins, or whose line begins, where `at` is."""
        text = json.dumps(value, ensure_ascii=False, indent=self._unit)
        return text.replace("\n", self._newline + self._indent_at(at))

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self._text else "\n"

    @property
    def _unit(self) -> str:
        first = self._root.members[0] if self._root and self._root.members else None
        white = self._white_before(first.start) if first else ""
        return white.rpartition("\n")[2] or "  "

    def _white_before(self, at: int) -> str:
        before = self._text[:at]
        return before[len(before.rstrip(_WHITE)) :]

    def _indent_at(self, at: int) -> str:
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]


def _place(node: Node, step: str | int) -> int:
    """Return which member a step names, -1 for none."""
    members = node.members or ()
    if isinstance(step, int):
        return step if isinstance(node.value, list) and step < len(members) else -1
    is_object = isinstance(node.value, dict)
    return next((place for place, member in enumerate(members) if is_object and member.key == step), -1)


def _nested(path: Path, value: Json) -> Json:
    for key in reversed(path):
        value = {str(key): value}
    return value
