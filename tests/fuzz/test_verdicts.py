"""Every check of the bank, given whatever a frame can contain: a verdict, and never an exception of the judge."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from grader.core import serialize
from grader.core.model import Array, ArrayComparison, Job, Limits, Observation, Observed, Returned, Status, Verdict
from grader.course import loader
from grader.grading import checks, courses, verdicts
from grader.grading.checks import JudgeInput, gradients
from grader.grading.compare import compare
from grader.grading.context import GradingContext
from grader.grading.explaining.mistakes import agree
from grader.grading.inputs import Seed
from grader.grading.programs import Target
from grader.report.array_svg import array_picture
from grader.report.figures import run
from tests.fuzz import carried
from tests.fuzz.reading import Reader, fuzzing


def nobody(job: Job, limits: Limits) -> Observed:
    """Runs nothing."""
    raise AssertionError


@functools.cache
def asked() -> tuple[tuple[JudgeInput, tuple[int, ...]], ...]:
    """Every check of the bank on each case, in both array types, and how many values its programs send."""
    loaded = courses.load(loader.find(None))
    context = GradingContext(loaded, Seed.public(), nobody)
    found = []
    for exercise in (exercise for question in loaded.questions for exercise in question.exercises):
        for entry, kind in itertools.product(context.entries(exercise), exercise.array_types):
            programs = checks.kinds()[entry.spec.kind].calls(Target(exercise, "q", kind), entry.drawn, entry.spec)
            seen = JudgeInput(exercise, entry.case, entry.spec, entry.drawn, (), (), kind)
            found.append((seen, tuple(len(program.send) for program in programs)))
    return tuple(found)


def one_of_each() -> Iterator[tuple[JudgeInput, tuple[int, ...]]]:
    """The first of each kind of check and array type in the bank."""
    found: dict[object, tuple[JudgeInput, tuple[int, ...]]] = {}
    for seen, sends in asked():
        found.setdefault((seen.spec.kind, seen.array_type), (seen, sends))
    yield from found.values()


def returned(sends: Sequence[int], values: Iterator[Any]) -> tuple[Observation, ...]:
    """That many values for each program."""
    return tuple(Returned(tuple(itertools.islice(values, count))) for count in sends)


def with_results(seen: JudgeInput, sends: Sequence[int], got: Iterator[Any], right: Any) -> JudgeInput:
    """The check with these results, and ``right`` as all that the reference returned."""
    wanted = [right] * len(gradients.names(seen)) if seen.spec.kind == "gradients" else right
    expected = returned(sends, itertools.repeat(wanted)) if checks.kinds()[seen.spec.kind].KIND.reference else ()
    return replace(seen, got=returned(sends, got), expected=expected)


def judged(seen: JudgeInput) -> Verdict:
    """The verdict of the judge itself, whose exceptions are findings."""
    with np.errstate(all="ignore"):
        found = verdicts._judged(seen)
    assert found.status in (Status.PASSED, Status.FAILED, Status.SKIPPED)
    return found


def test_no_value_breaks_a_judge() -> None:
    """Each kind of check, given each kind of value everywhere, in one place, and mixed."""
    some = carried.SOME
    for seen, sends in one_of_each():
        for right in carried.RIGHT if checks.kinds()[seen.spec.kind].KIND.reference else carried.RIGHT[:1]:
            for at, value in enumerate(some):
                for got in ((value,), some[at:] + some[:at], (value, right)):
                    judged(with_results(seen, sends, itertools.cycle(got), right))


def test_no_value_breaks_a_picture() -> None:
    """Any value may be shown in a report beside the reference's arrays, and in the course's pictures."""
    for right, value in itertools.product(carried.RIGHT, carried.SOME):
        if isinstance(right, Array) and isinstance(value, Array) and value.values.ndim and value.values.size > 1:
            found = compare(right, value)
            shown = ArrayComparison("e", "c", "result", right.values, value.values, found.difference if found else None)
            assert array_picture(shown).actual
        wanted = run._to_numpy(right)
        if run.mismatch(wanted, value) is None:
            run._strays(wanted, run._to_numpy(value))


def examined(example: tuple[int, int, list[Any]], scratch: Path) -> None:
    """One check of the bank, with any values."""
    which, right, values = example
    seen, sends = asked()[which % len(asked())]
    seen = with_results(seen, sends, itertools.cycle(values), carried.RIGHT[right % len(carried.RIGHT)])
    found = judged(seen)
    signature = checks.signature(seen.spec, seen.drawn, seen.got)
    agree(signature, signature, seen.array_type)
    agree(signature, checks.signature(seen.spec, seen.drawn, seen.got[::-1]), seen.array_type)
    assert serialize.load(Verdict, json.loads(json.dumps(serialize.dump(found)))) == found


_EXAMPLES = st.tuples(st.integers(0, 1 << 20), st.integers(0, 20), st.lists(carried.VALUES, min_size=1, max_size=4))
test_sample, test_long = fuzzing(Reader("values for judges", _EXAMPLES, examined, sample=100))
