from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grader.core.model import (
    Apply,
    Array,
    Call,
    Causal,
    Exercise,
    Integers,
    Literal_,
    Normal,
    Program,
    RandomMask,
    Recipe,
    Ref,
    Same,
    Value,
    Variant,
)
from grader.grading.inputs import Drawn, Seed, draw
from grader.grading.programs import Target, Writer, apply_variant
from tests.attention import ATTENTION
from tests.helpers import case, exercise

FUNCTION = exercise("attend(q, k, mask=None, causal=False)")


def inputs(one: Exercise, **args: Recipe) -> Drawn:
    """Drawn arguments."""
    return draw(case(**args), one.name, Seed.public())


def test_required_arguments_by_position_and_optional_ones_by_name() -> None:
    """As the contract has it, in the order of the signature; what a case leaves out is left out."""
    writer = Writer.to(Target(FUNCTION, "q05"))
    called = writer.call(inputs(FUNCTION, causal=Literal_(True), k=Literal_(2), q=Literal_(1)))
    assert writer.steps[:3] == [Value(True), Value(2), Value(1)]
    assert writer.steps[3] == Call("attend", (Ref(2), Ref(1)), (("causal", Ref(0)),))
    assert (called.output, called.filled) == (Ref(3), None)
    assert called.arguments == (("causal", Ref(0)), ("k", Ref(1)), ("q", Ref(2)))


def test_the_same_array_is_given_twice_not_copied() -> None:
    """One step makes it, two arguments refer to it."""
    writer = Writer.to(Target(FUNCTION, "q05"))
    writer.call(inputs(FUNCTION, q=Normal((2,)), k=Same("q")))
    assert writer.steps[1] == Call("attend", (Ref(0), Ref(0)))


def test_a_step_can_stand_right_before_the_call() -> None:
    """When the arguments are ready."""
    writer = Writer.to(Target(FUNCTION, "q05"))
    writer.call(inputs(FUNCTION, q=Literal_(1), k=Literal_(2)), before=Apply("start"))
    assert writer.steps == [Value(1), Value(2), Apply("start"), Call("attend", (Ref(0), Ref(1)))]


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_floats_take_the_precision_and_others_keep_their_type(precision: str) -> None:
    """Layout and gradients are for floats; a mask may be strided, too."""
    writer = Writer.to(Target(FUNCTION, "q05", precision=precision))
    drawn = inputs(FUNCTION, q=Normal((2,)), k=Integers((2,), 0, 3), mask=RandomMask((1, 2)))
    writer.call(drawn, layout="strided", requires_grad=True)
    q, k, mask = (step.value for step in writer.steps[:3] if isinstance(step, Value))
    assert (q.values.dtype, q.requires_grad, q.layout) == (precision, True, "strided")
    assert (k.values.dtype, k.requires_grad) == (np.int64, False)
    assert (mask.values.dtype, mask.requires_grad, mask.layout) == (bool, False, "strided")
    assert np.array_equal(q.values, dict(drawn.args)["q"].astype(precision))


def test_a_target_decides_precision_and_name() -> None:
    """The reference is called in float64, by its own name, in a group that is its own unless it is given one."""
    target = Target(FUNCTION, "reference.attention", precision="float64", calls="attention")
    writer = Writer.to(target)
    writer.call(inputs(FUNCTION, q=Normal((2,)), k=Literal_(1)))
    assert isinstance(writer.steps[0], Value)
    assert writer.steps[0].value.values.dtype == np.float64
    assert isinstance(writer.steps[2], Call)
    assert writer.steps[2].target == "attention"
    program = writer.program(Ref(2), Ref(0), seed=7)
    assert program == Program("reference.attention", tuple(writer.steps), (2, 0), "attend", "torch", 7)
    regroup = Writer.to(replace(target, group="attend numpy", array_type="numpy")).program()
    assert (regroup.group, regroup.array_type) == ("attend numpy", "numpy")


