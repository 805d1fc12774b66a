from __future__ import annotations

import importlib
import inspect
import itertools
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.marks import plain
from grader.core.model import (
    ArrayType,
    CheckSpec,
    Died,
    NotRun,
    Observation,
    Raised,
    Status,
    TimedOut,
    TooBig,
    Unreadable,
    Verdict,
)
from grader.grading import verdicts
from grader.grading.checks import cases_for, kinds
from grader.sandbox import Sandbox
from tests.attention import ATTEND, EXERCISES, REFERENCE
from tests.helpers import DOUBLE, array, case, exercise, returned, seen
from tests.helpers import verdicts as judged

TROUBLES: list[tuple[Observation, Status]] = [
    (Raised("IndexError", "out of range", "q05.py", 3), Status.RAISED),
    (Raised("KeyError", "3", "q05.py", 1, "import"), Status.RAISED),
    (TimedOut(2.0, "cpu"), Status.TIMED_OUT),
    (TimedOut(6.0, "wall", "import"), Status.TIMED_OUT),
    (Died(11, None), Status.DIED),
    (Died(None, 3, "import"), Status.DIED),
    (TooBig(1 << 20), Status.FAILED),
    (Unreadable("type", ("module",)), Status.FAILED),
    (NotRun("budget"), Status.SKIPPED),
]


@pytest.mark.parametrize("kind", kinds())
def test_the_tables(kind: str, sandbox: Sandbox) -> None:
    """In the test of each check, what ``PASSES`` passes without a remark; what is ``CAUGHT`` fails with its words."""
    tables = importlib.import_module(f"tests.grading.checks.test_{kind}")
    exercises = getattr(tables, "EXERCISES", EXERCISES)
    reference = getattr(tables, "REFERENCE", REFERENCE) if kinds()[kind].KIND.reference else ""
    assert tables.PASSES
    assert tables.CAUGHT
    found = judged(sandbox.observe, kind, exercises, reference, [*tables.PASSES, *tables.CAUGHT])
    assert {name: found[name] for name, _ in tables.PASSES if found[name] != Verdict(Status.PASSED)} == {}
    for name, _, fragment in tables.CAUGHT:
        told = found[name].message
        assert found[name].applies and found[name].status is not Status.PASSED, (name, found[name])
        assert told is not None and fragment in plain(told.en), (name, fragment, found[name])


@pytest.mark.parametrize(("trouble", "status"), TROUBLES, ids=[type(t).__name__ for t, _ in TROUBLES])
def test_every_check_takes_every_trouble(trouble: Observation, status: Status) -> None:
    """Whatever happened instead of a result has its own status, and words in both languages."""
    assert kinds()
    for kind, check in kinds().items():
        fine = returned([array([1.0])] if kind == "gradients" else array([1.0]))
        verdict = verdicts.judge(seen(kind, [trouble], (fine, fine) if check.KIND.reference else ()))
        other = kind == "raises" and isinstance(trouble, Raised) and trouble.during == "call"
        assert verdict.status is (Status.FAILED if other else status), kind  # not the exception that was asked for
        assert verdict.applies, kind
        assert verdict.message is not None, kind
        assert verdict.message.en and verdict.message.zh, kind


@pytest.mark.parametrize("trouble", [trouble for trouble, _ in TROUBLES], ids=lambda trouble: type(trouble).__name__)
def test_a_failed_reference_costs_nobody_a_point(trouble: Observation) -> None:
    """Whatever became of the learner's call, nothing is marked that cannot be compared."""
    comparing = [kind for kind, check in kinds().items() if check.KIND.reference]
    assert comparing
    for kind in comparing:
        for got in ([returned(array([1.0]))], [Died(11, None)]):
            verdict = verdicts.judge(seen(kind, got, [trouble]))
            assert verdict.status is Status.UNMARKED, kind
            assert verdict.message is not None, kind
            assert "the course's own reference failed" in verdict.message.en, kind


@pytest.mark.parametrize("kind", sorted(set(kinds()) - {"raises", "registered_parameters"}))
def test_too_few_observations_are_our_mistake(kind: str) -> None:
    """A check that gets less than it asked for says so, and marks nothing."""
    with pytest.raises(ValueError, match=r"ask|unpack|gradients"):
        kinds()[kind].judge(seen(kind, []))


