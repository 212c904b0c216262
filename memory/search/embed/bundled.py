"""The small model inside the wordllama wheel: averaged token vectors, no network, nearly blind to CJK."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memory.search.embed.types import Matrix, Unavailable, unit_rows

if TYPE_CHECKING:
    from wordllama import WordLlamaInference  # type: ignore[import-untyped]

CONFIG = "l2_supercat"
DIMENSION = 256
LONGEST = 4000
"""Characters of a text that count: a batch is padded to its longest text, and texts come from anybody."""

_BATCH = 32
_lock = threading.Lock()


class WordLlamaEmbedder:
    """wordllama's 256-dimensional vectors; the 16 MB of weights are read at the first use."""

    name = f"wordllama:{CONFIG}:{DIMENSION}"
    dimension = DIMENSION
    is_strong = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row a text, zeros for an empty one. Raises Unavailable when wordllama is not installed."""
        with _lock:
            model = self._model
        cut = [text[:LONGEST] for text in texts]
        filled = [index for index, text in enumerate(cut) if text.strip()]
        rows = np.zeros((len(cut), DIMENSION), dtype=np.float32)
        if filled:  # wordllama divides by zero for an empty text
            rows[filled] = model.embed([cut[index] for index in filled], batch_size=_BATCH)
        return unit_rows(rows)

    @cached_property
    def _model(self) -> WordLlamaInference:
        return _load()


def _load() -> WordLlamaInference:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        import wordllama
    except ImportError as exc:
        raise Unavailable(
            f"The package wordllama cannot be loaded ({exc}); MEMDOCK_EMBEDDING=none does without."
        ) from exc
    finally:  # wordllama calls logging.basicConfig when it is imported
        root.handlers[:] = handlers
        root.setLevel(level)
    try:
        # Weights are found in the package; the tokenizer only below "tokenizers", so the package is the cache as well.
        return wordllama.WordLlama.load(
            config=CONFIG, dim=DIMENSION, disable_download=True, cache_dir=Path(wordllama.__file__).parent
        )
    except FileNotFoundError as exc:
        raise Unavailable(f"The package wordllama came without its weights: {exc}") from exc
