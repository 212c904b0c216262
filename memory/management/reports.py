"""What commands print for a person."""

from __future__ import annotations

from memory.projects.sync import Report


def of_project(report: Report) -> list[str]:
    """Return a line of counts, and a line for each problem."""
    counts = (
        f"{report.project}: {report.journals:,} journals, {report.entries:,} entries, "
        f"{report.sessions:,} sessions, {report.skills:,} skills ({report.memory_dir})"
    )
    return [counts, *(f"  {one['path'] or report.memory_dir}: {one['text']}" for one in report.problems)]
