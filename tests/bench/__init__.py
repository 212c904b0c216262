"""Speed, shown as numbers: `memdock bench [NAME]`. Nothing here is asserted."""

from __future__ import annotations
