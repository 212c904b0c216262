"""An edit of an observation: which fields, and what the observation says after it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from memory.engram import drafts, naming
from memory.engram.drafts import Draft
from memory.engram.errors import Invalid
from memory.engram.text import Cut, cut, normalized_hash
from memory.models import Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What to change; None is not given. `find` and `replace` change every literal occurrence in the content."""

    type: str | None = None
    title: str | None = None
    content: str | None = None
    find: str | None = None
    replace: str | None = None
    project: str | None = None
    scope: str | None = None
    topic_key: str | None = None

    def check(self) -> None:
        """Raise Invalid for an edit that changes nothing or contradicts itself."""
        if all(getattr(self, field.name) is None for field in fields(self)):
            raise Invalid("at least one field is required")
        if (self.find is None) != (self.replace is None) or self.find == "":
            raise Invalid("find and replace must be provided together")
        if self.find is not None and self.content is not None:
            raise Invalid("find and replace cannot be combined with content")


def edited(row: Observation, edit: Edit) -> Draft:
    """Return what an observation says after the edit; a text that is not found changes nothing. Raises Invalid."""
    content = _content(row, edit)
    return Draft(
        type=row.type if edit.type is None else drafts.type_name(edit.type),
        title=row.title if edit.title is None else drafts.required("title", edit.title),
        content=content.text,
        full_size=content.full_size,
        scope=row.scope if edit.scope is None else naming.scope(edit.scope),
        topic_key=row.topic_key if edit.topic_key is None else drafts.topic(edit.topic_key),
        normalized_hash=normalized_hash(content.text),
    )


def _content(row: Observation, edit: Edit) -> Cut:
    if edit.content is not None:
        return cut(drafts.required("content", edit.content))
    if edit.find is None or edit.replace is None or edit.find not in row.content:
        return Cut(row.content, row.full_size)
    made = cut(drafts.required("content", row.content.replace(edit.find, edit.replace)))
    if made.full_size is not None:
        raise Invalid("content exceeds the maximum length after find and replace")
    return made
