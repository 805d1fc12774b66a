"""Builds the programs that checks run: calls of a learner's function or class, or of the reference.

A ``Target`` says whose code is called and how: the reference with float64 torch tensors, or a learner's code with the
array type that is being tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from grader.core.model import (
    Apply,
    Array,
    ArrayType,
    Call,
    Exercise,
    Own,
    Parameter,
    Program,
    Ref,
    Same,
    Step,
    Value,
    Variant,
)
from grader.grading.inputs import Drawn, DrawnMade


@dataclass(frozen=True, slots=True)
class Target:
    """The code that a program calls: ``module`` is the source file, ``precision`` the type of float inputs."""

    exercise: Exercise
    module: str
    array_type: ArrayType = "torch"
    precision: Literal["float32", "float64"] = "float32"
    group: str = ""
    calls: str = ""

    @property
    def name(self) -> str:
        """The top-level name to call: that of the exercise, unless the reference has another."""
        return self.calls or self.exercise.name


@dataclass(frozen=True, slots=True)
class CallRefs:
    """References to the parts of a call in a program."""

    output: Ref
    arguments: tuple[tuple[str, Ref], ...]
    filled: Ref | None


@dataclass(slots=True)
class Writer:
    """Builds one program step by step."""

    target: Target
    steps: list[Step] = field(default_factory=list)

    @classmethod
    def to(cls, target: Target) -> Writer:
        """A writer for ``target``. Its first step blocks what the exercise forbids."""
        closed: list[Step] = [Apply("forbid", (list(target.exercise.forbids),))] if target.exercise.forbids else []
        return cls(target, closed)

    def add(self, step: Step) -> Ref:
        """Appends ``step`` and returns a reference to its result."""
        self.steps.append(step)
        return Ref(len(self.steps) - 1)

    def program(self, *send: Ref, seed: int = 0) -> Program:
        """The finished program, which sends back the results of ``send``."""
        target = self.target
        return Program(
            module=target.module,
            steps=tuple(self.steps),
            send=tuple(ref.step for ref in send),
            group=target.group or target.exercise.name,
            array_type=target.array_type,
            seed=seed,
        )

    def cast(self, value: Any, layout: Literal["plain", "strided"] = "plain", requires_grad: bool = False) -> Any:
        """A drawn value as an argument; floats in the precision of the target."""
        if not isinstance(value, np.ndarray):
            return value
        if value.dtype.kind != "f":
            return Array(value, layout=layout)
        return Array(value.astype(self.target.precision), layout=layout, requires_grad=requires_grad)

    def given(self, value: Any) -> Any:
        """A drawn value as an argument; one that a helper makes, or that the submission defines, is a step."""
        if isinstance(value, Own):
            return self.add(value)
        if not isinstance(value, DrawnMade):
            return self.cast(value)
        return self.add(Apply(value.helper, (), tuple((name, self.given(part)) for name, part in value.parts)))

    def instance(self, drawn: Drawn) -> tuple[Ref | None, Ref | None]:
        """For a class: adds steps that construct it and set its parameters. Returns (instance, result of setting)."""
        exercise = self.target.exercise
        if exercise.kind == "function" or exercise.through:
            return None, None
        given = tuple((name, self.given(value)) for name, value in drawn.construct)
        args, kwargs = split(given, exercise.parameters)
        made = self.add(Call(self.target.name, args, kwargs))
        made = self.add(Apply("ready", (made, self.target.precision)))
        if exercise.adapter is None:
            return made, None
        weights = {name: self.cast(value) for name, value in drawn.parameters}
        return made, self.add(Apply(exercise.adapter, (made, weights)))

    def call(
        self,
        drawn: Drawn,
        *,
        instance: Ref | None = None,
        layout: Literal["plain", "strided"] = "plain",
        requires_grad: bool = False,
        before: Step | None = None,
    ) -> CallRefs:
        """Adds steps that call the function, or ``forward``, once. Constructs the class unless ``instance`` is given.

        ``before`` runs after the arguments are made and before the call.
        """
        exercise = self.target.exercise
        filled = None
        if instance is None:
            instance, filled = self.instance(drawn)
        made: dict[str, Ref] = {}
        for name, value in drawn.args:
            if isinstance(value, Same):
                made[name] = made[value.name]
            elif isinstance(value, (DrawnMade, Own)):
                made[name] = self.given(value)
            else:
                made[name] = self.add(Value(self.cast(value, layout, requires_grad)))
        own = self.add(Own(self.target.name)) if exercise.through else None
        if before is not None:
            self.add(before)
        args, kwargs = split(tuple(made.items()), exercise.takes)
        if exercise.through is not None:
            output = self.add(Apply(exercise.through, (own, *args), kwargs))
        elif instance is None:
            output = self.add(Call(self.target.name, args, kwargs))
        else:
            output = self.add(Apply("forward", (instance, *args), kwargs))
        if exercise.returns == "attention" and not exercise.through:  # a helper handles each output itself
            output = self.add(Apply("attention_output", (output,)))
        return CallRefs(output, tuple(made.items()), filled)

    def counted_call(self, drawn: Drawn, *count: bool, instance: Ref | None = None) -> tuple[Ref, Ref]:
        """Like ``call``, watched by a counter that is made with the flags ``count``. Returns (output, counts)."""
        counter = self.add(Apply("counter", count))
        called = self.call(drawn, instance=instance, before=Apply("watch", (counter,)))
        return called.output, self.add(Apply("counted", (counter,)))


def split(
    given: tuple[tuple[str, Any], ...], parameters: tuple[Parameter, ...]
) -> tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]:
    """(positional, keyword) arguments: required ones by position, optional ones by name, as in the contract."""
    values = dict(given)
    args = tuple(values[p.name] for p in parameters if p.required and p.name in values)
    kwargs = tuple((p.name, values[p.name]) for p in parameters if not p.required and p.name in values)
    return args, kwargs


def fits(variant: Variant | None, drawn: Drawn) -> bool:
    """Whether the inputs have this form: masks that differ from head to head have none without an axis of heads."""
    masks = [(dict(drawn.args).get(name), query) for name, (query, _) in variant.expand] if variant else []
    arrays = [(mask, drawn.value(query).ndim) for mask, query in masks if isinstance(mask, np.ndarray)]
    return not any(mask.ndim > min(3, ndim) and mask.shape[-3] > 1 for mask, ndim in arrays)


def apply_variant(variant: Variant | None, drawn: Drawn) -> Drawn:
    """The inputs in another form that the contract allows, such as masks of (batch, n_q, n_k), if they fit it."""
    if variant is None or not fits(variant, drawn):
        return drawn
    values = dict(drawn.args) | dict(variant.give)
    for name, (query, key) in variant.expand:
        mask = values.get(name)
        if isinstance(mask, np.ndarray):
            (*batch, n_q, _), n_k = drawn.value(query).shape, drawn.value(key).shape[-2]
            values[name] = np.ascontiguousarray(np.broadcast_to(mask, (*batch[:1], 1, n_q, n_k))[..., 0, :, :])
    return replace(
        drawn,
        args=tuple(values.items()),
        larger=tuple(apply_variant(variant, larger) for larger in drawn.larger),
        then=tuple(apply_variant(variant, replace(drawn, args=args, then=())).args for args in drawn.then),
    )
