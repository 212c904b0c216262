"""Runs of upkeep and proposed documents in the admin; letting one in or keeping it out is the same act as in the dock."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import audit, refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.audit import Actor
from memory.maintenance import proposals
from memory.maintenance.files import CannotUse, Changed
from memory.maintenance.proposals import AlreadyDecided
from memory.models import DocumentProposal, UpkeepRun


@admin.register(UpkeepRun)
class UpkeepRunAdmin(Untouchable, MemoryAdmin[UpkeepRun]):
    list_display = ("task", "project", "platform", "trigger", "state", "action", "is_dry_run", "created_at")
    list_select_related = ("project",)
    list_filter = ("task", "state", "action", "trigger", "platform", "project")
    ordering = ("-pk",)

    def ref(self, row: UpkeepRun) -> str:
        return refs.upkeep(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[UpkeepRun]:
        return super().get_queryset(request).defer("before", "after", "skills")


@admin.register(DocumentProposal)
class DocumentProposalAdmin(Untouchable, MemoryAdmin[DocumentProposal]):
    list_display = ("name", "project", "state", "created_at", "decided_by", "decided_at")
    list_select_related = ("project", "decided_by", "run")
    list_filter = ("state", "name", "project")
    ordering = ("-pk",)
    actions = ("let_in", "keep_out")

    def ref(self, row: DocumentProposal) -> str:
        return refs.upkeep(row.run)

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentProposal]:
        return super().get_queryset(request).defer("text")

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_documentproposal")

    @admin.action(description="Write into the document", permissions=["decide"])
    def let_in(self, request: HttpRequest, rows: QuerySet[DocumentProposal]) -> None:
        self._decide(request, rows, lambda pk, actor: proposals.apply(pk=pk, actor=actor, at=now()))

    @admin.action(description="Refuse", permissions=["decide"])
    def keep_out(self, request: HttpRequest, rows: QuerySet[DocumentProposal]) -> None:
        self._decide(request, rows, lambda pk, actor: proposals.refuse(pk=pk, note="", actor=actor, at=now()))

    def _decide(
        self,
        request: HttpRequest,
        rows: QuerySet[DocumentProposal],
        act: Callable[[int, Actor], DocumentProposal],
    ) -> None:
        actor, done = audit.person(cast("User", request.user)), 0
        for pk in rows.values_list("pk", flat=True):
            try:
                act(pk, actor)
                done += 1
            except (AlreadyDecided, Changed, CannotUse) as exc:
                self.message_user(request, str(exc), messages.WARNING)
        if done:
            self.message_user(request, f"{done} proposal{'s' if done > 1 else ''} decided.")
