from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.errors import CourseError
from grader.core.model import (
    Apply,
    Array,
    Call,
    Case,
    Exercise,
    Literal_,
    Made,
    Normal,
    Parameter,
    Permutation,
    Recipe,
    Ref,
    Text,
    Value,
)
from grader.grading.inputs import DrawnMade, Seed, derangement, draw, make
from grader.grading.programs import Target, Writer

WORDS = Text("words", "文字")
ATTEND = Made("attend", (("a", Normal((2, "n"))), ("scale", Literal_(2.0)), ("inner", Made("other", ()))))


def case(**args: Recipe) -> Case:
    """A case that draws n."""
    return Case("basic", True, tuple(args.items()), draw=(("n", (3, 5)),))


def exercise(kind: Any = "function") -> Exercise:
    """``gap(f, x)``, or a class ``gap(f)`` with ``forward(x)``."""
    f, x = Parameter("f", True), Parameter("x", True)
    taken = ((f, x), ()) if kind == "function" else ((f,), (x,))
    return Exercise("gap", kind, "gap(f, x)", taken[0], WORDS, WORDS, "bank.gap", 1.0, (), (), forward=taken[1])


# ---------------------------------------------------------------------------------------- permutations


@pytest.mark.parametrize("size", [0, 2, 3, 7, 50])
def test_a_permutation_moves_everything(size: int) -> None:
    """All integers are there once, and none where it would be without shuffling."""
    for seed in range(20):
        found = make(Permutation("n"), {"n": size}, np.random.default_rng(seed))
        assert found.dtype == np.int64
        assert sorted(found) == list(range(size))
        assert not (found == np.arange(size)).any()


def test_every_such_order_comes_up() -> None:
    """Three things have two orders in which none is at its place."""
    generator = np.random.default_rng(0)
    assert {tuple(derangement(3, generator)) for _ in range(40)} == {(1, 2, 0), (2, 0, 1)}


def test_one_thing_cannot_be_moved() -> None:
    """The case is named, and how many are needed."""
    with pytest.raises(CourseError, match=r"gap, case 'basic', args\.p: .*at least 2"):
        draw(case(p=Permutation(1)), "gap", Seed.public())


# ------------------------------------------------------------------------------- things made in the child


def test_the_parts_are_drawn_here_and_put_together_there() -> None:
    """Arrays are in the precision of the writer, everything else as it is; what is inside is made first."""
    drawn = draw(case(f=ATTEND, x=Normal((2,))), "gap", Seed.public())
    made = dict(drawn.args)["f"]
    assert isinstance(made, DrawnMade)
    parts = dict(made.parts)
    assert parts["a"].shape in {(2, 3), (2, 5)}
    writer = Writer.to(Target(exercise(), "q13", precision="float64"))
    called = writer.call(drawn, layout="strided", requires_grad=True)
    inner, attend, x, call = writer.steps
    assert inner == Apply("other")
    assert isinstance(attend, Apply)
    assert (attend.helper, attend.args) == ("attend", ())
    given = dict(attend.kwargs)
    assert isinstance(given["a"], Array)
    assert (given["a"].values.dtype, given["a"].layout, given["a"].requires_grad) == (np.float64, "plain", False)
    assert np.array_equal(given["a"].values, parts["a"])
    assert (given["scale"], given["inner"]) == (2.0, Ref(0))
    assert isinstance(x, Value)
    assert call == Call("gap", (Ref(1), Ref(2)))
    assert called.arguments == (("f", Ref(1)), ("x", Ref(2)))


def test_a_class_may_be_constructed_with_one() -> None:
    """Arrays among the arguments of a class are arrays of the program, too."""
    plain = case(x=Normal((2,)))
    for recipe, expected in ((Made("attend"), Ref), (Normal((2, 2)), Array), (Literal_(3), int)):
        drawn = draw(replace(plain, construct=(("f", recipe),)), "gap", Seed.public())
        writer = Writer.to(Target(exercise("class"), "q13"))
        writer.instance(drawn)
        (construct,) = [step for step in writer.steps if isinstance(step, Call)]
        assert isinstance(construct.args[0], expected)
