"""Which prompts a person took back: a rewind leaves the abandoned turns in the file, and adds a sibling."""

from __future__ import annotations

from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject
from memory.transcripts.drafts import Sketch


class Branches:
    """Follows parents only as far as from a prompt to the last answer before it.

    The chain of parents is often broken, so order in the file decides everything else: of two prompts on the same
    answer the later one counts, and whatever stands between the two belongs to the abandoned branch.
    """

    def __init__(self) -> None:
        self._through: dict[str, str] = {}
        self._prompts: dict[str, Sketch] = {}

    def pass_through(self, line: JsonObject) -> None:
        """Note a line that may stand between an answer and the next prompt: hooks' output and the like."""
        ident, parent = fields.text(line.get("uuid")), fields.text(line.get("parentUuid"))
        if ident and parent:
            self._through[ident] = self._through.get(parent, parent)

    def prompt(self, line: JsonObject, sketch: Sketch, sketches: list[Sketch]) -> None:
        """Note a prompt, and give up what was said since an earlier one in its place."""
        parent = fields.text(line.get("parentUuid"))
        if not parent:
            return
        base = self._through.get(parent, parent)
        if earlier := self._prompts.get(base):
            for abandoned in sketches[earlier.number - 1 : sketch.number - 1]:
                abandoned.is_active = False
        self._prompts[base] = sketch
