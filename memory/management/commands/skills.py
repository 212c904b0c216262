"""`memdock skills`: the review of skill candidates from a terminal."""

from __future__ import annotations

import sys
import time
from datetime import date, datetime, timedelta
from datetime import time as clock
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.api.v1.schemas.skills import Job, Skill
from memory.audit import COMMAND
from memory.management.base import MemdockCommand, add_json
from memory.models import Project, SkillCandidate, SkillDecision, SkillJob
from memory.models.skill_desk import JobState, SkillAction
from memory.projects import queries as projects
from memory.projects import sync
from memory.skills import jobs, queries, review, writing
from memory.skills.errors import CopyDiffers, SkillError
from memory.texts import hidden

PATIENCE = 60.0
"""Seconds to wait for a job that MemDock's worker has taken."""

_LARGEST = 1024 * 1024


class _Deed(NamedTuple):
    """An action of the command line: what it is for reviewers, what it says of itself, what it takes."""

    action: SkillAction
    help: str
    takes: tuple[str, ...] = ()


_DEEDS = {
    "approve": _Deed(SkillAction.APPROVE, "let a skill in"),
    "reject": _Deed(SkillAction.REJECT, "turn a text down for good", ("note",)),
    "request-changes": _Deed(SkillAction.REQUEST_CHANGES, "send a text back", ("note",)),
    "snooze": _Deed(SkillAction.SNOOZE, "put a skill off", ("until",)),
    "reopen": _Deed(SkillAction.REOPEN, "take a decision back"),
    "ask": _Deed(SkillAction.QUEUE_REVIEW, "ask the agent of the project to review a skill"),
    "install": _Deed(SkillAction.INSTALL, "put copies where agents read them", ("target", "overwrite")),
    "uninstall": _Deed(SkillAction.UNINSTALL, "take copies away", ("target", "overwrite")),
    "restore": _Deed(SkillAction.RESTORE, "put back the copy that was replaced last", ("target", "overwrite")),
}


class Command(MemdockCommand):
    help = "review skill candidates, install and uninstall them"
    expected = (SkillError,)

    def add_arguments(self, parser: CommandParser) -> None:
        names = ("list", "show", *_DEEDS, "propose")
        actions = parser.add_subparsers(dest="deed", required=True, metavar="|".join(names))
        listing = actions.add_parser("list", help="list skill candidates")
        listing.add_argument("--state", choices=[*queries.Counts.__annotations__], default="all", help="only this list")
        show = actions.add_parser("show", help="print one candidate")
        parts = [listing, show, *(_deed_parser(actions, name, deed) for name, deed in _DEEDS.items())]
        show.add_argument("name", help="the skill")
        propose = actions.add_parser("propose", help="write a candidate, or another text of one")
        propose.add_argument("name", help="what the skill is called")
        propose.add_argument("--description", required=True, help="when an agent should use it")
        propose.add_argument("--body-file", required=True, help="the text; - reads it from the standard input")
        for part in (*parts, propose):
            part.add_argument("--project", default="", help="the project; without it, the one of this directory")
            add_json(part)

    def handle(self, *, deed: str, project: str, as_json: bool, **options: Any) -> None:
        owner = _project(project)
        review.wake(at=timezone.now())
        sync.sync(owner, at=timezone.now())
        match deed:
            case "list":
                self._list(owner, options["state"], as_json=as_json)
            case "show":
                self._show(owner, _skill(owner, options["name"]), as_json=as_json)
            case "propose":
                self._propose(owner, as_json=as_json, **options)
            case _:
                self._decide(owner, _DEEDS[deed], as_json=as_json, **options)

    def _list(self, project: Project, state: queries.State, *, as_json: bool) -> None:
        rows = list(queries.inbox(project, state).defer("text"))
        lines = [_line(row) for row in rows] or ["There are no skills here."]
        self.report(_facts(project, rows) if as_json else None, lines, as_json=as_json)

    def _show(self, project: Project, skill: SkillCandidate, *, as_json: bool) -> None:
        facts = _facts(project, [skill])[0]
        lines = [
            _line(skill),
            f"content {skill.content_hash}",
            *(f"problem: {problem}" for problem in skill.problems),
            *(f"{target['name']}: {target['note']}" for target in facts["targets"]),
            "",
            hidden.visible(skill.text),
        ]
        self.report(facts, lines, as_json=as_json)

    def _propose(self, project: Project, *, name: str, as_json: bool, **options: Any) -> None:
        body = _body(options["body_file"])
        written = writing.write(
            project, name=name, description=options["description"], body=body, actor=COMMAND, at=timezone.now()
        )
        for problem in written.problems:
            self.say(problem)
        facts = {"slug": written.slug, "outcome": written.outcome, "content_hash": written.content_hash}
        self.report(
            facts | {"problems": list(written.problems)}, [f"{written.slug}: {written.outcome}"], as_json=as_json
        )

    def _decide(self, project: Project, deed: _Deed, *, name: str, as_json: bool, **options: Any) -> None:
        skill = _skill(project, name)
        decision = _decided(skill, deed, **options)
        if deed.action in review.ON_COPIES:
            self._do(decision.job, as_json=as_json)
            return
        if deed.action == SkillAction.QUEUE_REVIEW:
            self.say(review.delivery(decision))
        row = _skill(project, skill.slug)
        self.report(_facts(project, [row])[0], [_line(row)], as_json=as_json)

    def _do(self, job: SkillJob, *, as_json: bool) -> None:
        """Do a job here, or wait for the worker that has it; say what became of it."""
        until = time.monotonic() + PATIENCE
        while job.state in {JobState.QUEUED, JobState.RUNNING}:
            jobs.run_due(at=timezone.now())
            job.refresh_from_db()
            if time.monotonic() > until:
                raise CommandError("The job is queued, but nothing has done it yet.")
            if job.state in {JobState.QUEUED, JobState.RUNNING}:
                time.sleep(0.1)
        lines = [f"{one['target']}: {one['outcome']} ({one['path']})" for one in job.results]
        self.report(Job.of(job).model_dump(mode="json"), lines, as_json=as_json)
        if job.state == JobState.FAILED:
            raise CommandError(job.error)
        if job.error:
            self.say(job.error)


