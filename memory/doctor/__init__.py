"""What is in order and what is not: for `memdock doctor` and for the Health page."""

from __future__ import annotations

from memory.doctor.report import examine

__all__ = ["examine"]
