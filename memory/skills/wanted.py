"""Which targets an act on copies is for, and whether it can be done there without asking again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memory.models import ReplacedCopy, SkillCandidate
from memory.models.skill_desk import SkillAction
from memory.skills import targets as every
from memory.skills.errors import BadTarget, CopyDiffers, TargetNotOffered
from memory.skills.results import Result
from memory.skills.targets import Target


def targets(
    skill: SkillCandidate, action: SkillAction, names: Sequence[str], overwrite: Mapping[str, str]
) -> list[Target]:
    """Return the targets; no name stands for all installed copies where they are to be taken away.

    Raises BadTarget, TargetNotOffered, and CopyDiffers for files that the person has not let go.
    """
    offered = {target.name: target for target in every.offered(skill.project, skill)}
    if action == SkillAction.UNINSTALL and not names:
        names = [name for name, target in offered.items() if is_installed(skill, target)]
        if not names:
            raise BadTarget("", "No copy of this skill is installed in a place that is offered.")
    if not names:
        raise BadTarget("", "Choose at least one target.")
    chosen = [_offered(offered, name) for name in names]
    for target in chosen:
        _check(skill, action, target)
    differing = {one.name: one.copy_hash for one in chosen if one.asks and overwrite.get(one.name) != one.copy_hash}
    if differing:
        raise CopyDiffers(differing)
    return chosen


def plan(skill: SkillCandidate, action: SkillAction, chosen: Iterable[Target]) -> list[dict[str, object]]:
    """Return the results of a job before it began: what is to be done at each target."""
    return [
        Result(target.name, target.copy_path(skill.slug), kept=_kept(skill, action, target)).as_json()
        for target in chosen
    ]


def is_installed(skill: SkillCandidate, target: Target) -> bool:
    return target.copy_path(skill.slug) in skill.installed_paths


def latest(skill: SkillCandidate, target: Target) -> ReplacedCopy | None:
    """Return the newest kept copy of a target that is not what is there now. One query."""
    kept = ReplacedCopy.objects.filter(project=skill.project, slug=skill.slug, path=target.copy_path(skill.slug))
    return kept.exclude(content_hash=target.copy_hash).defer("content").order_by("-pk").first()


def _kept(skill: SkillCandidate, action: SkillAction, target: Target) -> int | None:
    """Choose what is put back now: a job that is taken up again after a crash must not choose another one."""
    found = latest(skill, target) if action == SkillAction.RESTORE else None
    return found.pk if found else None


def _offered(offered: Mapping[str, Target], name: str) -> Target:
    if name not in offered:
        raise TargetNotOffered(name)
    return offered[name]


def _check(skill: SkillCandidate, action: SkillAction, target: Target) -> None:
    if target.problem:
        raise BadTarget(target.name, f"{target.name} cannot be used. {target.problem} Nothing was written.")
    if action == SkillAction.UNINSTALL and not is_installed(skill, target):
        raise BadTarget(target.name, f"No copy of this skill is installed in {target.name}.")
    if action == SkillAction.RESTORE and latest(skill, target) is None:
        raise BadTarget(target.name, f"No earlier copy of {target.name} is kept that could be put back.")
