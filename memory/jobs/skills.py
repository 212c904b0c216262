"""Does what people asked for with copies of skills, beside the other tasks of the worker."""

from __future__ import annotations

from django.utils import timezone

from memory.jobs import repeating
from memory.skills import jobs

EVERY = 2.0
"""Seconds between two looks at the jobs when nobody commits anything; each is two small queries."""
REST = 0.1
"""The same when many do."""


def start() -> None:
    """Work in a thread until the process ends; a job that it was doing then is taken up again by the next one."""
    repeating.start(step, name="skills", what="A job on skills", every=EVERY, rest=REST)


def step() -> int:
    """Do what is due; return how many jobs that were."""
    return jobs.run_due(at=timezone.now())
