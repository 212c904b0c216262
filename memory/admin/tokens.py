"""API tokens in the admin: made, shown once, revoked; the digest never leaves the database."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now

from memory import audit
from memory.admin.base import MemoryAdmin, NoDeleting
from memory.api import tokens
from memory.api.tokens import InvalidName, NoSuchToken, TokenExists
from memory.models import ApiToken
from memory.models.token import Scope


@admin.register(ApiToken)
class ApiTokenAdmin(NoDeleting, MemoryAdmin[ApiToken]):
    list_display = ("name", "prefix", "scope", "created_by", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("created_by",)
    list_filter = ("scope", ("revoked_at", admin.EmptyFieldListFilter))
    search_fields = ("name", "prefix")
    ordering = ("name",)
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        return ("name", "scope") if obj is None else self.list_display

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_apitoken")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        # Without the transaction that the admin opens here: `tokens.create` insists on being the outermost one.
        try:
            return cast(
                "HttpResponse",
                self._changeform_view(request, object_id, form_url, extra_context),  # type: ignore[attr-defined]
            )
        except InvalidName as exc:
            said = str(exc)
        except TokenExists:
            said = "Somebody else just made a token of this name."
        self.message_user(request, said, messages.ERROR)
        return redirect(request.get_full_path())

    def save_model(self, request: HttpRequest, obj: ApiToken, form: forms.ModelForm[ApiToken], change: bool) -> None:  # noqa: FBT001
        actor = audit.person(request.user)  # type: ignore[arg-type]  # the admin lets nobody else in
        made, text = tokens.create(name=obj.name, scope=Scope(obj.scope), actor=actor, at=now())
        obj.pk = made.pk
        obj.refresh_from_db()
        self.message_user(request, f"The token {obj.name}, shown this once and not kept: {text}", messages.WARNING)

    @admin.action(description="Revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiToken]) -> None:
        actor, names = audit.person(request.user), []  # type: ignore[arg-type]
        for name in chosen.values_list("name", flat=True):
            try:
                tokens.revoke(name=name, actor=actor, at=now())
            except NoSuchToken:  # revoked before
                continue
            names.append(name)
        self.message_user(request, f"Revoked: {', '.join(names)}." if names else "These were revoked before.")
