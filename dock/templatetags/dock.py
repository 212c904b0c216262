"""Icons, times and numbers as every page prints them."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache

from django import template
from django.templatetags.static import static
from django.utils import dateformat, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

SPRITE = "dock/img/icons.svg"
DAY_WORDS = "l j F Y"


@register.simple_tag
def icon(name: str, *, small: bool = False) -> SafeString:
    """Print a decorative icon of the sprite: `{% icon "bolt" %}`, 18 px, or 16 px with `small=True`.

    The words beside it, or the `aria-label` of the control around it, say what it means.
    """
    return _icon(name, small)


@lru_cache(maxsize=512)
def _icon(name: str, small: bool) -> SafeString:  # noqa: FBT001 - a key of the cache
    size = " icon-sm" if small else ""
    kind = " logo" if name == "logo" else ""
    return format_html(
        '<svg class="icon{}{}" aria-hidden="true"><use href="{}#i-{}"/></svg>', size, kind, static(SPRITE), name
    )


@register.filter
def when(value: date | datetime | None) -> SafeString | str:
    """Print a `<time>`: today's as 15:38, else 14 Jan, with the year when it is not this one; the whole in `title`.

    A naive datetime is taken as local time; nothing is printed for None.
    """
    if value is None:
        return ""
    moment = _local(value)
    iso = moment.isoformat(timespec="seconds") if isinstance(moment, datetime) else moment.isoformat()
    return format_html('<time datetime="{}" title="{}">{}</time>', iso, _whole(moment), _short(moment))


@register.filter
def day_words(value: date | datetime | None) -> str:
    """Write a day out: Thursday 15 January 2026."""
    return "" if value is None else dateformat.format(_local(value), DAY_WORDS)


@register.filter
def number(value: int | None) -> str:
    """Write a count with separators: 1,284."""
    return "" if value is None else f"{value:,}"


def _local(value: date | datetime) -> date | datetime:
    if not isinstance(value, datetime):
        return value
    return timezone.localtime(value if timezone.is_aware(value) else timezone.make_aware(value))


def _short(moment: date | datetime) -> str:
    today = timezone.localdate()
    if isinstance(moment, datetime) and moment.date() == today:
        return dateformat.format(moment, "H:i")
    return dateformat.format(moment, "j M" if moment.year == today.year else "j M Y")


def _whole(moment: date | datetime) -> str:
    return dateformat.format(moment, f"{DAY_WORDS}, H:i" if isinstance(moment, datetime) else DAY_WORDS)
