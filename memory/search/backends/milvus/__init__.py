"""Journals in Milvus, where MemSearch keeps them: both products share each project's collection.

Milvus is asked beside the local words, never instead of them: what MemSearch does not know of (observations, skills,
documents, sessions) is found by words alone, and so is everything while Milvus cannot be reached.
"""

from __future__ import annotations
