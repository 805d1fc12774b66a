"""Whatever a child answers for a hidden case, reports contain none of its words or numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.core.model import Array, Course, Job, Limits, Observation, Observed, Raised, Returned, Unreadable
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox
from grader.submission import read
from tests.attacks import arena

SOLUTIONS = arena.ROOT / "tests" / "solutions"
NAMES = sorted(folder.name for folder in SOLUTIONS.iterdir() if (folder / "right").is_dir())
#: One in every run; all others by `make prove`.
FEW = ("softmax",)


@pytest.fixture(scope="module")
def context(course: Course, sandbox: Sandbox) -> GradingContext:
    """One cache of reference results for all forgeries."""
    return GradingContext(course, Seed("secret", b"0123456789abcdef"), sandbox.observe)


def forged(number: int) -> Iterator[tuple[str, Any]]:
    """What a child could send, as a value or instead of one, to reveal ``number``."""
    digits = [1000 + int(digit) for digit in str(number)]  # like no real size
    yield "a number", number
    yield "a float", float(number) + 0.25
    yield "a text", f"input {number}"
    yield "a shape", Array(np.zeros((0, *digits[:6])), "numpy", dtype="float64")
    yield "a long list", [None] * (number % 1009)
    yield "a long tuple", (None,) * (number % 1009)
    yield "a dict", {f"input {number}": number}
    yield "counts", {"work": number, "largest": number, "peak": number, "exits": False}
    yield "scaled", "scaled"
    yield "a description", _described(number)
    yield "an exception", Raised(f"Input{number}", f"input {number}", None, None, "call", ("Exception",))
    for reason in (
        "projections",
        "projection-shape",
        "table",
        "layer",
        "undefined",
        "type",
        "dtype",
        "tensor",
        "state",
    ):
        yield reason, Unreadable(reason, (f"input {number}",) * 5)
    yield "a reason", Unreadable(f"input {number}", ())


def _described(number: int) -> dict[str, Any]:
    role = f"input {number}"
    lists = {"registered": {role: False}, "trainable": {role: False}}
    return {"attributes": {role: role}, "shared": [], "missing": [role], "module": True, "biased": False, **lists}


def said(seen: Observation, lie: Any, number: int) -> Observation:
    """An observation with ``lie`` for every value in it."""
    if isinstance(lie, (Raised, Unreadable)) or not isinstance(seen, Returned):
        return lie if isinstance(lie, (Raised, Unreadable)) else seen
    if lie == "scaled":
        return Returned(tuple(map(lambda value: _scaled(value, number), seen.values)))
    return Returned((lie,) * len(seen.values))


def _scaled(value: Any, number: int) -> Any:
    match value:
        case Array(values=values) if values.dtype.kind == "f":
            return replace(value, values=values * number)
        case list() | tuple():
            return type(value)(_scaled(entry, number) for entry in value)
        case dict():
            return {key: _scaled(entry, number) for key, entry in value.items()}
        case int() if type(value) is int:
            return value * number
    return value


def solution(name: str) -> Path:
    """A correct solution, in torch if there is one."""
    found = sorted((SOLUTIONS / name / "right").glob("*.py"))
    return next((path for path in found if path.stem.startswith("torch")), found[0])


def told(
    name: str, context: GradingContext, honest: Observed, number: int
) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """For every forgery, check and hidden case: the status and the sentences in both languages."""
    found = {}
    for kind, lie in forged(number):
        lies = replace(honest, observations=tuple(said(seen, lie, number) for seen in honest.observations))
        report = grade(context.course, read(solution(name)), lambda job, limits, lies=lies: lies, context=context)
        for outcome in (o for q in report.questions for e in q.exercises for o in e.outcomes):
            if outcome.visibility == "hidden":
                text = outcome.verdict.message
                words = (text.en, text.zh) if text else ()
                assert outcome.verdict.difference is None
                found[kind, outcome.check, outcome.case] = (outcome.status.value, *words)
    return found


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FEW else pytest.mark.prove) for name in NAMES])
def test_nothing_of_a_hidden_case_is_told(name: str, context: GradingContext, sandbox: Sandbox) -> None:
    """For two numbers, revealed in every way that a child has, the sentences are the same."""
    answers = []

    def listen(job: Job, limits: Limits) -> Observed:
        answers.append(sandbox.observe(job, limits))
        return answers[-1]

    report = grade(context.course, read(solution(name)), listen, context=context)
    assert [e.status for q in report.questions for e in q.exercises if e.name == name] == ["passed"]
    one, other = (told(name, context, answers[0], number) for number in (73519268, 58130947))
    assert one.keys() == other.keys()
    assert {key: (one[key], other[key]) for key in one if one[key] != other[key]} == {}
