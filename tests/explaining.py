"""Wrong results beside correct ones, for the tests of what is said about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.marks import plain
from grader.core.model import (
    Array,
    Case,
    CheckSpec,
    Course,
    Exercise,
    Observation,
    Parameter,
    Part,
    Question,
    Returned,
    SourceFile,
    Status,
    Submission,
    Text,
    Verdict,
)
from grader.grading.checks import JudgeInput
from grader.grading.explaining import relations
from grader.grading.explaining.evidence import Evidence, RunMistakePair, RunReference, WrongExercise
from grader.grading.explaining.mistakes import MistakeSignature
from grader.grading.explaining.relations import Pair
from grader.grading.inputs import Drawn

#: Twelve numbers without any pattern.
ROWS = np.array([[0.3, -1.2, 2.5, 0.7], [1.9, 0.4, -0.8, 3.1], [-2.2, 1.1, 0.6, -0.5]])
BITS = np.array([[True, False, True], [True, True, False]])
NOTHING = Text("", "")
EXERCISE = Exercise(
    name="f",
    kind="function",
    signature="f()",
    parameters=(),
    summary=NOTHING,
    result=NOTHING,
    reference="m.f",
    points=1,
    cases=(),
    checks=(CheckSpec("values", 1),),
)


def pair(got: Any, expected: Any, **args: Any) -> Pair:
    """A case with these results and arguments."""
    return Pair(Text("a case", "一个用例"), np.asarray(got), np.asarray(expected), Drawn(tuple(args.items()), (), ()))


def said(kind: str, *pairs: Pair) -> str:
    """What a relation says, in English; empty if it says nothing. Both languages say something, or neither."""
    found: Text | None = relations.kinds()[kind].relate(pairs)
    assert found is None or (found.en.endswith(".") and found.zh.endswith("。"))
    return plain(found.en) if found else ""


def says(kind: str, *cases: tuple[list[Pair], str]) -> Callable[[list[Pair], str], None]:
    """A test of a relation: what holds in every pair is said; what could be chance, or holds in some only, is not."""

    @pytest.mark.parametrize(("pairs", "expected"), cases)
    def test(pairs: list[Pair], expected: str) -> None:
        found = said(kind, *pairs)
        assert (expected in found) if expected else not found

    return test


def others(kind: str, *, optional: Sequence[str] = (), **args: Any) -> dict[str, Any]:
    """The sentences about other inputs, each with the arguments that it stands for."""
    parameters = tuple(Parameter(name, name not in optional) for name in dict.fromkeys((*args, *optional)))
    made = relations.kinds()[kind].others(replace(EXERCISE, parameters=parameters), Drawn(tuple(args.items()), (), ()))
    return {plain(text.en): dict(drawn.args) for text, drawn in made}


def gave(*values: Any) -> tuple[Observation, ...]:
    """One program that returned arrays."""
    return (Returned(tuple(Array(np.asarray(value), "torch") for value in values)),)


def tried(
    case: str,
    status: Status,
    *,
    check: str = "values",
    got: tuple[Observation, ...] = (),
    expected: tuple[Observation, ...] = (),
    public: bool = True,
    **args: Any,
) -> Evidence:
    """A check on a case with these arguments."""
    drawn = Drawn(tuple(args.items()), (), ())
    seen = JudgeInput(EXERCISE, Case(case, public=public), CheckSpec(check, 1), drawn, got, expected, "torch")
    return Evidence(seen, Verdict(status), got)


def failure(
    *evidence: Evidence,
    known: Sequence[MistakeSignature] = (),
    changed: Sequence[set[int]] = (),
    pair: RunMistakePair | None = None,
    run: RunReference | None = None,
    rerun: Callable[[Drawn], bool | None] = lambda drawn: None,
    text: str = "",
) -> WrongExercise:
    """A wrong exercise; ``text`` is the file ``q.py`` that was submitted, ``rerun`` whether it is correct."""
    file = SourceFile("q.py", "q", (Part("q.py", text),))
    return WrongExercise(
        course=Course(NOTHING, "test", (), (), (), (), "", ""),
        question=Question("Q1", NOTHING, "g", NOTHING, "q.yaml"),
        exercise=EXERCISE,
        submission=Submission("ada", (file,)),
        file=file,
        array_type="torch",
        evidence=evidence,
        known=tuple(known),
        changed=lambda: tuple(map(frozenset, changed)),
        run=run,
        pair=pair,
        rerun=lambda asked, files=None, reference=None: [rerun(drawn) for _, drawn in asked],
    )
