"""A document that waits for approval, as the page of its run and that of the document print it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from dock.contexts import links, revisions
from dock.contexts.revisions import Diff
from memory.models import DocumentProposal
from memory.models.maintenance import ProposalState

DECIDE = "memory.change_documentproposal"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed; `apply_url` and `refuse_url` where it still waits and this person may decide.

    `is_outdated` tells that the document is not what the proposal was made on, as far as MemDock has read it.
    """

    name: str
    state: str
    run_url: str
    run: int
    at: datetime
    diff: Diff
    note: str
    decided_by: str
    decided_at: datetime | None
    is_waiting: bool
    is_outdated: bool
    apply_url: str
    refuse_url: str


def proposal(row: DocumentProposal, before: str, person: User, *, present_hash: str | None = None) -> Proposal:
    """Describe a proposal; `before` is the text that its diff starts from, `present_hash` what is on disk now."""
    is_waiting = row.state == ProposalState.WAITING
    is_outdated = is_waiting and present_hash is not None and present_hash != row.base_hash
    can_decide = is_waiting and person.has_perm(DECIDE)
    return Proposal(
        name=row.name,
        state=row.get_state_display(),
        run_url=links.to("upkeep-run", row.run_id),
        run=row.run_id,
        at=row.created_at,
        diff=revisions.diff(before, row.text, number=1),
        note=row.note,
        decided_by=row.decided_by.get_username() if row.decided_by else "",
        decided_at=row.decided_at,
        is_waiting=is_waiting,
        is_outdated=is_outdated,
        apply_url=links.to("proposal-apply", row.pk) if can_decide and not is_outdated else "",
        refuse_url=links.to("proposal-refuse", row.pk) if can_decide else "",
    )
