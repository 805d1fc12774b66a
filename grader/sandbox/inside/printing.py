"""Keeps the beginning of what learner code prints, one program at a time."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import Any

#: How many bytes of each program's output are kept; the rest is dropped.
MAX_BYTES = 8192


class CapturedOutput(io.RawIOBase):
    """The binary stream below ``sys.stdout`` and ``sys.stderr``: its first bytes are kept until they are taken."""

    def __init__(self) -> None:
        super().__init__()
        self._kept = bytearray()

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The descriptor of the null device, where all other output goes."""
        return 1

    def write(self, data: Any) -> int:
        """Keeps as much as there is room for; returns the full length, as if everything were written."""
        view = memoryview(data).cast("B")
        self._kept += view[: max(0, MAX_BYTES - len(self._kept))]
        return len(view)

    def take(self) -> str:
        """What was written since the last call."""
        kept, self._kept = bytes(self._kept), bytearray()
        return kept.decode("utf-8", "replace")


@contextlib.contextmanager
def captured() -> Iterator[CapturedOutput]:
    """Replaces stdout and stderr by one stream, so that their lines stay in order."""
    printed = CapturedOutput()
    stream = io.TextIOWrapper(printed, "utf-8", "backslashreplace", write_through=True)  # type: ignore[type-var]
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = stream
    try:
        yield printed
    finally:
        sys.stdout, sys.stderr = before
