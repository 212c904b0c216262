"""Engram's wire: what its clients ask a server that speaks for it, at the addresses of the root."""

from __future__ import annotations
