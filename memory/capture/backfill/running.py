"""Goes through stores conversation by conversation, and hands finished turns that are new to the outbox."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import timezone

from memory.capture.backfill import captures, conversations, journals, judging, owners, queueing
from memory.capture.backfill.conversations import Outline, Reading
from memory.capture.backfill.journals import Journals
from memory.capture.backfill.judging import REASONS, Known, Rules, Verdict
from memory.capture.backfill.owners import Owner, Owners
from memory.capture.backfill.report import BackfillReport
from memory.capture.backfill.sources import Source
from memory.capture.backfill.stores import registry
from memory.capture.backfill.stores.base import Facts
from memory.descriptors import DiskError
from memory.disk import Tree
from memory.engram import holding
from memory.engram.exchange.report import Note
from memory.transcripts import databases, fields
from memory.transcripts.places import Location, Unavailable

_LONGEST_PATH = 4000

type Progress = Callable[[int, int], None]
"""Is told how many conversations are done, and of how many."""


@dataclass(slots=True)
class _Run:
    """What a backfill remembers from conversation to conversation; `written` and `captured` are unique ids of turns."""

    report: BackfillReport
    at: datetime
    owners: Owners
    written: set[str] = field(default_factory=journals.turns)
    captured: set[str] = field(default_factory=captures.turns)
    journals: dict[str, Journals] = field(default_factory=dict)

    def of(self, owner: Owner) -> Journals:
        """Return the journals of a project, which are read once."""
        key = str(owner.memory_dir or "")
        if key not in self.journals:
            self.journals[key] = journals.read(owner.memory_dir)
            self.written |= self.journals[key].turns
        return self.journals[key]


def run(
    sources: Sequence[Source], report: BackfillReport, *, at: datetime, progress: Progress = lambda *_: None
) -> None:
    """Queue every finished turn that is new and fits the report's filters; a dry run only reports.

    The same again finds that all is known. What cannot be read is a problem of the report, and stops nothing else.
    """
    current = _Run(report, at, Owners(report.filters.project))
    meant = [source for source in sources if report.filters.platform in {"", source.platform}]
    sizes = [source.size() for source in meant]
    total, done = sum(sizes), 0
    for source, size in zip(meant, sizes, strict=True):
        with databases.copied_once(), _noted(str(source.root), report), Tree(source.root) as tree:
            found = _listed(source, tree, report)
            total += len(found) - size
            for location in found:
                with _noted(location.path, report):
                    _conversation(tree, location, current)
                done += 1
                progress(done, total)


def _listed(source: Source, tree: Tree, report: BackfillReport) -> list[Location]:
    """Return the conversations of a source; those that cannot be had do not hide the others."""
    found: list[Location] = []
    with _noted(str(source.root), report):
        for location in source.conversations(tree):
            found.append(location)  # noqa: PERF402 - what came before an exception is kept
    return found


@contextmanager
def _noted(name: str, report: BackfillReport) -> Iterator[None]:
    try:
        yield
    except (DiskError, Unavailable) as exc:
        report.tally.problems.append(Note(name, str(exc)))


def _conversation(tree: Tree, location: Location, current: _Run) -> None:
    facts = _clean(registry.of(location.platform).facts(tree, location), tree, location)
    owner = current.owners.of(facts.cwd)
    if owner is None or current.report.filters.session not in {"", facts.session} or owners.is_ours(facts.cwd):
        return
    with conversations.opened(tree, location, facts) as reading:
        rules = judging.rules(facts, owner, zone=timezone.get_current_timezone(), at=current.at)
        known = _known(reading, owner, current)
        found = judging.judged(reading.outlines(known.has), known, rules)
        name = f"{location.platform} {facts.session}"
        current.report.tally.problems += [Note(name, sentence) for sentence in reading.tally.sentences()]
        if wanted := [(one, verdict) for one, verdict in found if _fits(one, facts, current)]:
            _take(wanted, name, reading, rules, current)


def _clean(facts: Facts, tree: Tree, location: Location) -> Facts:
    """Make storable what anybody may have written; a conversation without a time began when its file was written."""
    written = fields.moment(tree.stat(location.path).modified_ns / 1e6)
    return replace(
        facts,
        session=_storable(facts.session),
        cwd=_storable(facts.cwd)[:_LONGEST_PATH],
        parent=_storable(facts.parent),
        started=conversations.plausible(facts.started) or conversations.plausible(written),
    )


def _storable(text: str) -> str:
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")


def _known(reading: Reading, owner: Owner, current: _Run) -> Known:
    facts, pages = reading.facts, reading.location.pages
    entries = current.of(owner).of(facts.session, pages)
    others = journals.elsewhere(facts.session, project=owner.name)
    here = captures.of(facts.session, parent=facts.parent, paths=[str(reading.location.root / page) for page in pages])
    return Known([*entries, *others], here, written=current.written, captured=current.captured)


def _fits(one: Outline, facts: Facts, current: _Run) -> bool:
    when = conversations.ended(one, facts)
    return when is None or current.report.filters.has(when)


def _take(found: list[tuple[Outline, Verdict]], name: str, reading: Reading, rules: Rules, current: _Run) -> None:
    """Hand over what is new, and count all."""
    report, owner = current.report, rules.owner
    row = report.row(owner.name, owner.directory)
    row.sessions += 1
    is_known = holding.registered(reading.facts.session) is not None
    new = [one for one, verdict in found if verdict == Verdict.NEW]
    queued = queueing.queue(new, reading, rules, dry_run=report.dry_run)
    row.tokens += queued.tokens
    row.taken_in += sum(verdict == Verdict.NEW for verdict in queued.verdicts.values()) if owner.is_chosen else 0
    current.captured |= {one.ident for one in new if len(one.ident) >= journals.UNIQUE}
    verdicts = [(one, queued.verdicts.get(one.sketch.number, verdict)) for one, verdict in found]
    for one, verdict in verdicts:
        row.count(verdict, conversations.ended(one, reading.facts) or current.at)
    reasons = Counter(REASONS.get(verdict, owner.why) for _, verdict in verdicts if verdict not in judging.TAKEN)
    for reason, count in reasons.items():
        report.tally.skipped.append(Note(name, reason if count == 1 else f"{count:,} turns: {reason}"))
    outcomes = {verdict for _, verdict in verdicts}
    if outcomes & judging.TAKEN:
        report.tally.count("sessions", "same" if Verdict.NEW not in outcomes else "updated" if is_known else "new")
