"""What a connection is made of: parts of files, links and commands, each of which can be looked at, done and undone."""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from memory.connect import files
from memory.connect.files import Changed
from memory.connect.refusals import CannotConnect, Unreadable

type State = Literal["created", "changed", "removed", "unchanged"]

_ATTEMPTS = 5
_COMMAND_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step changes, or would change: `diff` is unified, `backup` the path of the former file."""

    target: str
    state: State
    diff: str = ""
    backup: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """How ours gets into a text, and out of it: None stands for no file. Both raise Unreadable, and change no more."""

    put: Callable[[str | None], str | None]
    take: Callable[[str | None], str | None]


class Step(Protocol):
    """One thing of a connection."""

    def look(self, *, is_removal: bool) -> Outcome:
        """Tell what would change. Raises CannotConnect."""
        ...

    def do(self, *, is_removal: bool, at: datetime) -> Outcome:
        """Change it. Once it is done, doing it again changes nothing. Raises CannotConnect."""
        ...


@dataclass(frozen=True, slots=True)
class Edit:
    """Our part of a file; with `is_own_folder` an empty folder goes with it."""

    path: Path
    part: Part
    is_own_folder: bool = False

    def look(self, *, is_removal: bool) -> Outcome:
        original = files.read(self.path)
        after = self._after(original, is_removal=is_removal)
        return self._outcome(original.text, after)

    def do(self, *, is_removal: bool, at: datetime) -> Outcome:
        for _ in range(_ATTEMPTS):
            original = files.read(self.path)
            after = self._after(original, is_removal=is_removal)
            outcome = self._outcome(original.text, after)
            if outcome.state == "unchanged":
                return outcome
            try:
                backup = files.replace(original, after, with_backup=self._is_of_others(original), at=at)
            except Changed:
                continue
            if after is None and self.is_own_folder and not any(self.path.parent.iterdir()):
                self.path.parent.rmdir()
            return replace(outcome, backup=str(backup) if backup else "")
        raise CannotConnect(f"{self.path}: another program keeps changing it; try again.")

    def _after(self, original: files.Original, *, is_removal: bool) -> str | None:
        try:
            return (self.part.take if is_removal else self.part.put)(original.text)
        except Unreadable as exc:
            raise CannotConnect(f"{self.path}: {exc} It is left as it is.") from exc

    def _is_of_others(self, original: files.Original) -> bool:
        """Tell whether there is anything in the file that we would not write again."""
        return original.data is not None and original.text != self.part.put(None)

    def _outcome(self, before: str | None, after: str | None) -> Outcome:
        if before == after:
            return Outcome(str(self.path), "unchanged")
        state: State = "created" if before is None else "removed" if after is None else "changed"
        return Outcome(str(self.path), state, diff=_diff(str(self.path), before or "", after or ""))


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a folder of ours. What is there and is no link stays: another tool put it there."""

    path: Path
    folder: Path

    def look(self, *, is_removal: bool) -> Outcome:
        is_there = os.path.lexists(self.path)
        if is_there and not self.path.is_symlink():
            return Outcome(str(self.path), "unchanged")
        if is_removal:
            return Outcome(str(self.path), "removed" if is_there else "unchanged")
        if is_there and self.path.readlink() == self.folder:
            return Outcome(str(self.path), "unchanged")
        return Outcome(str(self.path), "changed" if is_there else "created", diff=f"{self.path} -> {self.folder}\n")

    def do(self, *, is_removal: bool, at: datetime) -> Outcome:
        outcome = self.look(is_removal=is_removal)
        try:
            if outcome.state != "unchanged":
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.unlink(missing_ok=True)
            if outcome.state in {"created", "changed"}:
                self.path.symlink_to(self.folder, target_is_directory=True)
        except OSError as exc:
            raise CannotConnect(f"{self.path}: the link cannot be made ({exc.strerror}).") from exc
        return outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the agent that changes its configuration; `is_done` tells whether that is so already."""

    put: tuple[str, ...]
    take: tuple[str, ...]
    is_done: Callable[[], bool]

    def look(self, *, is_removal: bool) -> Outcome:
        command = self.take if is_removal else self.put
        state: State = "unchanged" if self.is_done() is not is_removal else "changed"
        return Outcome(" ".join(command[:3]), state, command=command)

    def do(self, *, is_removal: bool, at: datetime) -> Outcome:
        outcome = self.look(is_removal=is_removal)
        if outcome.state != "unchanged":
            run(outcome.command)
        return outcome


def run(command: tuple[str, ...]) -> None:
    """Run an agent's command. Raises CannotConnect with the first line of what it complained about."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and our own paths
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_COMMAND_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise CannotConnect(f"`{' '.join(command[:3])}` cannot be run: {exc}.") from exc
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise CannotConnect(f"`{' '.join(command[:3])}` failed: {said[0] if said else f'exit {done.returncode}'}")


def _diff(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
