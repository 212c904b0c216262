"""Milvus Lite and the real memsearch package, with an embeddings endpoint of this machine."""

from __future__ import annotations
