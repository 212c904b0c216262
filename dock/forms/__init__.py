"""Forms: what a query string or a POST may say."""

from __future__ import annotations
