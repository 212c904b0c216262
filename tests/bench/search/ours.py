"""MemDock in its own process: `build`, then `ask`."""

from __future__ import annotations

import django
from django.core.management import call_command
from django.utils import timezone

from tests.bench.search.job import Job, Numbers, asked, main, timed


def build(job: Job) -> Numbers:
    """Read the tree, then make the index of its rows, then the vectors."""
    call_command("migrate", verbosity=0)
    from memory.audit import COMMAND
    from memory.projects import actions, sync
    from memory.search import index, meaning

    project, _ = actions.add(path=str(job.tree), actor=COMMAND, at=timezone.now())
    read = timed(lambda: sync.sync(project, at=timezone.now()))
    words = timed(index.follow)

    def understand() -> None:
        while meaning.fill():
            pass

    return {"read": read, "words": words, "vectors": timed(understand)}


def ask(job: Job) -> Numbers:
    """Ask all questions, then find an entry that is appended."""
    from memory.models import Project
    from memory.projects import sync
    from memory.search import meaning
    from memory.search.query import search

    meaning.warm()
    embedder = meaning.embedder()
    assert embedder
    vector = asked(job.questions(), lambda question: embedder.embed([question]))["p50"]
    numbers = asked(job.questions(), lambda question: search(question, limit=10)) | {"vector": vector}
    project = Project.objects.get()

    def find(word: str) -> None:
        sync.sync(project, at=timezone.now())
        assert search(word, limit=10).items, word

    word = job.append()
    return numbers | {"appended": timed(lambda: find(word))}


if __name__ == "__main__":
    django.setup()
    main(build=build, ask=ask)
