"""Facts in Patchouli's sense, for exchange with it: typed values in versions, each scope for itself."""

from __future__ import annotations
