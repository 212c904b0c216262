"""Skill candidates in the admin: as the files have them; deciding about them is the same act as in the dock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import audit, refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.admin.revisions import RevisionInline
from memory.models import SkillCandidate, SkillRevision
from memory.models.skill_desk import SkillAction
from memory.skills import review
from memory.skills.errors import SkillError

SNOOZE = timedelta(days=7)

_DONE = {
    SkillAction.REQUEST_CHANGES: "sent back",
    SkillAction.REJECT: "rejected",
    SkillAction.SNOOZE: "put off",
    SkillAction.REOPEN: "open again",
}


class SkillRevisionInline(RevisionInline[SkillRevision, SkillCandidate]):
    model = SkillRevision


class ReviewForm(ActionForm):
    """What is chosen above the list, and why."""

    note = forms.CharField(required=False, max_length=4000, label="Note:")


@admin.register(SkillCandidate)
class SkillCandidateAdmin(Untouchable, MemoryAdmin[SkillCandidate]):
    list_display = ("slug", "project", "title", "review", "status", "pending", "occurrences", "revised_at")
    list_select_related = ("project",)
    list_filter = ("review", "status", "pending", "project")
    search_fields = ("slug", "title", "description")
    ordering = ("slug", "pk")
    inlines = (SkillRevisionInline,)
    action_form = ReviewForm
    actions = ("approve", "request_changes", "reject", "snooze", "reopen")

    def ref(self, row: SkillCandidate) -> str:
        return refs.skill(row, row.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SkillCandidate]:
        return super().get_queryset(request).defer("text", "body")

    def has_review_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_skillcandidate")

    @admin.action(description="Approve those whose changes you opened", permissions=["review"])
    def approve(self, request: HttpRequest, rows: QuerySet[SkillCandidate]) -> None:
        actor = audit.person(cast("User", request.user))
        found = review.bulk_approve(pks=dict(rows.values_list("pk", "content_hash")), actor=actor, at=now())
        if found.approved:
            self.message_user(request, f"{_skills(len(found.approved))} approved.")
        for count, why in (
            (len(found.unread), "open the changes in the dock first"),
            (len(found.changed), "the content changed"),
            (len(found.refused), "broken or gone"),
        ):
            if count:
                self.message_user(request, f"{_skills(count)} left as before: {why}.", messages.WARNING)

    @admin.action(description="Request changes (needs a note)", permissions=["review"])
    def request_changes(self, request: HttpRequest, rows: QuerySet[SkillCandidate]) -> None:
        self._decide(request, rows, SkillAction.REQUEST_CHANGES)

    @admin.action(description="Reject (needs a note)", permissions=["review"])
    def reject(self, request: HttpRequest, rows: QuerySet[SkillCandidate]) -> None:
        self._decide(request, rows, SkillAction.REJECT)

    @admin.action(description="Snooze for a week", permissions=["review"])
    def snooze(self, request: HttpRequest, rows: QuerySet[SkillCandidate]) -> None:
        self._decide(request, rows, SkillAction.SNOOZE, until=now() + SNOOZE)

    @admin.action(description="Open again", permissions=["review"])
    def reopen(self, request: HttpRequest, rows: QuerySet[SkillCandidate]) -> None:
        self._decide(request, rows, SkillAction.REOPEN)

    def _decide(
        self,
        request: HttpRequest,
        rows: QuerySet[SkillCandidate],
        action: SkillAction,
        *,
        until: datetime | None = None,
    ) -> None:
        actor, note = audit.person(cast("User", request.user)), request.POST.get("note", "")
        done, refusals = 0, dict[str, int]()
        for pk, content_hash in rows.values_list("pk", "content_hash"):
            try:
                review.decide(
                    skill_pk=pk,
                    action=action,
                    content_hash=content_hash,
                    note=note,
                    until=until,
                    actor=actor,
                    at=now(),
                )
                done += 1
            except SkillError as exc:
                refusals[str(exc)] = refusals.get(str(exc), 0) + 1
        if done:
            self.message_user(request, f"{_skills(done)} {_DONE[action]}.")
        for why, count in refusals.items():
            self.message_user(request, f"{_skills(count)} left as before. {why}", messages.WARNING)


def _skills(count: int) -> str:
    return f"{count} skills are" if count > 1 else "1 skill is"


@admin.register(SkillRevision)
class SkillRevisionAdmin(Untouchable, MemoryAdmin[SkillRevision]):
    list_display = ("skill", "number", "content_hash", "seen_at")
    list_select_related = ("skill__project",)
    search_fields = ("skill__slug", "content_hash")
    ordering = ("-pk",)

    def ref(self, row: SkillRevision) -> str:
        return refs.skill(row.skill, row.skill.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SkillRevision]:
        return super().get_queryset(request).defer("text", "skill__text", "skill__body")
