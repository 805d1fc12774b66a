"""Wrong results beside correct ones, for the tests of what is said about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.core.model import Exercise, Parameter, Text
from grader.grading.explaining import relations
from grader.grading.explaining.relations import Pair
from grader.grading.inputs import Drawn

#: Twelve numbers without any pattern.
ROWS = np.array([[0.3, -1.2, 2.5, 0.7], [1.9, 0.4, -0.8, 3.1], [-2.2, 1.1, 0.6, -0.5]])
BITS = np.array([[True, False, True], [True, True, False]])


def pair(got: Any, expected: Any, **args: Any) -> Pair:
    """A case with these results and arguments."""
    return Pair("a case", np.asarray(got), np.asarray(expected), Drawn(tuple(args.items()), (), ()))


def said(kind: str, *pairs: Pair) -> str:
    """What a relation says, in English; empty if it says nothing. Both languages say something, or neither."""
    found: Text | None = relations.kinds()[kind].relate(pairs)
    assert found is None or (found.en.endswith(".") and found.zh.endswith("。"))
    return found.en if found else ""


def others(kind: str, *, optional: Sequence[str] = (), **args: Any) -> dict[str, Any]:
    """The sentences about other inputs, each with the arguments that it stands for."""
    parameters = tuple(Parameter(name, name not in optional) for name in dict.fromkeys((*args, *optional)))
    exercise = _exercise(parameters)
    made = relations.kinds()[kind].others(exercise, Drawn(tuple(args.items()), (), ()))
    return {text.en: dict(drawn.args) for text, drawn in made}


def _exercise(parameters: tuple[Parameter, ...]) -> Exercise:
    nothing = Text("", "")
    return Exercise(
        name="f",
        kind="function",
        signature="f()",
        parameters=parameters,
        summary=nothing,
        result=nothing,
        reference="m.f",
        points=1,
        cases=(),
        checks=(),
    )
