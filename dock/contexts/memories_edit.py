"""What the page that edits a memory prints, also when somebody else was faster."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dock.contexts import links
from dock.contexts.choices import Option
from dock.contexts.memories_versions import Difference, Said, difference, said
from dock.forms.memories_edit import WORDS, EditForm, plain
from memory.models import Observation
from memory.models.observation import Scope

USUAL_TYPES = (
    "decision",
    "architecture",
    "bugfix",
    "pattern",
    "config",
    "discovery",
    "learning",
    "preference",
    "policy",
)
"""Types that the form proposes; any other one is fine."""


@dataclass(frozen=True, slots=True)
class EditPage:
    """The form, with what the person typed; `conflict` compares what was saved meanwhile with it."""

    title: str
    form: EditForm
    revision: int
    types: tuple[str, ...]
    scopes: list[Option]
    conflict: Difference | None
    is_cut: bool
    crumbs: list[tuple[str, str]]
    url: str
    back_url: str


def filled(row: Observation) -> EditForm:
    """Return the form as it is opened."""
    return EditForm(initial={name: getattr(row, name) for name in WORDS} | {"revision": row.revision_count})


def page(row: Observation, form: EditForm, *, is_conflict: bool = False) -> EditPage:
    """Build the page. After a conflict the form names the newest revision: whoever saves now has seen it."""
    scope = form["scope"].value()
    typed = form["revision"].value()
    return EditPage(
        title=row.title or f"Memory {row.pk}",
        form=form,
        revision=row.revision_count if is_conflict or not str(typed).isdigit() else int(typed),
        types=USUAL_TYPES,
        scopes=[Option(name, name, name == scope) for name in Scope.values],
        conflict=_conflict(row, form) if is_conflict else None,
        is_cut=row.full_size is not None,
        crumbs=[
            ("Memories", links.to("memory-list", project=row.project.name)),
            (f"#{row.pk}", links.to("memory-detail", row.pk)),
        ],
        url=links.to("memory-edit", row.pk),
        back_url=links.to("memory-detail", row.pk),
    )


def _conflict(row: Observation, form: EditForm) -> Difference:
    saved = replace(said(row), content=plain(row.content))
    typed = Said(**{name: form.cleaned_data[name] for name in WORDS})
    return difference(saved, typed, names=("Saved meanwhile", "Your text, not saved"))
