#!/usr/bin/env python
"""The same as the `memdock` script."""

from __future__ import annotations

from memsite.cli import main

if __name__ == "__main__":
    main()
