"""Fuzzing: a reader is a strategy for its input, and a function that checks what must hold.

``fuzzing`` makes two tests from a table of readers: a short sample, always the same, for `make test`, and a run of
ATTNCHECK_FUZZ_SECONDS for each reader, with new examples every time, for `make prove`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import resource
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.errors import HypothesisWarning

from grader.core.errors import AttncheckError, SubmissionError

T = TypeVar("T")

#: Read at once: later no setting from outside is there any more.
SECONDS = float(os.environ.get("ATTNCHECK_FUZZ_SECONDS", "600"))
SEED = int(os.environ.get("ATTNCHECK_FUZZ_SEED") or random.SystemRandom().randrange(1 << 32))

#: What one example may use: seconds of the processor, and bytes besides what the process has.
_CPU = 10.0
_MEMORY = 1 << 30
_SAMPLE = 12
_ROUND = 300
_FINDINGS = Path(__file__).parents[2] / ".hypothesis" / "fuzz"


@dataclass(frozen=True, slots=True)
class Reader:
    """Code that reads input from others.

    ``check`` gets an example and an empty folder; it raises if anything is wrong. The short test tries ``sample``
    examples.
    """

    name: str
    examples: st.SearchStrategy[Any]
    check: Callable[[Any, Path], object]
    sample: int = _SAMPLE


def read(reading: Callable[[], T], *refusals: type[AttncheckError]) -> T | None:
    """The result of ``reading``; None if it refuses with a proper message."""
    try:
        return reading()
    except refusals as error:
        said = str(error)
        assert said.strip() and len(said) < 20_000, f"no sentence for people: {said[:300]!r} … ({len(said)})"
        if isinstance(error, SubmissionError):
            said.encode()
        return None


class _Late(BaseException):
    """The time for an example is over. Not an Exception, so that no reader catches it."""


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Limits CPU time and memory, independent of the machine's load."""

    def late(*_: object) -> None:
        raise _Late

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, late)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + _MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_PROF, _CPU)
    try:
        yield
    except _Late:
        raise AssertionError(f"it took more than {_CPU:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGPROF, before)


def examine(
    reader: Reader, scratch: Path, examples: int, number: int, *, keep: bool, until: float | None = None
) -> int:
    """Tries this many examples (fewer if the clock reaches ``until``); returns how many. Raises for a finding."""
    tried, failed = 0, False

    @seed(number)
    @settings(
        max_examples=examples,
        database=DirectoryBasedExampleDatabase(_FINDINGS / reader.name.replace(" ", "-")) if keep else None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    )
    @given(reader.examples)
    def one(example: Any) -> None:
        nonlocal tried, failed
        if until is not None and time.monotonic() > until and not failed:
            return
        tried, failed = tried + 1, True
        with bounded():
            reader.check(example, scratch)
        failed = False

    logging.disable()  # libraries log what they think of each example, and pytest keeps it
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)  # of examples that are long to print
            one()
    finally:
        logging.disable(logging.NOTSET)
    return tried


def fuzzing(*readers: Reader) -> tuple[Callable[..., None], Callable[..., None]]:
    """The short and the long test of these readers."""
    some = [reader for reader in readers if reader.sample]

    @pytest.mark.parametrize("reader", some, ids=[reader.name for reader in some])
    def sample(reader: Reader, tmp_path: Path) -> None:
        """Only our own errors or correct results, within limits of time and memory."""
        examine(reader, tmp_path, reader.sample, 1, keep=False)

    @pytest.mark.prove
    @pytest.mark.parametrize("reader", readers, ids=[reader.name for reader in readers])
    def long(reader: Reader, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
        """The same for ATTNCHECK_FUZZ_SECONDS, with new examples."""
        reader.examples.validate()  # what has to be run for examples first does not count
        started, tried, rounds = time.monotonic(), 0, 0
        print(f"ATTNCHECK_FUZZ_SEED={SEED}")
        try:
            while time.monotonic() - started < SECONDS:
                tried += examine(reader, tmp_path, _ROUND, SEED + rounds, keep=True, until=started + SECONDS)
                rounds += 1
        finally:
            record_property("fuzzed", (reader.name, tried, round(time.monotonic() - started)))

    return sample, long
