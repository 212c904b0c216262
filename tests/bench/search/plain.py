"""SQLite's FTS5 as it comes, one row an entry: what search costs when nothing is done for its quality."""

from __future__ import annotations

import re
import sqlite3

from memory.journal import grammar
from tests.bench.search.job import Job, Numbers, asked, main, timed


def build(job: Job) -> Numbers:
    with sqlite3.connect(job.place / "plain.sqlite3") as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE VIRTUAL TABLE entry USING fts5(body)")
        return {"build": timed(lambda: _fill(job, database))}


def ask(job: Job) -> Numbers:
    database = sqlite3.connect(job.place / "plain.sqlite3")
    numbers = asked(job.questions(), lambda question: _search(database, question))
    word = job.append()

    def find() -> None:
        with database:
            database.execute("INSERT INTO entry (body) VALUES (?)", [f"- Moved the {word} crane"])
        assert _search(database, word)

    return numbers | {"appended": timed(find)}


def _fill(job: Job, database: sqlite3.Connection) -> None:
    days = (grammar.parse(path.read_bytes()) for path in sorted(job.memory.glob("*.md")))
    database.executemany("INSERT INTO entry (body) VALUES (?)", ([entry.body] for day in days for entry in day.entries))
    database.commit()


def _search(database: sqlite3.Connection, question: str) -> list[tuple[str]]:
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
    sql = "SELECT body FROM entry WHERE entry MATCH ? ORDER BY bm25(entry) LIMIT 10"
    return database.execute(sql, [words]).fetchall()


if __name__ == "__main__":
    main(build=build, ask=ask)
