"""One job from its beginning to its end: every target, then meta.json, then the store's git."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.db import transaction

from memory.descriptors import DiskError
from memory.disk import Tree
from memory.models import SkillCandidate, SkillJob
from memory.models.skill_desk import SkillAction
from memory.projects import sync
from memory.skills import folders, found, gitstore, install, records, store, writing
from memory.skills.errors import SkillError
from memory.skills.found import SKILL
from memory.skills.install import Act
from memory.skills.records import Record
from memory.skills.results import Result


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended; `error` is a sentence, also where it succeeded but git did not."""

    is_success: bool
    error: str = ""
    has_changed: bool = False


def do(job: SkillJob, *, at: datetime) -> Outcome:
    """Do a job, or what is left of one that was interrupted. What is done stands in `job.results` at once."""
    skill = SkillCandidate.objects.select_related("project").filter(project=job.project, slug=job.slug).first()
    if skill is None:
        return Outcome(is_success=False, error="The skill is gone. Nothing was written.")
    act = _prepared(Act(job, skill, at))
    every = [Result.of(row) for row in job.results]
    for place, result in enumerate(every):
        if result.outcome == "waiting":
            every[place] = install.perform(act, result)
            _note(job, every)
    return _concluded(act, every)


def _prepared(act: Act) -> Act:
    """Read what is to be put where, or why nothing can be; what cannot be recorded afterwards is not begun."""
    try:
        _record(act)
        if act.action != SkillAction.INSTALL:
            return act
        with Tree(Path(act.skill.project.memory_dir)) as tree:
            text = tree.read(f"{store.FOLDER}/{act.skill.slug}/{SKILL}", limit=store.LIMIT).data
    except (SkillError, DiskError) as exc:
        return replace(act, refusal=str(exc))
    if store.blob_hash(text) != act.job.decision.content_hash:
        return replace(act, refusal="The text changed after this was asked for.")
    return replace(act, text=text)


def _record(act: Act) -> Record:
    """Read meta.json. Raises CannotWrite for one that could not be written again."""
    with writing.opened_store(act.skill.project) as candidates, folders.inside(candidates, act.skill.slug) as folder:
        return records.load(folders.read(folder, records.NAME, limit=store.LIMIT) or b"")


@transaction.atomic(durable=True)
def _note(job: SkillJob, every: list[Result]) -> None:
    job.results = [result.as_json() for result in every]
    job.save(update_fields=["results"])


def _concluded(act: Act, every: list[Result]) -> Outcome:
    """Bring meta.json to what is true now, and have the project read."""
    done = [result for result in every if result.is_success]
    failed = [f"{result.target}: {result.error}" for result in every if not result.is_success]
    try:
        problem = _recorded(act, done) if done else ""
    except (SkillError, DiskError) as exc:
        done_there = f"The copies are as the targets say, but meta.json could not be brought up to date. {exc}"
        failed.append(done_there.removesuffix(" Nothing was written."))
        problem = ""
    sync.sync(act.skill.project, at=act.at)
    return Outcome(not failed, " ".join([*failed, problem]).strip(), has_changed=bool(done))


def _recorded(act: Act, done: list[Result]) -> str:
    """Write meta.json and commit it; return why git did not, or ""."""
    slug = act.skill.slug
    paths = [result.path for result in done]
    with writing.opened_store(act.skill.project) as candidates, folders.inside(candidates, slug) as folder:
        before = records.load(folders.read(folder, records.NAME, limit=store.LIMIT) or b"")
        text = folders.read(folder, SKILL, limit=store.LIMIT) or b""
        after = _changed(act, before, store.blob_hash(text), paths)
        folders.put(folder, records.NAME, records.dump(after))
        message = f"{act.action}: {slug} -> {len(paths)} path(s)"
        return gitstore.commit(writing.root(act.skill.project), [f"{slug}/{records.NAME}"], message, makes=False)


def _changed(act: Act, record: Record, now_hash: str, paths: list[str]) -> Record:
    if act.action == SkillAction.UNINSTALL:
        return records.uninstalled(record, paths=paths, at=act.at)
    if act.action == SkillAction.INSTALL:
        installed_hash = act.job.decision.content_hash
        return records.installed(record, installed_hash=installed_hash, now_hash=now_hash, paths=paths, at=act.at)
    return records.restored(record, known_hash=_known_hash(act), paths=paths, at=act.at)


def _known_hash(act: Act) -> str:
    """Return the hash of what was put back where it is a text of this skill; "" where a hand had changed it."""
    known = found.known([act.skill])[act.skill.pk]
    rows = act.job.project.replaced_copies.filter(pk__in=[Result.of(row).kept for row in act.job.results])
    hashes = {row.content_hash for row in rows.defer("content")}
    return next(iter(hashes & known), "") if len(hashes) == 1 else ""
