"""What a check says of a hidden case has no number and no name that the learner's process could have chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.model import CheckSpec, Normal, Returned, Status
from grader.grading.checks import JudgeInput, kinds
from grader.grading.inputs import Drawn
from tests.helpers import array, case, exercise, returned, seen

MATRIX = Drawn((), (), (("w_q", np.zeros((4, 4))), ("b_q", np.zeros(4))))
PLACES: dict[str, Any] = {"attributes": {"w_q": "layer"}, "shared": [], "registered": {}, "trainable": {}}
ONE = ["layer", [4, 4], True, True]
MANY = ["more", [777, 7], True, True]
IDLE = ["more", [777, 7], True, False]


def words(kind: str, got: tuple[Returned, ...], public: bool, **more: Any) -> str:
    """The sentence about a failure, in a public case or in a hidden one."""
    judged = kinds()[kind].judge(replace(_seen(kind, got, **more), case=case("some", public=public)))
    assert judged.status is Status.FAILED
    assert judged.message is not None
    return judged.message.en + judged.message.zh


def _seen(kind: str, got: tuple[Returned, ...], options: dict[str, Any] | None = None, **more: Any) -> JudgeInput:
    return seen(kind, got, spec=CheckSpec(kind, 1.0, options=tuple((options or {}).items())), **more)


TURN = exercise("turn(x)", case(x=Normal((2, 5, 6))))
ATTEND = exercise("attend(q, k, v)", case(q=Normal((400, 4)), k=Normal((400, 4)), v=Normal((400, 4))))
SCORES = exercise("scores(q, k)", case(q=Normal((2, 4)), k=Normal((3, 4))))
TURNED = np.random.default_rng(0).standard_normal((2, 5, 6))

ROWS: list[tuple[str, str, tuple[Returned, ...], dict[str, Any]]] = [
    ("memory", "largest", (returned({"largest": 777 * 160000}),), {"of": ATTEND}),
    ("memory", "peak", (returned({"largest": 1, "peak": 777 * 640000}),), {"of": ATTEND}),
    ("registered_parameters", "many", (returned(PLACES, [ONE, MANY]),), {"drawn": MATRIX}),
    ("registered_parameters", "idle", (returned(PLACES, [ONE, ["777", [1], True, False]]),), {"drawn": MATRIX}),
    (
        "registered_parameters",
        "only",
        (returned(PLACES, [ONE, MANY]),),
        {"drawn": MATRIX, "options": {"biases": False}},
    ),
    (
        "operations",
        "ratio",
        tuple(returned({"work": work, "elsewhere": 0, "unseen": False}) for work in (200, 777 * 200)),
        {"options": {"of": "n", "at": (128, 256)}},
    ),
    ("variance", "observed", (returned(*[array(np.linspace(-9, 777, 2000)[:, None, None])] * 3),), {"of": SCORES}),
]


@pytest.mark.parametrize(
    ("kind", "got", "more"), [row[:1] + row[2:] for row in ROWS], ids=[" ".join(r[:2]) for r in ROWS]
)
def test_numbers_stay_out_of_hidden_cases(kind: str, got: tuple[Returned, ...], more: dict[str, Any]) -> None:
    """A public case may tell the number; a hidden one is told in other words."""
    public, hidden = (words(kind, got, public, **more) for public in (True, False))
    assert public != hidden
    assert "777" not in hidden
    assert "layer" not in hidden


def test_a_factor_stays_out_of_hidden_cases() -> None:
    """That vectors change their length is all that is told."""
    drawn = Drawn((("x", TURNED.astype(np.float32)),), (), ())
    got = (returned(array(TURNED * 777)),)
    assert "777" in words("norm_preserved", got, True, of=TURN, drawn=drawn)
    assert "777" not in words("norm_preserved", got, False, of=TURN, drawn=drawn)


@pytest.mark.parametrize("role", ["777", "w_q 777"])
def test_roles_that_nobody_gave_are_no_description(role: str) -> None:
    """A child that describes something else than the case's parameters has been tampered with."""
    found = PLACES | {"attributes": {role: role}, "registered": {role: False}}
    for public in (True, False):
        assert role not in words("registered_parameters", (returned(found, [ONE]),), public, drawn=MATRIX)
