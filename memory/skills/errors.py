"""What can be wrong with a decision on a skill; each message is a sentence for people."""

from __future__ import annotations

from collections.abc import Mapping


class SkillError(Exception):
    """A decision or an act that is not possible; nothing was changed."""


class ContentChanged(SkillError):
    """The candidate is not what the person saw; `now_hash` is what is on disk now, empty when it cannot be read."""

    def __init__(self, now_hash: str) -> None:
        super().__init__("This skill changed since you opened it. Nothing was decided.")
        self.now_hash = now_hash


class NoSuchSkill(SkillError):
    """There is no such candidate any more."""

    def __init__(self) -> None:
        super().__init__("There is no such skill.")


class NoteNeeded(SkillError):
    """Whoever rejects or asks for changes has to say why."""

    def __init__(self) -> None:
        super().__init__("Say why: a note is needed to reject or to ask for changes.")


class TimeNeeded(SkillError):
    """A snoozed candidate needs the time at which it comes back."""

    def __init__(self) -> None:
        super().__init__("Say until when: a time in the future is needed to snooze.")


class NotPossible(SkillError):
    """The candidate is in a state in which this cannot be done."""


class BadTarget(SkillError):
    """A target that cannot be used for this; `name` says which, empty where none was named."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class TargetNotOffered(BadTarget):
    """A place that is none of the targets of this project."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "This place is not offered as a target.")


class CopyDiffers(SkillError):
    """A file is in the way that would be lost from view; `targets` is {name of target: hash of that file}.

    Whoever has seen the file repeats the act with these hashes as `overwrite`.
    """

    def __init__(self, targets: Mapping[str, str]) -> None:
        names = ", ".join(targets)
        super().__init__(f"There is another text in {names}. Nothing was written.")
        self.targets = dict(targets)


class CannotWrite(SkillError):
    """The disk refuses; nothing was written, and what was there is as it was."""


class InvalidText(SkillError):
    """A text that cannot be a SKILL.md; `field` says which input is at fault."""

    def __init__(self, message: str, *, field: str = "text") -> None:
        super().__init__(message)
        self.field = field
