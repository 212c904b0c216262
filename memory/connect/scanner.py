"""JSON and JSON with comments, read with the place of each value, so that it can be edited as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.connect.refusals import Unreadable
from memory.transcripts.conversation import Json

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Node:
    """A value at `text[start:end]`; `members` are those of an object or a list, None for anything else."""

    start: int
    end: int
    value: Json
    members: tuple[Member, ...] | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object, or an item of a list (`key` is empty); `start` is where its key or value begins."""

    key: str
    start: int
    node: Node


def scan(text: str, *, is_strict: bool) -> Node:
    """Read a document that may start with a byte order mark. Strict: no comments, no trailing commas.

    Raises Unreadable with line and column, also for a key that stands twice in one object: which one counts?
    """
    return _Scanner(text, is_strict=is_strict).document()


def skipped(text: str, position: int) -> int:
    """Return the position after white space and comments."""
    while True:
        position = _end(_SPACE, text, position)
        comment = _COMMENT.match(text, position)
        if comment is None:
            return position
        position = comment.end()


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


class _Scanner:
    def __init__(self, text: str, *, is_strict: bool) -> None:
        self._text = text
        self._is_strict = is_strict

    def document(self) -> Node:
        start = self._skip(1 if self._text.startswith("\ufeff") else 0)
        node = self._value(start, 0)
        if (rest := self._skip(node.end)) != len(self._text):
            raise self._unreadable(rest, "there is more than one value")
        return node

    def _value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self._unreadable(at, "this is nested too deeply")
        opening = self._text[at : at + 1]
        if opening in {"{", "["}:
            return self._container(at, depth)
        found = (_STRING if opening == '"' else _SCALAR).match(self._text, at)
        if not found:
            raise self._unreadable(at, "a value is expected here")
        return Node(at, found.end(), self._decoded(at, found[0]))

    def _container(self, at: int, depth: int) -> Node:
        is_object = self._text[at] == "{"
        members = tuple(self._members(at + 1, "}" if is_object else "]", depth))
        end = self._skip(members[-1].node.end if members else at + 1)
        end = self._skip(end + 1) if self._text[end] == "," else end
        if is_object:
            self._expect_no_key_twice(members)
            return Node(at, end + 1, {member.key: member.node.value for member in members}, members)
        return Node(at, end + 1, [member.node.value for member in members], members)

    def _members(self, at: int, closing: str, depth: int) -> Iterator[Member]:
        at = self._skip(at)
        while not self._text.startswith(closing, at):
            member = self._member(at, depth) if closing == "}" else Member("", at, self._value(at, depth + 1))
            yield member
            at = self._skip(member.node.end)
            if self._text.startswith(",", at):
                comma, at = at, self._skip(at + 1)
                if self._is_strict and self._text.startswith(closing, at):
                    raise self._unreadable(comma, "there is a trailing comma, which this file may not have")
            elif not self._text.startswith(closing, at):
                raise self._unreadable(at, f"a comma or {closing} is expected here")

    def _member(self, at: int, depth: int) -> Member:
        found = _STRING.match(self._text, at)
        if not found:
            raise self._unreadable(at, "a key in double quotes is expected here")
        colon = self._skip(found.end())
        if not self._text.startswith(":", colon):
            raise self._unreadable(colon, "a colon is expected here")
        return Member(str(self._decoded(at, found[0])), at, self._value(self._skip(colon + 1), depth + 1))

    def _decoded(self, at: int, text: str) -> Json:
        try:
            value: Json = json.loads(text)
        except ValueError as exc:
            raise self._unreadable(at, "this value is not JSON") from exc
        return value

    def _skip(self, at: int) -> int:
        end = skipped(self._text, at)
        if self._is_strict and _end(_SPACE, self._text, at) != end:
            raise self._unreadable(_end(_SPACE, self._text, at), "there is a comment, which this file may not have")
        return end

    def _expect_no_key_twice(self, members: tuple[Member, ...]) -> None:
        seen: set[str] = set()
        for member in members:
            if member.key in seen:
                raise self._unreadable(member.start, f"{json.dumps(member.key)} stands here for the second time")
            seen.add(member.key)

    def _unreadable(self, at: int, why: str) -> Unreadable:
        before = self._text[:at]
        return Unreadable(f"{why}.", line=before.count("\n") + 1, column=at - (before.rfind("\n") + 1) + 1)