#: Checks that may give their points to the others, and the only sentence with which they do.
SKIPS = {
    "dtype": "the result has no floating-point dtype to keep",  # decided by the reference's result
    "gradients": "gradients are checked in torch only",  # NumPy alone
    "registered_parameters": "a plain class has no parameters to register",  # a form that every course accepts
}
#: What code could put in the place of a result, or of what its process counted.
FORGED: list[Any] = [
    None,
    True,
    1,
    0.5,
    "text",
    [],
    {},
    [None],
    array([1.0]),
    array([]),
    array([np.nan]),
    {"work": 0},
    {"work": 10**9, "largest": 0, "elsewhere": 0, "exits": True, "unseen": True},
    {"attributes": {}, "shared": [], "registered": {}, "trainable": {}},
]


@pytest.mark.parametrize("array_type", ["torch", "numpy"])
@pytest.mark.parametrize("kind", sorted(kinds()))
def test_nobody_chooses_where_the_points_go(kind: str, array_type: ArrayType) -> None:
    """Whatever code returns or forges, its check counts: only those in ``SKIPS`` may leave their points to others."""
    said = set()
    of = ATTEND if kind in ("causal", "memory") else DOUBLE
    for first, second in itertools.product(FORGED, FORGED):
        for got in ([returned(first), returned(second)], [returned(first, second)], [returned(first)]):
            expected = [returned([array([1.0])] if kind == "gradients" else array([1.0]))] * len(got)
            verdict = verdicts.judge(seen(kind, got, expected, of, array_type=array_type))
            said |= set() if verdict.applies else {verdict.message.en if verdict.message else ""}
    assert said <= {SKIPS.get(kind)}


def test_only_these_checks_give_their_points_away() -> None:
    """A new one needs its reason here, and a test that learner code cannot bring it about."""
    sources = {kind: inspect.getsource(sys.modules[check.__name__]) for kind, check in kinds().items()}
    assert {kind for kind, text in sources.items() if "applies=False" in text} == SKIPS.keys()


THROUGH_TORCH = """
import torch

def attend(q, k, v, mask):
    q, k, v, mask = map(torch.from_numpy, (q, k, v, mask))
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf)
    return (torch.softmax(scores, -1) @ v).numpy()
"""


def test_torch_code_is_judged_as_torch_code(sandbox: Sandbox) -> None:
    """Arrays of NumPy at the door do not move the points of gradients."""
    row = ("torch", THROUGH_TORCH)
    found = judged(sandbox.observe, "gradients", EXERCISES, REFERENCE, [row], array_type="numpy")["torch"]
    assert (found.status, found.applies) == (Status.FAILED, True)
    assert found.message is not None and "takes NumPy arrays and computes with torch" in found.message.en


BASIC, OTHER, ROWS, BAD = (
    case("basic"),
    case("other"),
    replace(case("rows"), only=("fully_masked_rows",)),
    replace(case("bad"), raises="ValueError"),
)
EXERCISE = exercise("attend(x)", BASIC, OTHER, ROWS, BAD)


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (CheckSpec("values", 4.0), ["basic", "other"]),
        (CheckSpec("values", 4.0, ("rows",)), ["rows"]),
        (CheckSpec("gradients", 1.0), ["basic"]),
        (CheckSpec("gradients", 1.0, ("other", "basic")), ["basic", "other"]),
        (CheckSpec("fully_masked_rows", 1.0), ["basic", "other", "rows"]),
        (CheckSpec("raises", 1.0), ["bad"]),
    ],
)
def test_the_cases_of_a_check(spec: CheckSpec, names: list[str]) -> None:
    """Those that it names, those that name it, else its own choice; in the order of the exercise."""
    assert [each.name for each in cases_for(spec, EXERCISE)] == names


def test_a_check_of_one_case_takes_its_own() -> None:
    """Cases that name a check come before the first general one."""
    own = replace(EXERCISE, cases=(BASIC, replace(ROWS, only=("dtype",)), BAD))
    assert [each.name for each in cases_for(CheckSpec("dtype", 1.0), own)] == ["rows"]
