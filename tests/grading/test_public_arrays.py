"""Arrays for people to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.errors import SandboxError
from grader.core.model import (
    ArrayComparison,
    CheckSpec,
    Exercise,
    Job,
    Limits,
    Normal,
    Observation,
    Observed,
    Outcome,
    Program,
    Raised,
    RandomMask,
    Report,
    Same,
    Status,
    Value,
    Variant,
    Verdict,
)
from grader.core.text import same
from grader.grading.grade import grade
from grader.grading.inputs import Seed, draw
from grader.grading.public_arrays import LIMITS, compare_public_cases, with_unit_values
from grader.sandbox import Sandbox
from tests.helpers import Observe, answering, array, case, course, exercise, question, returned, submission

Q, K, V = Normal((2, 3, 4)), Normal((2, 5, 4)), Normal((2, 5, 6))
ATTEND = exercise(
    "attend(q, k, v, mask=None)",
    case("seen", q=Q, k=K, v=V, mask=RandomMask((2, 3, 5))),
    case("unseen", public=False, q=Q, k=K, v=V),
    replace(case("refused", q=Q, k=K, v=V), raises="ValueError"),
    returns="attention",
    checks=(CheckSpec("values", 4.0, options=(("atol", 0.5),)), CheckSpec("raises", 1.0)),
)
DOUBLE = exercise("double(x)", case("seen", x=Normal((3,))), case("other", x=Normal((3,))))
REFERENCE = """
    import torch
    def attend(q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return scores.softmax(-1) @ v
    def double(x): return 2 * x
"""
COURSE = course(question("Q5", ATTEND), question("Q6", DOUBLE), reference=REFERENCE)
MINE = submission(
    q05="import torch\ndef attend(q, k, v, mask=None): return torch.softmax(q @ k.mT, -1) @ v\n",
    q06="import torch\ndef double(x): return x\n",
)
RIGHT = returned(array([1.0, 2.0, 3.0]))


def report_of(observe: Observe) -> Report:
    """What grading found."""
    return grade(COURSE, MINE, observe)


def looked(mine: Callable[[Program], Observation], right: Observation = RIGHT, *, of: Report | None = None) -> Any:
    """Pictures where the learner's programs are answered by ``mine``; and all programs that were run."""
    asked: list[Program] = []

    def observe(job: Job, limits: Limits) -> Observed:
        asked.extend(job.programs)
        return answering(lambda p: right if p.module.startswith("reference.") else mine(p))(job, limits)

    report = of or report_of(answering(lambda _: RIGHT))
    return compare_public_cases(COURSE, MINE, report, observe, observe), asked


def test_in_the_sandbox(sandbox: Sandbox) -> None:
    """Weights are shown beside results: those that the learner's code gave, and the right ones."""
    report = grade(COURSE, MINE, sandbox.observe)
    found = {
        (each.exercise, each.case, each.what): each
        for each in compare_public_cases(COURSE, MINE, report, *[sandbox.observe] * 2)
    }
    assert list(found) == [
        ("attend", "seen", "weights"),
        ("attend", "seen", "result"),
        ("double", "seen", "result"),
        ("double", "other", "result"),
    ]
    weights = found["attend", "seen", "weights"]
    assert weights.expected.shape == weights.actual.shape == (2, 3, 5)
    for array_ in (weights.expected, weights.actual):
        np.testing.assert_allclose(array_.sum(-1), 1, atol=1e-5)
    ((name, mask),) = weights.masks
    assert name == "mask"
    assert (weights.expected[~mask] == 0).all()
    assert (weights.actual[~mask] > 0).any()
    doubled = found["double", "seen", "result"]
    np.testing.assert_allclose(doubled.expected, 2 * doubled.actual, rtol=1e-6)
    assert doubled.difference is not None and doubled.difference.index == (0,)


def test_only_public_cases_that_return_are_run() -> None:
    """Nothing of a hidden case is sent to the child or shown; neither are cases that should raise."""
    pictures, asked = looked(lambda _: RIGHT)
    assert {(each.exercise, each.case) for each in pictures} == {
        ("attend", "seen"), ("double", "seen"), ("double", "other"),
    }  # fmt: skip
    assert not [program for program in asked if program.hidden]
    assert len(asked) == 2 * 4


def test_tolerances_are_those_of_the_check() -> None:
    """What the check lets pass is no difference in the picture."""
    pictures, _ = looked(lambda _: returned(array([1.4, 2.0, 3.0])))
    assert {each.exercise: each.difference is None for each in pictures} == {"attend": True, "double": False}


@pytest.mark.parametrize(
    "answer",
    [
        Raised("ValueError", "no", "q05.py", 1),
        returned(1.0),
        returned(array([1.0])),
        returned(array(1.0)),
        returned("text"),
        returned(array([1.0, 2.0]), array([1.0, 2.0])),
    ],
)
def test_what_is_no_array_has_no_picture(answer: Observation) -> None:
    """The other pictures are there all the same."""
    pictures, _ = looked(lambda program: answer if program.module == "q05" else RIGHT)
    assert {each.exercise for each in pictures} == {"double"}
    assert looked(lambda _: RIGHT, answer)[0] == ()


@pytest.mark.parametrize("status", [Status.TIMED_OUT, Status.DIED])
def test_code_that_was_stopped_is_not_run_again(status: Status) -> None:
    """Nobody waits for it twice."""
    report = report_of(answering(lambda _: RIGHT))
    first, second = report.questions
    (result,) = first.exercises
    stopped = replace(result, outcomes=(*result.outcomes, Outcome("dtype", "seen", "public", Verdict(status), 0, 1)))
    _, asked = looked(lambda _: RIGHT, of=replace(report, questions=(replace(first, exercises=(stopped,)), second)))
    assert {program.module for program in asked} == {"q06", "reference.bank"}


def test_nothing_to_run() -> None:
    """Where no code was graded, no sandbox is asked."""

    def never(job: Job, limits: Limits) -> Observed:
        raise AssertionError("nothing should be run")

    report = replace(report_of(answering(lambda _: RIGHT)), questions=())
    assert compare_public_cases(COURSE, MINE, report, never, never) == ()


@pytest.mark.parametrize("whose", ["mine", "the reference's"])
def test_a_broken_sandbox_costs_the_pictures_alone(whose: str) -> None:
    """The report stands without them."""

    def broken(job: Job, limits: Limits) -> Observed:
        raise SandboxError(same("the zygote is gone"))

    fine = answering(lambda _: RIGHT)
    observe, observe_reference = (broken, fine) if whose == "mine" else (fine, broken)
    assert compare_public_cases(COURSE, MINE, report_of(fine), observe, observe_reference) == ()


def test_memory_is_bounded() -> None:
    """No result of more than a megabyte is taken in, and not many of these."""
    assert (LIMITS.result_bytes, LIMITS.total_bytes) == (1 << 20, 16 << 20)


def test_another_form_of_the_arguments() -> None:
    """Of the forms that the contract allows, the first that is right is shown, else the first that returned."""
    cases = [case("seen", q=Q, k=K, mask=RandomMask((2, 1, 3, 5)))]
    flexible = exercise("scores(q, k, mask)", *cases, variants=(Variant("per sample", (("mask", ("q", "k")),)),))
    bank, mine = course(question("Q5", flexible)), submission(q05="def scores(q, k, mask): return q")
    wrong = returned(array([7.0, 7.0, 7.0]))

    def actual(plain: Observation, varied: Observation) -> list[float]:
        def answer(program: Program) -> Observation:
            masks = [s.value.values for s in program.steps if isinstance(s, Value) and s.value.values.dtype == bool]
            if program.module.startswith("reference."):
                return RIGHT
            return plain if masks[0].ndim == 4 else varied

        observe = answering(answer)
        (picture,) = compare_public_cases(bank, mine, grade(bank, mine, observe), observe, observe)
        assert isinstance(picture, ArrayComparison)
        return list(picture.actual)

    assert actual(wrong, RIGHT) == [1, 2, 3]
    assert actual(Raised("ValueError", "", None, None), wrong) == [7, 7, 7]
    assert actual(wrong, wrong) == [7, 7, 7]


@pytest.mark.parametrize(
    ("signature", "more", "shape"),
    [
        ("attend(q, k, v)", {"returns": "attention"}, (2, 5, 5)),
        ("attend(q, k, values)", {"returns": "attention"}, (2, 5, 5)),
        ("attend(q, k, v)", {}, None),
        ("attend(q, k, w)", {"returns": "attention"}, None),
        ("Attend(d)", {"returns": "attention", "forward": "forward(q, k, v)"}, None),
    ],
)
def test_unit_values(signature: str, more: dict[str, Any], shape: tuple[int, ...] | None) -> None:
    """Functions that return attention get the identity for values, in every sample; others have no weights to show."""
    last = signature.removesuffix(")").split(", ")[-1] if "(d)" not in signature else "v"
    one: Exercise = exercise(signature, case("seen", q=Q, k=K, **{last: V}), **more)
    found = with_unit_values(one, draw(one.cases[0], one.name, Seed.public()))
    assert (None if found is None else found.value(last).shape) == shape
    if found is not None:
        np.testing.assert_array_equal(found.value(last)[1], np.eye(5))


def test_the_same_array_twice() -> None:
    """Where the values are another argument's very array, that one stays as it is: the case has no weights."""
    one = exercise("attend(q, k, v)", case("seen", q=Q, k=K, v=Same("k")), returns="attention")
    assert with_unit_values(one, draw(one.cases[0], one.name, Seed.public())) is None
