"""The dock app: pages for people."""

from __future__ import annotations

from django.apps import AppConfig


class DockConfig(AppConfig):
    name = "dock"
    verbose_name = "Dock"
