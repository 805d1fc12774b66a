"""Judging results of learner code that nearly match correct and wrong solutions, for every exercise."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from grader.core import serialize
from grader.core.model import (
    Array,
    Died,
    Job,
    Limits,
    NotRun,
    Observation,
    Observed,
    QuestionResult,
    Raised,
    Returned,
    Status,
    Submission,
    TimedOut,
    TooBig,
    Unreadable,
)
from grader.course import loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.report.json import to_json
from grader.sandbox import open_sandbox
from tests.fuzz import bending
from tests.fuzz.carried import VALUES
from tests.fuzz.reading import Reader, fuzzing
from tests.samples import Sample
from tests.solving import RIGHT, WRONG


@dataclass(frozen=True, slots=True)
class Graded:
    """A solution of an exercise, and what was observed of it in the sandbox."""

    exercise: str
    submission: Submission
    seen: tuple[Observation, ...]


@functools.cache
def solutions() -> tuple[GradingContext, tuple[Graded, ...]]:
    """A correct and a wrong solution of every exercise, run once; the context holds the reference results."""
    loaded = courses.load(loader.find(None))
    chosen: dict[tuple[str, str], Sample] = {}
    for sample in (*RIGHT, *WRONG):
        chosen.setdefault((sample.exercise, sample.kind), sample)
    with open_sandbox() as sandbox:
        context = GradingContext(loaded, Seed.public(), sandbox.observe)
        found = []
        for (name, _), sample in chosen.items():
            kept: list[tuple[Observation, ...]] = []

            def observe(job: Job, limits: Limits, kept: list[tuple[Observation, ...]] = kept) -> Observed:
                seen = sandbox.observe(job, limits)
                kept.append(seen.observations)
                return seen

            handed = sample.submission
            grade(loaded, handed, observe, selection=Selection(exercises=(name,)), context=context)
            if kept:
                found.append(Graded(name, handed, kept[0]))
        for graded in found:
            context.mistake_signatures(
                next(e for q in loaded.questions for e in q.exercises if e.name == graded.exercise)
            )
    return context, tuple(found)


# ------------------------------------------------------------------------------------- what is changed

_Warp = Callable[[NDArray[Any]], Any]
_WARPS: tuple[_Warp, ...] = (
    lambda a: a.T,
    lambda a: np.atleast_1d(a)[..., :0],
    lambda a: a.astype("f2"),
    lambda a: a.astype("f8"),
    lambda a: np.nan_to_num(np.asarray(a, "f8")).astype("i8"),
    lambda a: a != 0,
    lambda a: np.full_like(np.asarray(a, "f4"), np.nan),
    lambda a: np.full_like(np.asarray(a, "f4"), np.inf),
    lambda a: a.reshape(-1),
    lambda a: a[None],
    lambda a: np.squeeze(a),
    lambda a: np.zeros_like(a),
    lambda a: a.copy().sum(),
    lambda a: np.concatenate([a.reshape(-1), a.reshape(-1)]),
    lambda a: np.asarray(a, "f8") * (1 + 1e-6) + 1e-9,
    lambda a: np.asarray(a, "f8") * 1e300 * 1e10,
    lambda a: -np.asarray(a, "f4"),
    lambda a: np.broadcast_to(np.float32(0.5), (1,) * 8),
)
_ODD: tuple[Any, ...] = (
    *(value for value in bending.VALUES if type(value) is not int or value.bit_length() < 1000),
    Array(np.array(1.0), "scalar", dtype="float64"),
    Array(np.ones((2, 3), "f4"), "torch", dtype="float32"),
    Array(np.ones((2, 3), "f4"), "numpy", dtype="bfloat16"),
    Array(np.array([True]), "torch", dtype="bool"),
    Array(np.zeros((0,), "i8"), "torch", dtype="int64"),
    (),
    (1, (2.0,)),
)
_INSTEAD: tuple[Observation, ...] = (
    Raised("ValueError", "no {x} 不\x1b[31m", "q.py", 3, "call", ("ValueError", "Exception")),
    Raised("", "", None, None, "import", ()),
    Raised("A" * 80, "%s" * 300, None, 10**6, "call", ("TypeError",) * 20),
    Unreadable("protocol"),
    Unreadable("undefined", ("attend", "\u202e")),
    Unreadable("{reason}", ("{detail}",) * 40),
    TimedOut(2.0, "cpu"),
    TimedOut(6.0, "wall", "import"),
    Died(9, None),
    Died(None, 3, "import"),
    Died(None, None),
    TooBig(1 << 24),
    Raised("MemoryError", "", "q.py", 3, "call", ("MemoryError", "Exception")),
    NotRun("group"),
    NotRun("memory"),
    NotRun("budget"),
    Returned(()),
    Returned((None,)),
)
_N = st.integers(0, 1 << 16)
CHANGES = st.lists(st.tuples(_N, _N, _N, _N), min_size=1, max_size=5)
#: What comes in the place of a whole answer, and where.
_CARRIED = st.lists(st.tuples(_N, st.lists(VALUES, min_size=1, max_size=3)), max_size=3)


def _arrays(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every array in plain data, as (container, key)."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        if isinstance(value[key], Array):
            found.append((value, key))
        else:
            _arrays(value[key], found)
    return found


def _open(value: Any) -> Any:
    """The same with lists for tuples, so that it can be changed; arrays stay the same."""
    if isinstance(value, list | tuple):
        return [_open(each) for each in value]
    return {key: _open(each) for key, each in value.items()} if isinstance(value, dict) else value


def bent(seen: tuple[Observation, ...], changes: list[tuple[int, int, int, int]]) -> tuple[Observation, ...]:
    """Some observations changed: other ones, other values, or slightly different arrays."""
    found = list(seen)
    for what, where, at, how in changes:
        place = where % len(found)
        one = found[place]
        if what % 4 == 0:
            found[place] = _INSTEAD[how % len(_INSTEAD)]
        elif what % 4 == 1:
            found[place] = found[at % len(found)]
        elif isinstance(one, Returned):
            root = [_open(one.values)]
            arrays = _arrays(root, [])
            if what % 4 == 2 and arrays:
                inside, key = arrays[at % len(arrays)]
                warped = np.asarray(_WARPS[how % len(_WARPS)](inside[key].values))
                container = ("torch", "numpy", "scalar")[how // 32 % 3] if how % 5 == 0 else inside[key].container
                inside[key] = Array(warped, container, dtype=str(warped.dtype))
            else:
                bending._bend_data(root, [], _ODD, (what // 4, at, how, how))
            values = root[0] if isinstance(root[0], list) else [root[0]]
            found[place] = Returned(tuple(values))
    return tuple(found)


def fitting(one: Observation, count: int) -> Observation:
    """The same with as many values as were requested, as the sandbox guarantees."""
    return Returned((*one.values, *[None] * count)[:count]) if isinstance(one, Returned) else one


_Example = tuple[int, list[tuple[int, int, int, int]], list[tuple[int, list[Any]]]]


def judged(example: _Example, scratch: Path) -> None:
    """Every result gets a verdict that can be stored and shown, and it is never our fault."""
    which, changes, carried = example
    context, everything = solutions()
    one = everything[which % len(everything)]
    with np.errstate(all="ignore"):
        seen = list(bent(one.seen, changes))
    for where, values in carried:
        seen[where % len(seen)] = Returned(tuple(values))

    def observe(job: Job, limits: Limits) -> Observed:
        found = [fitting(seen[at % len(seen)], len(program.send)) for at, program in enumerate(job.programs)]
        return Observed(tuple(found), (), unsafe=False)

    selection = Selection(exercises=(one.exercise,))
    report = grade(context.course, one.submission, observe, selection=selection, context=context)
    for question in report.questions:
        for result in question.exercises:
            assert result.status is not Status.UNMARKED
            assert -1e-9 <= result.earned <= result.possible + 1e-9
            for outcome in result.outcomes:
                assert outcome.status is not Status.UNMARKED
                assert not outcome.verdict.broken
                assert 0 <= outcome.earned <= outcome.possible
        kept = json.dumps(serialize.dump(question), ensure_ascii=False)
        kept.encode()
        assert serialize.load(QuestionResult, json.loads(kept)) == question
    for lang in ("en", "zh"):
        assert json.dumps(to_json(report, lang))


EXAMPLES = st.deferred(lambda: solutions() and st.tuples(_N, CHANGES, _CARRIED))

_, test_long = fuzzing(Reader("results of learner code", EXAMPLES, judged, sample=0))