def _decided(skill: SkillCandidate, deed: _Deed, **options: Any) -> SkillDecision:
    try:
        return review.decide(
            skill_pk=skill.pk,
            action=deed.action,
            content_hash=options["content_hash"] or skill.content_hash,
            note=options.get("note") or "",
            until=_until(options["until"]) if options.get("until") else None,
            targets=options.get("targets") or (),
            overwrite=_pairs(options.get("overwrite") or ()),
            actor=COMMAND,
            at=timezone.now(),
        )
    except CopyDiffers as exc:
        repeat = " ".join(f"--overwrite '{target}={content_hash}'" for target, content_hash in exc.targets.items())
        raise CommandError(f"{exc} Look at it first; to let it go, repeat this with {repeat}.") from exc


def _deed_parser(actions: Any, name: str, deed: _Deed) -> CommandParser:
    parser: CommandParser = actions.add_parser(name, help=deed.help)
    parser.add_argument("name", help="the skill")
    parser.add_argument("--hash", dest="content_hash", default="", help="the content that you read; none but this one")
    parser.add_argument("--note", default="", required="note" in deed.takes, help="why")
    if "until" in deed.takes:
        parser.add_argument("--until", required=True, help="a day, a time (ISO 8601) or a number of days as in 7d")
    if "target" in deed.takes:
        is_needed = deed.action != SkillAction.UNINSTALL
        parser.add_argument("--target", dest="targets", action="append", required=is_needed, help="where; repeatable")
        parser.add_argument("--overwrite", action="append", help="TARGET=HASH of a copy that is let go; repeatable")
    return parser


def _project(name: str) -> Project:
    if name:
        found = projects.find(name)
        if found is None or not found.memory_dir:
            raise CommandError(f"There is no project {name} with a directory.")
        return found
    rows = list(Project.objects.exclude(memory_dir=""))
    here = [row for row in rows if row.root and Path.cwd().is_relative_to(row.root)]
    if here:
        return max(here, key=lambda row: len(row.root))
    if len(rows) == 1:
        return rows[0]
    raise CommandError("This directory belongs to no project; name one with --project.")


def _skill(project: Project, name: str) -> SkillCandidate:
    found = queries.find(project, name)
    if found is None:
        raise CommandError(f"{project.name} has no skill {name}.")
    return found


def _until(text: str) -> datetime:
    """Read a day, a moment or a number of days; what has no zone is local."""
    try:
        if text.endswith("d") and text[:-1].isdigit() and len(text) < 6:
            return timezone.now() + timedelta(days=int(text[:-1]))
        if len(text) == len("2026-01-15"):
            return timezone.make_aware(datetime.combine(date.fromisoformat(text), clock()))
        found = datetime.fromisoformat(text)
        return found if timezone.is_aware(found) else timezone.make_aware(found)
    except (ValueError, OverflowError) as exc:
        raise CommandError(f"{text} is no time: write a day (2026-01-15), a time, or days (7d).") from exc


def _pairs(texts: list[str] | tuple[()]) -> dict[str, str]:
    """Split TARGET=HASH; a target may hold the sign, a hash cannot."""
    return {target: content_hash for target, _, content_hash in (text.rpartition("=") for text in texts)}


def _body(name: str) -> str:
    try:
        if name == "-":
            return sys.stdin.read(_LARGEST)
        with Path(name).open(encoding="utf-8") as file:
            return file.read(_LARGEST)
    except (OSError, UnicodeDecodeError) as exc:
        raise CommandError(f"{name} cannot be read: {exc}") from exc


def _facts(project: Project, rows: list[SkillCandidate]) -> list[dict[str, Any]]:
    return [skill.model_dump(mode="json") for skill in Skill.many(project, rows)]


def _line(row: SkillCandidate) -> str:
    states = [row.review.replace("_", " "), row.status, *([f"{row.pending} to install"] if row.pending else [])]
    return (
        f"{hidden.visible(row.slug)}  [{', '.join(states)}]  {hidden.visible(' '.join(row.description.split())[:120])}"
    )
