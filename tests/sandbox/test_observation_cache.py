"""Caching reference results: the same job runs once, and damaged entries are ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from grader.core.model import (
    Array,
    Call,
    Died,
    Job,
    Limits,
    NotRun,
    Observation,
    Observed,
    Program,
    Raised,
    Returned,
    TimedOut,
    TooBig,
    Unreadable,
)
from grader.sandbox import observation_cache
from grader.sandbox.inside import frames

VALUES = (Array(np.arange(3.0), "torch", dtype="float64"), [1, ("a", {"b": None})])


class Memory:
    """A store, and an ``observe`` that counts its calls."""

    def __init__(self, *observations: Observation) -> None:
        self.stored: dict[str, bytes] = {}
        self.runs = 0
        self._observations = observations

    def observe(self, job: Job, limits: Limits) -> Observed:
        """One observation for each program."""
        self.runs += 1
        return Observed(self._observations[: len(job.programs)], ("seccomp",), unsafe=False)

    def look(self, job: Job, limits: Limits) -> Observed:
        """Runs the job through the cache."""
        return observation_cache.memoized(self.observe, self.stored.get, self.stored.__setitem__)(job, limits)


def test_the_same_job_is_run_once(make_job: Callable[..., Job], quick: Limits) -> None:
    """The second time the values come from the cache, equal in every respect."""
    memory = Memory(Returned(VALUES), Returned((2,)))
    job = make_job("def f(): ...", "f", "f")
    first, second = memory.look(job, quick), memory.look(job, quick)
    assert memory.runs == 1
    assert len(first.observations) == len(second.observations) == 2
    assert second.observations[1] == Returned((2,))
    got = second.observations[0]
    assert isinstance(got, Returned)
    array, rest = got.values
    assert (array.container, array.dtype, array.values.tolist()) == ("torch", "float64", [0, 1, 2])
    assert rest == VALUES[1]


@pytest.mark.parametrize("change", ["text", "argument", "seed", "result limit", "version"])
def test_whatever_decides_the_result_is_in_the_key(
    make_job: Callable[..., Job], quick: Limits, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Sources, arguments, seeds, size limits and library versions are in the key."""
    memory = Memory(Returned((1,)))
    program = Program("unit", (Call("f", (1,)),), (0,))
    memory.look(make_job("x = 1", program), quick)
    job, limits = make_job("x = 1", program), quick
    match change:
        case "text":
            job = make_job("x = 2", program)
        case "argument":
            job = make_job("x = 1", replace(program, steps=(Call("f", (2,)),)))
        case "seed":
            job = make_job("x = 1", replace(program, seed=9))
        case "result limit":
            limits = replace(quick, result_bytes=7)
        case "version":
            monkeypatch.setattr(observation_cache, "_versions", lambda: b"numpy 99")
    memory.look(job, limits)
    assert memory.runs == 2


def test_time_limits_are_not_in_the_key(make_job: Callable[..., Job], quick: Limits) -> None:
    """A result does not depend on the time limit."""
    memory = Memory(Returned((1,)))
    job = make_job("x = 1", "f")
    memory.look(job, quick)
    memory.look(job, replace(quick, group_cpu=99))
    assert memory.runs == 1


@pytest.mark.parametrize(
    "refusal",
    [
        Raised("ValueError", "no", "a.py", 3, "call", ("ValueError",)),
        TooBig(1),
        Unreadable("projections", ("w_q", "a")),
    ],
)
def test_what_ends_by_itself_is_remembered(make_job: Callable[..., Job], quick: Limits, refusal: Observation) -> None:
    """Exceptions and unreadable results are cached like values, since they would recur."""
    memory = Memory(Returned((1,)), refusal)
    job = make_job("x = 1", "f", "g")
    memory.look(job, quick)
    assert memory.look(job, quick).observations == (Returned((1,)), refusal)
    assert memory.runs == 1


@pytest.mark.parametrize("ended", [TimedOut(1, "cpu"), Died(9, None), NotRun("budget")])
def test_what_did_not_end_by_itself_is_not_remembered(
    make_job: Callable[..., Job], quick: Limits, ended: Observation
) -> None:
    """One timeout or death among many means that nothing of the job is cached."""
    memory = Memory(Returned((1,)), ended)
    job = make_job("x = 1", "f", "g")
    memory.look(job, quick)
    memory.look(job, quick)
    assert memory.runs == 2 and memory.stored == {}


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"noise",
        frames.encode(1),
        frames.encode([]),
        frames.encode([[1], [2]]),
        frames.encode([1]),
        frames.encode([[frames.StepRef(0)]]),
        frames.encode([[b"bytes"]]),
        frames.encode({"a": 1}),
        frames.encode([{"type": "E"}]),
        frames.encode([{"unknown": 1}]),
        frames.encode([["Raised", {"type": 3, "text": "", "file": None, "line": None}]]),
        frames.encode([["Raised", {"type": "E", "text": "", "file": 1.5, "line": None}]]),
        frames.encode([["Raised", {"type": "E", "text": "", "file": None, "line": 1, "bases": (1,)}]]),
        frames.encode([["Raised", {"type": "E", "text": "", "file": None, "line": 1, "bases": "E"}]]),
        frames.encode([["Raised", {"type": "E", "text": "", "file": None, "line": 1, "during": "lunch"}]]),
        frames.encode([["TooBig", {"limit": 1, "more": 2}]]),
        frames.encode([["TooBig", {}]]),
    ],
)
def test_a_damaged_memory_is_run_again_and_mended(make_job: Callable[..., Job], quick: Limits, damage: bytes) -> None:
    """An entry that is not one value list per program is recomputed and replaced."""
    memory = Memory(Returned((1,)))
    job = make_job("x = 1", "f")
    memory.look(job, quick)
    (key,) = memory.stored
    right = memory.stored[key]
    memory.stored[key] = damage
    assert memory.look(job, quick).observations == (Returned((1,)),)
    assert memory.runs == 2 and memory.stored[key] == right
