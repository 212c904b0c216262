"""One project's collection: MemSearch's schema, and what is asked of it and written into it.

Schema, indexes and requests are those of memsearch 0.4 (src/memsearch/store.py).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

from memory.search.backends.milvus.chunks import Chunk
from memory.search.backends.milvus.connection import Client
from memory.search.embed.types import Matrix

TIMEOUT = 10.0
"""Seconds that Milvus may take for one request."""

_AT_ONCE = 256
_LONGEST = 1024
"""Bytes of a source or a heading."""


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk that was found; `score` compares with those of other collections that were asked the same."""

    id: str
    source: str
    start_line: int
    content: str
    score: float


class Mismatch(Exception):
    """The collection holds vectors of another model; the text says so."""


class Collection:
    """A collection that may not exist yet. It has to be loaded before it is read, and Milvus Lite forgets that it was.

    All methods raise what pymilvus raises.
    """

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self.name = name

    def exists(self) -> bool:
        return bool(self._client.has_collection(self.name, timeout=TIMEOUT))

    def load(self) -> None:
        """Let Milvus hold the collection in memory; little work when it does."""
        self._client.load_collection(self.name, timeout=TIMEOUT)

    def ready(self, dimension: int, *, about: str) -> None:
        """Make the collection where it is missing. Raises Mismatch when its vectors have another dimension."""
        if not self.exists():
            self._make(dimension, about)
        self._check(dimension)
        self.load()

    def dimension(self) -> int:
        """Return the length of the vectors; 0 for a collection that is none of MemSearch's."""
        fields = self._client.describe_collection(self.name, timeout=TIMEOUT)["fields"]
        return next((int(field["params"]["dim"]) for field in fields if field["name"] == "embedding"), 0)

    def _check(self, dimension: int) -> None:
        if (kept := self.dimension()) != dimension:
            raise Mismatch(
                f"{self.name} holds vectors of {kept} numbers and the model of MEMDOCK_EMBEDDING makes {dimension};"
                " choose the model that MemSearch uses."
            )

    def ids(self) -> dict[str, set[str]]:
        """Return the ids of all chunks by source."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self._query('chunk_hash != ""', "source"):
            found[row["source"]].add(row["chunk_hash"])
        return dict(found)

    def ids_of(self, source: str) -> set[str]:
        """Return the ids of one file's chunks."""
        return {row["chunk_hash"] for row in self._query(f"source == {quoted(source)}")}

    def put(self, chunks: Sequence[Chunk], vectors: Matrix, *, model: str) -> None:
        """Write chunks with their vectors, one row each."""
        rows = [_row(chunk, vector.tolist(), model) for chunk, vector in zip(chunks, vectors, strict=True)]
        for part in batched(rows, _AT_ONCE):
            self._client.upsert(self.name, list(part), timeout=TIMEOUT)

    def remove(self, ids: Iterable[str]) -> None:
        for part in batched(sorted(ids), _AT_ONCE):
            self._client.delete(self.name, ids=list(part), timeout=TIMEOUT)

    def near(self, vector: Sequence[float], *, limit: int) -> list[Row]:
        """Return the chunks nearest in meaning, by cosine."""
        return self._search([list(vector)], "embedding", "COSINE", limit)

    def worded(self, text: str, *, limit: int) -> list[Row]:
        """Return the chunks that have the words, by Milvus's BM25."""
        return self._search([text], "sparse_vector", "BM25", limit)

    def count(self) -> int:
        """Return the number of chunks."""
        [row] = self._client.query(
            self.name, filter="", output_fields=["count(*)"], consistency_level="Strong", timeout=TIMEOUT
        )
        return int(row["count(*)"])

    def _make(self, dimension: int, about: str) -> None:
        index = self._client.prepare_index_params()
        index.add_index(field_name="embedding", index_type="FLAT", metric_type="COSINE")
        index.add_index(field_name="sparse_vector", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
        schema = _schema(self._client, dimension, about)
        self._client.create_collection(self.name, schema=schema, index_params=index, timeout=TIMEOUT)

    def _query(self, condition: str, *fields: str) -> list[dict[str, Any]]:
        rows = self._client.query(self.name, filter=condition, output_fields=["chunk_hash", *fields], timeout=TIMEOUT)
        return list(rows)

    def _search(self, data: list[Any], field: str, metric: str, limit: int) -> list[Row]:
        found = self._client.search(
            self.name,
            data=data,
            anns_field=field,
            search_params={"metric_type": metric},
            limit=limit,
            output_fields=["source", "start_line", "content"],
            timeout=TIMEOUT,
        )
        return [_found(hit) for hit in found[0]] if found else []


def quoted(text: str) -> str:
    """Return a text as a literal of Milvus's filters, whatever signs it holds."""
    return json.dumps(text, ensure_ascii=False)


def _found(hit: dict[str, Any]) -> Row:
    # Milvus Lite gives BM25 as a negative distance, a server as a positive score.
    return Row(id=hit["chunk_hash"], score=abs(hit["distance"]), **hit["entity"])


def _row(chunk: Chunk, vector: list[float], model: str) -> dict[str, Any]:
    return {
        "chunk_hash": chunk.id(model),
        "embedding": vector,
        "content": chunk.content,
        "source": chunk.source,
        "heading": chunk.heading.encode()[:_LONGEST].decode(errors="ignore"),
        "heading_level": chunk.level,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
    }


def _schema(client: Client, dimension: int, about: str) -> Any:
    from pymilvus import DataType, Function, FunctionType  # type: ignore[import-untyped]

    schema = client.create_schema(enable_dynamic_field=True, description=about)
    schema.add_field("chunk_hash", DataType.VARCHAR, max_length=64, is_primary=True)
    schema.add_field("embedding", DataType.FLOAT_VECTOR, dim=dimension)
    schema.add_field("content", DataType.VARCHAR, max_length=65535, enable_analyzer=True)
    schema.add_field("sparse_vector", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field("source", DataType.VARCHAR, max_length=_LONGEST)
    schema.add_field("heading", DataType.VARCHAR, max_length=_LONGEST)
    for name in ("heading_level", "start_line", "end_line"):
        schema.add_field(name, DataType.INT64)
    schema.add_function(
        Function(
            name="bm25_fn",
            function_type=FunctionType.BM25,
            input_field_names=["content"],
            output_field_names=["sparse_vector"],
        )
    )
    return schema
