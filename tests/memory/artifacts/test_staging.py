"""Reading what is to be kept."""

from __future__ import annotations

import hashlib
from io import BytesIO
from threading import Event
from typing import BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.artifacts.errors import ArtifactError, Stopped
from memory.artifacts.staging import HEAD, staged


class Growing(BytesIO):
    """A file that never ends; it remembers how much of it was read."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        assert size is not None
        assert size >= 0
        self.taken += size
        return b"x" * size


@given(data=st.binary(max_size=5000) | st.integers(HEAD - 2, HEAD + 2).map(lambda size: b"y" * size))
def test_hashes_what_it_read(data: bytes) -> None:
    with staged(BytesIO(data), stop=Event()) as found:
        assert found.file.read() == data
        assert (found.digest, found.length) == (f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
        assert found.head == data[:HEAD]


@given(limit=st.integers(0, 3000), size=st.integers(0, 3000))
def test_takes_no_more_than_is_allowed(limit: int, size: int) -> None:
    if size <= limit:
        with staged(BytesIO(b"z" * size), stop=Event(), limit=limit) as found:
            assert found.length == size
    else:
        with (
            pytest.raises(ArtifactError, match=f"larger than {limit:,} bytes"),
            staged(BytesIO(b"z" * size), stop=Event(), limit=limit),
        ):
            pass


def test_stops_reading_a_file_that_grows_meanwhile() -> None:
    file = Growing()
    with pytest.raises(ArtifactError, match="larger"), staged(cast("BinaryIO", file), stop=Event(), limit=700_000):
        pass
    assert file.taken == 700_001


def test_stops_when_nobody_waits() -> None:
    stop = Event()
    stop.set()
    file = Growing()
    with pytest.raises(Stopped), staged(cast("BinaryIO", file), stop=stop):
        pass
    assert file.taken < 1_000_000
