"""Small exercises, submissions and sandboxes for the tests of grading."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from textwrap import dedent
from typing import Any

import numpy as np

from grader.core.model import (
    Array,
    ArrayType,
    Case,
    CheckSpec,
    Course,
    Exercise,
    Item,
    Job,
    Limits,
    Normal,
    Observation,
    Observed,
    Parameter,
    Part,
    Program,
    Question,
    Recipe,
    Returned,
    SourceFile,
    Submission,
    Text,
    Verdict,
)
from grader.course.items._options import Option
from grader.grading.checks import JudgeInput, kinds
from grader.grading.inputs import Seed, draw, draw_for
from grader.grading.programs import Target
from grader.grading.verdicts import judge

WORDS = Text("words", "文字")
PATIENT = Limits(group_cpu=20, group_wall=60, total_cpu=200, total_wall=300)

Observe = Callable[[Job, Limits], Observed]


def source(path: str, text: str) -> SourceFile:
    """A file as ``grader.submission`` reads it."""
    text = dedent(text)
    defines = [
        (node.name, node.lineno) for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]
    module = path.removesuffix(".py").replace("/", ".")
    imports_torch = re.search("import torch|from torch", text) is not None
    return SourceFile(path, module, (Part(path, text),), tuple(defines), imports_torch)


def submission(**files: str) -> Submission:
    """A submission of ``NAME.py`` files."""
    return Submission("ada", tuple(source(f"{name}.py", text) for name, text in files.items()))


def modules(submission: Submission) -> dict[str, str]:
    """The module name of every path."""
    return {file.path: file.module for file in submission.files}


def option(name: str, *, correct: bool = False, misconception: str | None = None) -> Option:
    """An option whose words do not matter."""
    return Option(name, Text("words", "文字"), correct, misconception)


def case(name: str = "basic", *, public: bool = True, **args: Recipe) -> Case:
    """A case of a function; of a class with ``replace``."""
    return Case(name, public, tuple(args.items()))


def exercise(signature: str, *cases: Case, forward: str | None = None, **more: Any) -> Exercise:
    """What ``attend(q, mask=None)`` describes; a class where there is a ``forward``.

    Its reference has the same name and stands in ``reference/bank.py``.
    """
    name, parameters = _parameters(signature)
    fields: dict[str, Any] = {
        "kind": "class" if forward else "function",
        "forward": _parameters(forward)[1] if forward else (),
        "forward_signature": forward,
        "points": 4.0,
        "checks": (CheckSpec("values", 4.0),),
    }
    return Exercise(
        name=name,
        signature=signature,
        parameters=parameters,
        summary=WORDS,
        result=WORDS,
        reference=f"bank.{name}",
        cases=cases,
        **fields | more,
    )


def _parameters(signature: str) -> tuple[str, tuple[Parameter, ...]]:
    function = ast.parse(f"def {signature}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    names = [argument.arg for argument in function.args.args]
    required = len(names) - len(function.args.defaults)
    return function.name, tuple(Parameter(name, at < required) for at, name in enumerate(names))


def question(name: str, *exercises: Exercise, items: Sequence[Item] = (), **more: Any) -> Question:
    """A question with these exercises and items."""
    return Question(name, WORDS, "group", WORDS, f"{name}.yaml", items=tuple(items), exercises=exercises, **more)


def course(*questions: Question, reference: str = "") -> Course:
    """A course whose references stand in ``reference``."""
    return Course(WORDS, "test", (), questions, (), (source("reference/bank.py", reference),), "digest", "")


def array(values: Any, dtype: str = "float32", container: Any = "torch") -> Array:
    """An array as it comes back from a child."""
    return Array(np.array(values, dtype), container, dtype=dtype)


def answering(answer: Callable[[Program], Observation], **more: Any) -> Observe:
    """A sandbox without code: what ``answer`` says to each program."""
    return lambda job, limits: Observed(tuple(map(answer, job.programs)), **{"layers": (), "unsafe": False} | more)


# ------------------------------------------------------------------------- one check on many sources

Row = tuple[str, str] | tuple[str, str, str]


def verdicts(
    observe: Observe,
    kind: str,
    exercises: Sequence[Exercise],
    reference: str,
    rows: Sequence[Row],
    array_type: ArrayType | None = None,
) -> dict[str, Verdict]:
    """The verdict of the check ``kind`` on each source of a table, by its name; all run in one job.

    A source is called as the one of ``exercises`` that it defines, on the first case, with the options that the
    exercise has for the check, in the array type that it imports.
    """
    assert len({name for name, *_ in rows}) == len(rows)
    check, asked = kinds()[kind], []
    for at, (name, text, *_) in enumerate(rows):
        file = source(f"row_{at}.py", text)
        defined = dict(file.defines)
        found = next(each for each in exercises if each.name in defined)
        spec = next((each for each in found.checks if each.kind == kind), CheckSpec(kind, 1.0))
        drawn = draw_for(spec, found.cases[0], found.name, Seed.public())
        spoken: ArrayType = array_type or ("torch" if file.imports_torch else "numpy")
        mine = check.calls(Target(found, file.module, spoken, group=name), drawn, spec)
        target = Target(found, "reference.bank", "torch", "float64", group=name)
        wanted = check.calls(target, drawn, spec) if check.KIND.reference else ()
        asked.append((name, file, found, spec, drawn, spoken, mine, wanted))
    files = tuple(file for _, file, *_ in asked)
    got = iter(observe(Job(files, tuple(p for *_, mine, _ in asked for p in mine)), PATIENT).observations)
    programs = tuple(p for *_, wanted in asked for p in wanted)
    expected = iter(observe(Job((source("reference/bank.py", reference),), programs), PATIENT).observations)
    return {
        name: judge(
            JudgeInput(
                found,
                found.cases[0],
                spec,
                drawn,
                tuple(next(got) for _ in mine),
                tuple(next(expected) for _ in wanted),
                spoken,
            )
        )
        for name, _, found, spec, drawn, spoken, mine, wanted in asked
    }


DOUBLE = exercise("double(x)", case(x=Normal((3,))))


def seen(
    kind: str, got: Sequence[Observation], expected: Sequence[Observation] = (), of: Exercise = DOUBLE, **more: Any
) -> JudgeInput:
    """What a check judges on the first case of an exercise; fields of ``JudgeInput`` can be replaced."""
    fields: dict[str, Any] = {
        "exercise": of,
        "case": of.cases[0],
        "spec": CheckSpec(kind, 1.0),
        "drawn": draw(of.cases[0], of.name, Seed.public()),
        "array_type": "torch",
    }
    return JudgeInput(got=tuple(got), expected=tuple(expected), **fields | more)


def returned(*values: Any) -> Returned:
    """An observation of these values."""
    return Returned(values)


def flat(text: str) -> str:
    """``text`` without regard to where its lines break."""
    return " ".join(text.split())
