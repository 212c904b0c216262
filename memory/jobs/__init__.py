"""What happens in the background: tasks, when they are due, and the worker that runs them."""

from __future__ import annotations
