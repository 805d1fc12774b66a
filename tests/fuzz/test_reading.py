"""Fuzzing itself notices what must not happen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import strategies as st

from grader.core.errors import SubmissionError, UsageError
from grader.core.text import same
from tests.fuzz import bending, reading
from tests.fuzz.reading import Reader, bounded, examine, read


def forever() -> None:
    """Never ends, and treats no exception as its own."""
    while True:
        try:
            sum(range(1000))
        except Exception:  # as readers have it around libraries
            continue


@pytest.mark.parametrize(("act", "said"), [(forever, "more than 0.2 s"), (lambda: bytearray(2 << 30), None)])
def test_time_and_memory_are_bounded(
    act: Callable[[], object], said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An example that takes too much of either is stopped."""
    monkeypatch.setattr(reading, "_CPU", 0.2)
    with pytest.raises((AssertionError, MemoryError), match=said), bounded():
        act()
    with bounded():
        assert len(bytearray(1 << 20))


@pytest.mark.parametrize(
    "error", [UsageError(same(" ")), UsageError(same("a" * 30_000)), SubmissionError(same("half \ud800"))]
)
def test_refusals_are_sentences(error: UsageError | SubmissionError) -> None:
    """An empty, very long or unprintable message does not count as a refusal."""

    def refuse() -> None:
        raise error

    with pytest.raises((AssertionError, UnicodeEncodeError)):
        read(refuse, UsageError, SubmissionError)
    assert read(lambda: 1, UsageError) == 1


def test_a_finding_is_raised(tmp_path: Path) -> None:
    """It is as small as possible, even if the time is over by then."""
    seen = []

    def check(text: str, scratch: Path) -> None:
        seen.append(text)
        assert len(text) < 3

    with pytest.raises(AssertionError):
        examine(Reader("texts", bending.texts(["a, b", "c: d"]), check), tmp_path, 50, 1, keep=False)
    assert seen[-1] == "a, b"
    assert examine(Reader("none", st.just(1), check), tmp_path, 5, 1, keep=False, until=0.0) == 0
