"""The journals that are asked: our own, the sample and a generated tree, read into MemDock's database."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from django.utils import timezone

from memory.audit import COMMAND
from memory.models import Entry
from memory.projects import actions, sync
from memory.search import index, meaning
from tests.bench.recall import questions
from tests.bench.recall.questions import DATA, Question
from tests.makers import make_generated_tree
from tests.places import FIXTURES

_GENERATED = ("--size", "600", "--facts", "80", "--languages", "en,zh,ko,es,ru", "--quirks", "unavailable,raw-bodies")
_ABSENT = ("--size", "300", "--facts", "40", "--languages", "en,zh,ko,es,ru", "--seed", "977")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts by key (`project/YYYY-MM-DD/ordinal`), keys by row, and what is asked about them."""

    texts: dict[str, str]
    keys: dict[int, str]
    questions: list[Question]


def load(directory: Path) -> Corpus:
    """Write the trees below `directory`, read them, fill the search index and make the vectors; the database has to be empty."""
    asked = questions.own()
    for source in sorted(path for path in DATA.iterdir() if path.is_dir()):
        shutil.copytree(source, directory / source.name / ".memsearch" / "memory")
        _read(directory / source.name)
    if FIXTURES.is_dir():
        asked += _generated(directory)
    index.rebuild(at=timezone.now())
    while meaning.fill():
        pass
    return _corpus(asked)


def _generated(directory: Path) -> list[Question]:
    sample, made, other = FIXTURES / "sample" / "harbor-api", directory / "generated", directory / "other"
    make_generated_tree(made, *_GENERATED)
    make_generated_tree(other, *_ABSENT)
    _read(sample)
    _read(made)
    return [
        *questions.planted(sample / "facts.jsonl", sample.name),
        *questions.planted(made / "facts.jsonl", made.name),
        *questions.absent(other / "facts.jsonl", made.name),
    ]


def _read(root: Path) -> None:
    now = timezone.now()
    project, _ = actions.add(path=str(root), name=root.name, actor=COMMAND, at=now)
    sync.sync(project, at=now)


def _corpus(asked: list[Question]) -> Corpus:
    entries = list(Entry.objects.in_file_order().select_related("project"))
    keys = {entry.pk: f"{entry.project.name}/{entry.date}/{entry.ordinal}" for entry in entries}
    texts = {keys[entry.pk]: f"{entry.title}\n{entry.body}" for entry in entries}
    if missing := {key for question in asked for key in question.answers} - set(texts):
        raise LookupError(f"No such entries: {', '.join(sorted(missing))}")
    return Corpus(texts, keys, asked)
