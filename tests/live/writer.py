"""A process that writes: `python -m tests.live.writer entry:1 entry:2` appends each in a transaction of its own."""

from __future__ import annotations

import os
import sys

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "memsite.settings"
    django.setup()
    from tests.live.scenes import append_now

    for ref in sys.argv[1:]:
        append_now(ref)