def test_a_class_is_made_readied_filled_and_called() -> None:
    """Construction, ``eval`` and precision, the parameters of the case, then ``forward`` with the output taken."""
    writer = Writer.to(Target(ATTENTION, "q11"))
    called = writer.call(draw(ATTENTION.cases[0], "Attention", Seed.public()))
    made, ready, fill, *given, forward, output = writer.steps
    assert made == Call("Attention", (4,))
    assert ready == Apply("ready", (Ref(0), "float32"))
    assert isinstance(fill, Apply)
    assert (fill.helper, fill.args[0], sorted(fill.args[1])) == ("projections", Ref(1), ["w_k", "w_o", "w_q", "w_v"])
    assert all(isinstance(weight, Array) for weight in fill.args[1].values())
    assert all(isinstance(step, Value) for step in given)
    assert forward == Apply("forward", (Ref(1), Ref(3), Ref(4), Ref(5)))
    assert output == Apply("attention_output", (Ref(6),))
    assert (called.output, called.filled) == (Ref(7), Ref(2))


def test_an_instance_can_be_called_again() -> None:
    """Nothing is constructed for the second call."""
    plain = replace(ATTENTION, adapter=None, returns="value")
    drawn = draw(plain.cases[0], "Attention", Seed.public())
    writer = Writer.to(Target(plain, "q11"))
    instance, filled = writer.instance(drawn)
    assert (instance, filled) == (Ref(1), None)
    for _ in range(2):
        writer.call(drawn, instance=instance)
    assert [type(step).__name__ for step in writer.steps] == [
        "Call",
        "Apply",
        *["Value"] * 3,
        "Apply",
        *["Value"] * 3,
        "Apply",
    ]


def test_a_function_has_no_instance() -> None:
    """And nothing is written for one."""
    writer = Writer.to(Target(FUNCTION, "q05"))
    assert writer.instance(inputs(FUNCTION)) == (None, None)
    assert writer.steps == []


PER_SAMPLE = Variant("mask of shape (batch, n_q, n_k)", expand=(("mask", ("query", "key")),))


@pytest.mark.parametrize(
    "mask", [RandomMask((4, 5)), RandomMask((3, 1, 4, 5)), RandomMask((3, 1, 1, 5)), Causal((4, 5))]
)
def test_a_mask_is_spread_over_samples_and_queries(mask: Recipe) -> None:
    """The head axis goes, everything else is said in full; equal where both forms are read."""
    drawn = inputs(ATTENTION, query=Normal((3, 4, 6)), key=Normal((3, 5, 6)), mask=mask)
    before, after = dict(drawn.args), dict(apply_variant(PER_SAMPLE, drawn).args)
    assert list(before) == list(after)
    assert after["mask"].shape == (3, 4, 5)
    assert after["mask"].flags.c_contiguous
    assert np.array_equal(
        np.broadcast_to(after["mask"][:, None], (3, 2, 4, 5)), np.broadcast_to(before["mask"], (3, 2, 4, 5))
    )
    assert after["query"] is before["query"]


def test_lengths_are_those_of_the_array_that_is_meant() -> None:
    """Where key is the same array as query, its length is that of query."""
    drawn = inputs(ATTENTION, query=Normal((3, 4, 6)), key=Same("query"), mask=RandomMask((4, 4)))
    assert dict(apply_variant(PER_SAMPLE, drawn).args)["mask"].shape == (3, 4, 4)
    single = inputs(ATTENTION, query=Normal((4, 6)), key=Same("query"), mask=RandomMask((4, 4)))
    assert dict(apply_variant(PER_SAMPLE, single).args)["mask"].shape == (4, 4)


@pytest.mark.parametrize("args", [{}, {"mask": Literal_(None)}, {"mask": RandomMask((3, 2, 4, 4))}])
def test_a_call_without_mask_has_no_other_form(args: dict[str, Recipe]) -> None:
    """Nothing to spread; and a mask for each head cannot be said without heads."""
    drawn = inputs(ATTENTION, query=Normal((3, 4, 6)), key=Same("query"), **args)
    assert apply_variant(PER_SAMPLE, drawn) == drawn
    assert apply_variant(None, drawn) is drawn


def test_a_variant_holds_at_every_size() -> None:
    """What a check asked for at other sizes takes the same form."""
    small = inputs(ATTENTION, query=Normal((2, 3, 4)), key=Normal((2, 5, 4)), mask=RandomMask((3, 5)))
    large = inputs(ATTENTION, query=Normal((2, 6, 4)), key=Normal((2, 7, 4)), mask=RandomMask((6, 7)))
    variant = Variant("mask per sample", (("mask", ("query", "key")),))
    found = apply_variant(variant, replace(small, larger=(large,)))
    assert [each.value("mask").shape for each in (found, *found.larger)] == [(2, 3, 5), (2, 6, 7)]
