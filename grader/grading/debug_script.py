"""Writes public cases as programs: one with the learner's code, to step through, or all of them as tests to read."""

from __future__ import annotations

import ast
import functools
import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.errors import SubmissionError, UsageError
from grader.core.model import (
    Array,
    Case,
    Course,
    Exercise,
    Lang,
    Message,
    Observe,
    Own,
    Parameter,
    Question,
    Returned,
    Same,
    SourceFile,
    Status,
    Text,
)
from grader.core.text import name_list
from grader.course import starter
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Drawn, DrawnMade, Seed
from grader.grading.programs import split
from grader.grading.reference_results import reference_observer
from grader.grading.selection import Selection, source_of
from grader.submission import read
from grader.submission.notebook import without_future_imports
from grader.submission.source import parse

if TYPE_CHECKING:
    from jinja2 import Template


_ABSENT = Message("{path} does not define {name}; `attncheck start {question}` writes a stub.")
_NONE_FAILS = Message(
    "There is nothing to debug: no code in {path} gives wrong results in a public case. To step through one all the "
    "same, name it with -e and --case; `attncheck show EXERCISE` lists them."
)
_NO_VALUES = Message("The case “{case_name}” has no expected values to compare with; choose another.")
_ABOUT_TESTS = Message(
    "The public cases of {question}, and what {file} should return.\n\nSave this beside it, and run it with python or "
    "pytest. Hidden cases check the same for other inputs.\n"
)


def public_case(exercise: Exercise, name: str) -> Case:
    """The public case ``name``, in either language. Raises UsageError if it is hidden, raises, or does not exist."""
    public = [case for case in exercise.cases if case.public and case.raises is None]
    found = next((case for case in public if name in (case.name, case.zh)), None)
    if found is None:
        names = name_list(Text(repr(case.name), repr(case.title.zh)) for case in public)
        said = Message("{exercise} has no public case {name}; available: {names}")
        raise UsageError(said.fill(exercise=exercise.name, name=repr(name), names=names))
    return found


def case_script(
    course: Course, question: Question, exercise: Exercise, case_name: str, path: Path, observe: Observe
) -> Text:
    """The script for a public case and the submission at ``path``; ``observe`` runs the reference.

    Raises SubmissionError if the submission does not define the exercise, and UsageError if there is no public case of
    that name, or none with expected values.
    """
    case = public_case(exercise, case_name)
    submission = read(path)
    file = source_of(exercise.name, question, submission)
    if file is None:
        raise SubmissionError(_ABSENT.fill(path=path, name=exercise.name, question=question.id))
    found = next((each for each in _solved(_context(course, observe), exercise) if each[0] is case), None)
    if found is None:
        raise UsageError(_NO_VALUES.fill(case_name=case.title))
    files = (file, *(other for other in submission.files if other is not file))
    return script(exercise, *found, files, path)


def _context(course: Course, observe: Observe) -> GradingContext:
    """Public cases and what the references return for them; wrong code is not explained, which takes long."""
    seed = Seed.public()
    return GradingContext(course, seed, reference_observer(observe, seed, course=course), True, names_only=True)


def _solved(context: GradingContext, exercise: Exercise) -> Iterator[tuple[Case, Drawn, Any]]:
    """The public cases that have expected values, each with its inputs and these values."""
    for entry, seen in zip(context.entries(exercise), context.expected(exercise), strict=True):
        if entry.case.public and entry.spec.kind == "values" and seen and isinstance(seen[0], Returned):
            yield entry.case, entry.drawn, seen[0].values[0]


def debugged(
    course: Course, exercises: Sequence[Exercise], case_name: str | None, path: Path, observe: Observe, _: Observe
) -> tuple[str, str, Text]:
    """The exercise and the case to debug, and ``case_script`` for them.

    What is not named is the first public case with wrong results, of one of ``exercises`` or of everything at ``path``.
    Raises UsageError if there is none.
    """
    name = exercises[0].name if len(exercises) == 1 else None
    if name is None or case_name is None:
        selection = Selection(exercises=tuple(exercise.name for exercise in exercises), public_only=True)
        report = grade(course, read(path), observe, selection=selection, context=_context(course, observe))
        results = [result for question in report.questions for result in question.exercises]
        wrong = next((each for each in results if each.first_failure and each.status is not Status.MISSING), None)
        if wrong is None or wrong.first_failure is None:
            raise UsageError(_NONE_FAILS.fill(path=path))
        name, case_name = wrong.name, case_name or wrong.first_failure.case
    found = course.exercise(name)
    assert found is not None
    return name, case_name, case_script(course, *found, case_name, path, observe)


