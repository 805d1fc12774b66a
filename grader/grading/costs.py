"""Measures correct code: its lines and loops, its operations, and its largest array.

Only for code that has passed, to be shown beside the reference. The inputs are those of a public case; the results
affect no points.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from grader.core.errors import SandboxError
from grader.core.model import (
    ArrayType,
    Case,
    Course,
    Exercise,
    Job,
    Limits,
    Observe,
    Observed,
    Question,
    Returned,
    SourceFile,
    Submission,
    Text,
)
from grader.course import edits
from grader.grading.inputs import Drawn, Seed, draw
from grader.grading.plan import REFERENCE_LIMITS, calling_forms, function_of, module_of
from grader.grading.programs import Target, Writer
from grader.grading.selection import source_of

#: Counting is optional, so the limits are low.
_LIMITS = Limits(group_cpu=6.0, group_wall=15.0)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)


@dataclass(frozen=True, slots=True)
class Cost:
    """One way to write an exercise.

    ``lines`` are lines of code, without comments and docstrings, of the function and of those in the same file that it
    calls; ``loops`` are the loops in them. ``work`` and ``largest`` are operations and elements of the largest array on
    the case ``case``; None if they cannot be counted, as in NumPy.
    """

    who: Literal["yours", "reference", "alternative"]
    lines: int
    loops: int
    library: ArrayType
    work: int | None = None
    largest: int | None = None
    case: Text | None = None


def compare_costs(
    course: Course,
    exercise: Exercise,
    question: Question,
    submission: Submission | None,
    observe: Observe,
    observe_reference: Observe,
) -> tuple[Cost, ...]:
    """The learner's code if ``submission`` has it, then the reference, then each alternative."""
    costs = []
    mine = source_of(exercise.name, question, submission) if submission is not None else None
    case = _largest_case(exercise)
    if mine is not None and submission is not None:
        kind = calling_forms(exercise, mine)[0].array_type
        target = Target(exercise, mine.module, kind)
        shape = _shape("yours", mine, exercise.name, kind)
        costs.append(_counted(shape, submission.files, target, case, lambda job: observe(job, _LIMITS)))
    for code in (exercise.reference, *(alternative.code for alternative in exercise.alternatives)):
        named = replace(exercise, reference=code)
        file = next(source for source in course.reference if source.module == module_of(named))
        kind = "torch" if file.imports_torch else "numpy"
        target = Target(exercise, file.module, kind, calls=function_of(named))
        shape = _shape("reference" if code == exercise.reference else "alternative", file, function_of(named), kind)
        costs.append(
            _counted(shape, course.reference, target, case, lambda job: observe_reference(job, REFERENCE_LIMITS))
        )
    return tuple(costs)


# ------------------------------------------------------------------------------------------- as written


def definition(text: str, name: str) -> str | None:
    """The source of the last function or class ``name`` in ``text``; None if there is none."""
    nodes = [
        node
        for node in _parsed(text)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)) and node.name == name
    ]
    if not nodes:
        return None
    begin = min([nodes[-1].lineno, *(decorator.lineno for decorator in nodes[-1].decorator_list)])
    return "\n".join(text.split("\n")[begin - 1 : nodes[-1].end_lineno])


def _shape(who: Literal["yours", "reference", "alternative"], file: SourceFile, name: str, library: ArrayType) -> Cost:
    tree = [node for part in file.parts for node in _parsed(part.text)]
    nodes = _with_helpers(tree, name)
    lines = sum(len(ast.unparse(_bare(node)).split("\n")) for node in nodes)
    loops = sum(isinstance(inner, _LOOPS) for node in nodes for inner in ast.walk(node))
    return Cost(who, lines, loops, library)


def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return []


def _with_helpers(tree: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    """The last definition of ``name``, and those of the same file that it uses, directly or not."""
    definitions: dict[str, ast.stmt] = {}
    for node in tree:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign):
            definitions |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
    return list(edits.reached([name], definitions, edits.names_in).values())


def _bare(node: ast.stmt) -> ast.stmt:
    """``node`` without docstrings."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)) and ast.get_docstring(inner):
            inner.body = inner.body[1:] or [ast.Pass()]
    return node


# ---------------------------------------------------------------------------------------------- as run


def _largest_case(exercise: Exercise) -> tuple[Case, Drawn] | None:
    """The public case with the most numbers in its arguments, of those that return something."""
    cases = [case for case in exercise.cases if case.public and not case.raises]
    drawn = [(case, draw(case, exercise.name, Seed.public())) for case in cases]

    def numbers(pair: tuple[Case, Drawn]) -> int:
        return sum(value.size for _, value in pair[1].args if isinstance(value, np.ndarray))

    return max(drawn, key=numbers, default=None)


def _counted(
    shape: Cost,
    files: tuple[SourceFile, ...],
    target: Target,
    case: tuple[Case, Drawn] | None,
    observe: Callable[[Job], Observed],
) -> Cost:
    """``shape`` with what a run counts, if the code computes in torch."""
    if target.array_type != "torch" or case is None:
        return shape
    writer = Writer.to(target)
    _, counts = writer.counted_call(case[1], False)
    try:
        (seen,) = observe(Job(files, (writer.program(counts),))).observations
    except SandboxError:
        return shape
    match seen:
        case Returned(({"work": int(work), "largest": int(largest), "exits": False},)) if work > 0:
            return replace(shape, work=work, largest=largest, case=case[0].title)
    return replace(shape, case=case[0].title)  # the code left torch, or returned something else
