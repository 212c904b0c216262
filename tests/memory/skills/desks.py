"""A project with skill candidates, whose copies go into folders of this test only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from memory.audit import COMMAND, Actor
from memory.models import Project, ReplacedCopy, SkillCandidate, SkillCopy, SkillDecision, SkillJob, SkillReading
from memory.projects import sync
from memory.skills import jobs, review, writing
from memory.skills.writing import Written
from tests.makers import make_project, make_tree

CLAUDE, AGENTS, HOME = ".claude/skills", ".agents/skills", "~/.agents/skills"
BODY = "# Import tide tables\n\n1. Ask for the port.\n2. Run `harborctl tides import`."


@dataclass(frozen=True, slots=True)
class Desk:
    """One project, its candidates on disk, and what a person does with them."""

    project: Project
    home: Path

    @property
    def root(self) -> Path:
        return Path(self.project.root)

    @property
    def store(self) -> Path:
        return self.root / ".memsearch" / "skill-candidates"

    def propose(self, name: str = "tide", body: str = BODY, **over: Any) -> Written:
        facts: dict[str, Any] = {"description": "Import tide tables", "at": timezone.now()}
        return writing.write(self.project, name=name, body=body, **facts | over)

    def skill(self, slug: str = "tide") -> SkillCandidate:
        return SkillCandidate.objects.select_related("project").get(project=self.project, slug=slug)

    def decide(
        self,
        action: str,
        slug: str = "tide",
        *,
        targets: Iterable[str] = (),
        actor: Actor = COMMAND,
        at: datetime | None = None,
        **over: Any,
    ) -> SkillDecision:
        """Decide about the content that the candidate has now."""
        skill = self.skill(slug)
        facts: dict[str, Any] = {"content_hash": skill.content_hash}
        return review.decide(
            skill_pk=skill.pk,
            action=action,
            targets=tuple(targets),
            actor=actor,
            at=at or timezone.now(),
            **facts | over,
        )

    def act(self, action: str, *targets: str, slug: str = "tide", **over: Any) -> SkillJob:
        """Ask for work on copies, and have it done."""
        job = self.decide(action, slug, targets=targets, **over).job
        jobs.run_due(at=timezone.now())
        job.refresh_from_db()
        return job

    def install(self, *targets: str, **over: Any) -> SkillJob:
        return self.act("install", *(targets or (CLAUDE,)), **over)

    def copy(self, target: str = CLAUDE, slug: str = "tide") -> Path:
        base = self.home / target[2:] if target.startswith("~/") else self.root / target
        return base / slug / "SKILL.md"

    def text(self, slug: str = "tide") -> bytes:
        return (self.store / slug / "SKILL.md").read_bytes()

    def meta(self, slug: str = "tide") -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.store / slug / "meta.json").read_text())
        return found

    def sync(self) -> None:
        sync.sync(self.project, at=timezone.now())


def make_desk(root: Path, home: Path) -> Desk:
    home.mkdir(exist_ok=True)
    return Desk(make_project(make_tree(root)), home)


def outcomes(job: SkillJob) -> list[str]:
    return [result["outcome"] for result in job.results]


def make_decided(project: Project, person: User) -> SkillDecision:
    """Make a row of each kind that a decision leaves, without a disk to install on."""
    now = timezone.now()
    skill = project.skills.order_by("pk")[0]
    decision = SkillDecision.objects.create(
        project=project, slug=skill.slug, skill=skill, action="install", actor=person, actor_label="mira"
    )
    job = SkillJob.objects.create(project=project, slug=skill.slug, skill=skill, decision=decision)
    SkillReading.objects.create(skill=skill, person=person, content_hash=skill.content_hash, at=now)
    SkillCopy.objects.get_or_create(
        skill=skill,
        path_hash="0" * 64,
        defaults={"target": CLAUDE, "path": "/x", "state": "missing", "checked_at": now},
    )
    ReplacedCopy.objects.create(project=project, slug=skill.slug, job=job, target=CLAUDE, path="/x", content=b"# Old")
    return decision
