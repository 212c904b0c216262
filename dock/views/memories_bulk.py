"""What a person does to many memories at once: one form on the list, one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from dock import access, toasts
from dock.contexts import links, memories_chosen, memories_merge
from dock.contexts.memories import CHANGE, DELETE
from dock.contexts.memories_chosen import TooMany
from dock.forms.memories import MemoryFilter, Selection, selection
from dock.forms.memories_edit import MergeForm, PurgeForm
from dock.http import DockRequest, render_page
from dock.views.memories_acts import offer_restore
from memory import audit
from memory.engram import curation
from memory.engram.errors import EngramError, Invalid

_MERGE, _PURGE = "dock/memories/merge.html", "dock/memories/purge.html"
_NONE = "No memory was ticked."
_TOO_MANY = f"Nothing was done: these are more than {memories_chosen.MOST:,} memories. Narrow the list first."


@dataclass(frozen=True, slots=True)
class _Act:
    """A permission, the function of the domain with what it takes, and what is said: of one, of many."""

    permission: str
    do: Callable[..., int]
    how: dict[str, Any]
    words: tuple[str, str]


_ACTS = {
    "pin": _Act(CHANGE, curation.pin, {"is_pinned": True}, ("is pinned", "are pinned")),
    "unpin": _Act(CHANGE, curation.pin, {"is_pinned": False}, ("is not pinned any more", "are not pinned any more")),
    "delete": _Act(DELETE, curation.delete, {}, ("is in the trash", "are in the trash")),
    "restore": _Act(CHANGE, curation.restore, {}, ("is back", "are back")),
}
_PAGES = {"merge": "memory-merge", "purge": "memory-purge"}
"""Acts that are looked at first, on a page of their own."""


@require_POST
@login_required
def bulk(request: HttpRequest) -> HttpResponse:
    """Do `act` to the memories that are ticked, or to all that the list of this address matches."""
    asked, name, now = cast("DockRequest", request), request.POST.get("act", ""), timezone.now()
    project, criteria = access.chosen_project(asked), MemoryFilter(request.GET).criteria()
    chosen, back = selection(request.POST), memories_chosen.url("memory-list", project, criteria)
    if name in _PAGES and (chosen.pks or chosen.is_all):
        return redirect(memories_chosen.url(_PAGES[name], project, criteria, chosen))
    act = _ACTS.get(name)
    if act is None:
        messages.info(request, _NONE)
        return redirect(back)
    access.require(asked, act.permission)
    try:
        pks = memories_chosen.pks(project, criteria, chosen, now=now)
    except TooMany:
        messages.warning(request, _TOO_MANY)
    else:
        _do(asked, act, pks, at=now)
    return redirect(back)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def merge(request: HttpRequest) -> HttpResponse:
    """Show what a merge would make, and make it."""
    asked, chosen = cast("DockRequest", request), selection(request.GET)
    access.require(asked, CHANGE)
    form = MergeForm(request.POST or request.GET)
    try:
        found = memories_merge.merging(chosen, form.kept())
        if request.method != "POST":
            return render_page(asked, _MERGE, {"page": found})
        curation.merge(
            into=found.into,
            others=[one.pk for one in found.candidates if not one.is_kept],
            actor=audit.person(asked.user),
            reason=form.typed(),
            at=timezone.now(),
        )
    except EngramError as exc:
        messages.warning(request, _refusal(exc, chosen))
        return redirect(memories_chosen.url("memory-list", access.chosen_project(asked)))
    merged = f"{found.others + 1} memories are one now."
    toasts.offer_undo(asked, merged, url=links.to("memory-unmerge", found.into))
    return redirect(links.to("memory-detail", found.into))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def purge(request: HttpRequest) -> HttpResponse:
    """Ask for a reason and the number of memories, and remove them for good."""
    asked = cast("DockRequest", request)
    access.require(asked, DELETE)
    project, criteria = access.chosen_project(asked), MemoryFilter(request.GET).criteria()
    chosen = selection(request.GET)
    try:
        pks = memories_chosen.pks(project, criteria, chosen, now=timezone.now())
    except TooMany:
        messages.warning(request, _TOO_MANY)
        return redirect(memories_merge.trash_url(project))
    doomed = memories_merge.removable(pks)
    form = PurgeForm(request.POST if request.method == "POST" else None, expected=len(doomed))
    if not doomed and request.method == "POST":
        messages.info(request, "There is nothing left to remove.")
        return redirect(memories_merge.trash_url(project))
    if not form.is_valid():
        found = memories_merge.purging(project, criteria, chosen, pks, form)
        return render_page(asked, _PURGE, {"page": found}, status=422 if form.is_bound else 200)
    reason = form.cleaned_data["reason"]
    count = curation.purge(pks=doomed, actor=audit.person(asked.user), reason=reason, at=timezone.now())
    messages.success(request, f"{_memories(count)} removed for good.")
    return redirect(memories_merge.trash_url(project))


def _do(request: DockRequest, act: _Act, pks: list[int], *, at: datetime) -> None:
    count = act.do(pks=pks, actor=audit.person(request.user), at=at, **act.how)
    text = f"{_memories(count)} {act.words[count != 1]}."
    if not count:
        messages.info(request, "Nothing was left to do." if pks else _NONE)
    elif act.do is curation.delete:
        offer_restore(request, text, at=at)
    else:
        messages.success(request, text)


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count:,} memories"


def _refusal(exc: EngramError, chosen: Selection) -> str:
    if chosen.is_all:
        return "Tick the memories that become one."
    if isinstance(exc, Invalid):
        return f"{exc.message[:1].upper()}{exc.message[1:]}."
    return "One of these memories is not there any more, or in the trash."