def script(
    exercise: Exercise, case: Case, drawn: Drawn, expected: Any, files: tuple[SourceFile, ...], path: Path
) -> Text:
    """The text of a script that calls ``exercise`` in the first of ``files`` with ``drawn`` and compares the result.

    ``path`` is the submission that ``files`` were read from; the others are those that the first one may import. The
    script imports a ``.py`` file that Python can import where it is; any other code (from a notebook, from a zip, in an
    undeclared encoding) it contains in full. Inputs are torch tensors if the first file imports torch, otherwise NumPy
    arrays.
    """
    file, *others = files
    importable = _importable(file, path)
    in_memory = _needed(file, others)
    if all(_importable(other, path) for other in in_memory):
        in_memory = []
    folder = (path if path.is_dir() else path.parent).resolve()
    render = functools.partial(
        _template("debug_script.py.jinja").render,
        exercise=exercise,
        case=case,
        file=file,
        futures=() if importable else file.futures,
        importable=importable and str(importable.resolve()),
        folder=str(folder) if importable or path.suffix != ".zip" else None,
        in_memory=in_memory,
        code="\n\n".join(_texts(file)),
        drawn=drawn,
        expected=expected,
    )
    return Text(render(lang="en"), render(lang="zh"))


def public_tests(
    course: Course, question: Question, exercises: Sequence[Exercise], lang: Lang, observe: Observe, _: Observe
) -> str:
    """A file of tests: the public cases of ``exercises`` with inputs and expected results; see ``case_script``."""
    file, context = starter.file_name(question), _context(course, observe)
    cases = [(exercise, *case) for exercise in exercises for case in _solved(context, exercise)]
    about = _ABOUT_TESTS.fill(question=question.id, file=file).of(lang)
    return _template("public_tests.py.jinja").render(about=about, module=Path(file).stem, lang=lang, cases=cases)


@functools.cache
def _template(name: str) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"py": repr, "joined": _joined, "arguments": _arguments, "helper": _helper}
    environment.filters |= {"value": _value, "expected": _expected}
    environment.tests["same"] = lambda value: isinstance(value, Same)
    return environment.get_template(name)


def _importable(file: SourceFile, path: Path) -> Path | None:
    """The ``.py`` file on disk, if Python can import it and reads the same text as the grader; otherwise None."""
    source = path if path.suffix == ".py" else path / file.path
    if source.suffix != ".py" or not source.is_file():
        return None
    try:
        text = importlib.util.decode_source(source.read_bytes())
    except (SyntaxError, UnicodeDecodeError):
        return None
    return source if text == "".join(part.text for part in file.parts) else None


def _needed(file: SourceFile, others: list[SourceFile]) -> list[SourceFile]:
    """Those of ``others`` that ``file`` or one of its imports may import, judged by the names in import statements."""
    names, waiting, needed = set[str](), [file], list[SourceFile]()
    while waiting:
        for part in waiting.pop().parts:
            for node in ast.walk(parse(part.text, part.label)):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    dotted = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
                    names |= {name for dotted_name in dotted for name in dotted_name.split(".")}
        imported = [other for other in others if other not in needed and other.module.rpartition(".")[2] in names]
        waiting, needed = waiting + imported, needed + imported
    return needed


def _joined(file: SourceFile) -> str:
    """The code of a file as one text."""
    if len(file.parts) == 1:
        return file.parts[0].text
    return "\n\n".join([*(f"from __future__ import {name}" for name in file.futures), *_texts(file)])


def _texts(file: SourceFile) -> list[str]:
    """The parts of a file, without their imports from ``__future__``."""
    return [f"# {part.label}\n{without_future_imports(part.text, parse(part.text, part.label))}" for part in file.parts]


def _arguments(given: tuple[tuple[str, str], ...], parameters: tuple[Parameter, ...]) -> str:
    args, kwargs = split(given, parameters)
    return ", ".join([*args, *(f"{name}={value}" for name, value in kwargs)])


def _helper(name: str) -> str:
    return f'__import__("grader.sandbox.inside.helpers", fromlist=["HELPERS"]).HELPERS["{name}"]'


def _value(value: Any) -> str:
    if isinstance(value, DrawnMade):
        parts = ", ".join(f"{name}={_value(part)}" for name, part in value.parts)
        return f"{_helper(value.helper)}({parts})"
    if isinstance(value, Own):
        other = f", {_helper(value.otherwise)}" if value.otherwise else ""
        return f'getattr(submission, "{value.name}"{other})'
    if not isinstance(value, np.ndarray):
        return repr(value)
    return f'array({_listed(value)}, "{value.dtype}")'


def _expected(expected: Any) -> str:
    if isinstance(expected, (tuple, list)):
        return f"[{', '.join(map(_expected, expected))}]"
    values = expected.values if isinstance(expected, Array) else np.asarray(expected)
    return f"np.array({_listed(np.round(values, 7) if values.dtype.kind == 'f' else values)})"


def _listed(values: np.ndarray[Any, Any]) -> str:
    """An array as nested lists, each number in the fewest digits that give it again."""
    shortest = values.astype(str).astype(float) if values.dtype.kind == "f" else values
    return pformat(shortest.tolist(), width=100, compact=True).replace("inf", "np.inf").replace("nan", "np.nan")
