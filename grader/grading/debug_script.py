"""Writes a stand-alone script for one public case: the learner's code, the inputs, the call, the expected result."""

from __future__ import annotations

import ast
import functools
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.errors import SubmissionError, UsageError
from grader.core.model import (
    Array,
    ArrayType,
    Case,
    Course,
    Exercise,
    Message,
    Observe,
    Own,
    Parameter,
    Question,
    Returned,
    Same,
    SourceFile,
    Text,
)
from grader.core.text import name_list
from grader.grading.context import GradingContext
from grader.grading.inputs import Drawn, DrawnMade, Seed
from grader.grading.programs import split
from grader.grading.reference_results import reference_observer
from grader.grading.selection import source_of
from grader.submission import read
from grader.submission.notebook import without_future_imports
from grader.submission.source import parse

if TYPE_CHECKING:
    from jinja2 import Template


_ABSENT = Message("{path} does not define {name}; `attncheck start {question}` writes a stub.")
_NO_VALUES = Message("The case “{case_name}” has no expected values to compare with; choose another.")


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
) -> str:
    """The script for a public case and the submission at ``path``; ``observe`` runs the reference.

    Raises SubmissionError if the submission does not define the exercise, and UsageError if there is no public case of
    that name, or none with expected values.
    """
    case = public_case(exercise, case_name)
    submission = read(path)
    file = source_of(exercise.name, question, submission)
    if file is None:
        raise SubmissionError(_ABSENT.fill(path=path, name=exercise.name, question=question.id))
    context = GradingContext(course, Seed.public(), reference_observer(observe, Seed.public(), course=course))
    pairs = zip(context.entries(exercise), context.expected(exercise), strict=True)
    expected = next((seen for entry, seen in pairs if entry.case is case and entry.spec.kind == "values"), ())
    if not expected or not isinstance(expected[0], Returned):
        raise UsageError(_NO_VALUES.fill(case_name=case.title))
    drawn = next(entry.drawn for entry in context.entries(exercise) if entry.case is case)
    files = (file, *(other for other in submission.files if other is not file))
    return script(exercise, case, drawn, expected[0].values[0], files, path)


def script(
    exercise: Exercise, case: Case, drawn: Drawn, expected: Any, files: tuple[SourceFile, ...], path: Path
) -> str:
    """The text of a script that calls ``exercise`` in the first of ``files`` with ``drawn`` and compares the result.

    ``path`` is the submission that ``files`` were read from; the others are those that the first one may import. The
    script imports a ``.py`` file that Python can import where it is; any other code (from a notebook, from a zip, in an
    undeclared encoding) it contains in full. Inputs are torch tensors if the first file imports torch, otherwise NumPy
    arrays.
    """
    file, *others = files
    array_type: ArrayType = "torch" if file.imports_torch else "numpy"
    importable = _importable(file, path)
    in_memory = _needed(file, others)
    if all(_importable(other, path) for other in in_memory):
        in_memory = []
    folder = (path if path.is_dir() else path.parent).resolve()
    names = {name: name if name.isidentifier() else f"argument_{index}" for index, (name, _) in enumerate(drawn.args)}
    return _template().render(
        exercise=exercise,
        case=case,
        file=file,
        futures=() if importable else file.futures,
        importable=importable and str(importable.resolve()),
        folder=str(folder) if importable or path.suffix != ".zip" else None,
        in_memory=in_memory,
        code="\n\n".join(_texts(file)),
        array_type=array_type,
        inputs=[
            (names[name], names[value.name] if isinstance(value, Same) else _value(value, array_type))
            for name, value in drawn.args
        ],
        given=tuple(names.items()),
        made=tuple((name, _value(value, array_type)) for name, value in drawn.construct),
        weights=f"{{{', '.join(f'{name!r}: {_value(value, array_type)}' for name, value in drawn.parameters)}}}",
        expected=_expected(expected),
    )


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"py": repr, "source": _source, "arguments": _arguments, "helper": _helper}
    return environment.get_template("debug_script.py.jinja")


def _source(file: SourceFile) -> tuple[str, bool, str]:
    """A file of the submission as (file, is it a package?, code)."""
    return f"<{file.path}>", file.is_package, _joined(file)


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


def _value(value: Any, array_type: ArrayType) -> str:
    if isinstance(value, DrawnMade):
        parts = ", ".join(f"{name}={_value(part, array_type)}" for name, part in value.parts)
        return f"{_helper(value.helper)}({parts})"
    if isinstance(value, Own):
        other = f", {_helper(value.otherwise)}" if value.otherwise else ""
        return f'getattr(submission, "{value.name}"{other})'
    if not isinstance(value, np.ndarray):
        return repr(value)
    if array_type == "torch":
        return f"torch.tensor({value.tolist()}, dtype=torch.{value.dtype})"
    return f"np.array({value.tolist()}, dtype=np.{'bool_' if value.dtype == bool else value.dtype})"


def _expected(expected: Any) -> str:
    if isinstance(expected, (tuple, list)):
        return f"[{', '.join(map(_expected, expected))}]"
    values = expected.values if isinstance(expected, Array) else np.asarray(expected)
    written = repr(np.round(values, 7).tolist() if values.dtype.kind == "f" else values.tolist())
    return f"np.array({written})".replace("inf", "np.inf").replace("nan", "np.nan")
