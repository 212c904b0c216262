"""Puts one copy of a skill where agents read it, takes it away, or puts an older one back: whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.db import transaction

from memory.descriptors import DiskError, Missing, Refused
from memory.models import ReplacedCopy, SkillCandidate, SkillJob
from memory.models.skill_desk import SkillAction
from memory.skills import folders, found, store, targets
from memory.skills.errors import CannotWrite, SkillError
from memory.skills.found import SKILL, Found
from memory.skills.results import Done, Result
from memory.skills.targets import Target

_DIFFERS = "There is another text than the one that was let go. Nothing was changed."
_NOTHING = " Nothing was written."
_LARGE = "The file that is there is too large to be kept. Nothing was written."


class _Differs(Exception):
    """There is a file that the person has not let go."""


@dataclass(frozen=True, slots=True)
class Act:
    """What is done at every target of a job; `text` is what an installation puts there.

    With a `refusal`, a sentence, nothing is done any more; it is only looked at what was done before.
    """

    job: SkillJob
    skill: SkillCandidate
    at: datetime
    text: bytes = b""
    refusal: str = ""

    @property
    def action(self) -> SkillAction:
        return SkillAction(self.job.decision.action)


def perform(act: Act, result: Result) -> Result:
    """Do it at one target; the result says what is true afterwards. Doing it twice is harmless."""
    try:
        target = targets.find(act.skill.project, result.target, act.skill)
        if target.copy_path(act.skill.slug) != result.path:
            raise CannotWrite("This target leads to another place by now.")
        return replace(result, outcome=_done(act, target, result))
    except _Differs:
        return replace(result, outcome="differs", error=_DIFFERS)
    except (DiskError, SkillError) as exc:
        return replace(result, outcome="failed", error=f"{str(exc).removesuffix(_NOTHING)}{_NOTHING}")


def _done(act: Act, target: Target, result: Result) -> Done:
    if act.action == SkillAction.UNINSTALL:
        return _refused(act, target, None) if act.refusal else _take(act, target)
    text = _kept(result) if act.action == SkillAction.RESTORE else act.text
    return _refused(act, target, text) if act.refusal else _put(act, target, text)


def _kept(result: Result) -> bytes:
    """Return the copy that is to be put back. Raises CannotWrite."""
    kept = ReplacedCopy.objects.filter(pk=result.kept or 0).first()
    if kept is None:
        raise CannotWrite("The copy that was to be put back is not kept any more.")
    return bytes(kept.content)


def _refused(act: Act, target: Target, text: bytes | None) -> Done:
    """Tell what a job had done here before its worker died, although it cannot go on. Raises CannotWrite."""
    wanted = act.job.decision.content_hash if act.action == SkillAction.INSTALL else Found(text).content_hash
    if target.problem or target.copy_hash != wanted:
        raise CannotWrite(act.refusal)
    return "same" if wanted else "missing"


def _put(act: Act, target: Target, text: bytes) -> Done:
    with _folder(act, target, makes=True) as folder:
        before = _present(folder)
        if before.data == text:
            return "same"
        _keep(act, target, before)
        if _present(folder) != before:
            raise _Differs
        folders.put(folder, SKILL, text)
    return "restored" if act.action == SkillAction.RESTORE else "installed"


def _take(act: Act, target: Target) -> Done:
    try:
        with _folder(act, target) as folder:
            before = _present(folder)
            _keep(act, target, before)
            if _present(folder) != before:
                raise _Differs
            folders.take(folder, SKILL)
    except Missing:
        return "missing"
    return "missing" if before.data is None else "uninstalled"


@contextmanager
def _folder(act: Act, target: Target, *, makes: bool = False) -> Iterator[int]:
    """Hold the folder of the copy; one that is empty afterwards goes."""
    with folders.opened(Path(target.base), target.names(), makes=makes) as parent:
        try:
            with folders.inside(parent, act.skill.slug, makes=makes) as folder:
                yield folder
        finally:
            folders.drop(parent, act.skill.slug)


def _present(folder: int) -> Found:
    data = folders.read(folder, SKILL, limit=found.LARGEST)
    if data is not None and len(data) > found.LARGEST:
        raise Refused(_LARGE)
    return Found(data)


def _keep(act: Act, target: Target, before: Found) -> None:
    """Keep what is there before it goes. Raises _Differs for what is neither kept anyway nor let go by a person."""
    if before.data is None:
        return
    row = act.skill.copies.filter(path=target.copy_path(act.skill.slug)).first()
    is_let_go = act.job.overwrite.get(target.name) == before.content_hash
    is_present = before.content_hash == act.skill.content_hash
    if not (is_let_go or is_present or found.is_kept(before, act.skill, found.known([act.skill])[act.skill.pk], row)):
        raise _Differs
    _store(act, target, before.data)


@transaction.atomic(durable=True)
def _store(act: Act, target: Target, data: bytes) -> None:
    ReplacedCopy.objects.get_or_create(
        project=act.skill.project,
        slug=act.skill.slug,
        job=act.job,
        target=target.name,
        path=target.copy_path(act.skill.slug),
        content_hash=store.blob_hash(data),
        defaults={"content": data, "at": act.at},
    )
