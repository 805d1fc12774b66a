"""Writes a stand-alone script for one public case: the learner's code, the inputs, the call, the expected result."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from grader.core.errors import UsageError
from grader.core.model import Array, ArrayType, Case, Exercise, Own, Parameter, Same, SourceFile
from grader.grading.inputs import Drawn, DrawnMade
from grader.grading.programs import split
from grader.submission.notebook import without_future_imports
from grader.submission.source import parse


def public_case(exercise: Exercise, name: str) -> Case:
    """The public case ``name``. Raises UsageError if it is hidden, expects an exception, or does not exist."""
    public = [case for case in exercise.cases if case.public and case.raises is None]
    found = next((case for case in public if case.name == name), None)
    if found is None:
        names = ", ".join(repr(case.name) for case in public)
        raise UsageError(f"{exercise.name} has no public case {name!r}; available: {names}")
    return found


def script(exercise: Exercise, case: Case, drawn: Drawn, expected: Any, file: SourceFile, path: Path) -> str:
    """The text of a script that calls ``exercise`` in ``file`` with ``drawn`` and compares the result.

    ``path`` is the submission that ``file`` was read from. The script imports a ``.py`` file that Python can import
    where it is; any other code (from a notebook, from a zip, in an undeclared encoding) it contains in full. Inputs are
    torch tensors if ``file`` imports torch, otherwise NumPy arrays.
    """
    array_type: ArrayType = "torch" if file.imports_torch else "numpy"
    importable = _importable(file, path)
    lines = [
        f'"""{exercise.name}, case {case.name!r}, to run and to step through: python, pdb, or your editor."""',
        *([] if importable else [f"from __future__ import {name}" for name in file.futures]),
        "",
        *(_imported(importable, path) if importable else _written_out(file)),
        "",
        "import numpy as np",
        *(["import torch"] if array_type == "torch" else []),
        "",
        "# Inputs.",
    ]
    names: dict[str, str] = {}
    for name, value in drawn.args:
        names[name] = name if name.isidentifier() else f"argument_{len(names)}"
        lines.append(f"{names[name]} = {names[value.name] if isinstance(value, Same) else _value(value, array_type)}")
    lines += ["", *_call(exercise, drawn, names, array_type)]
    if exercise.returns == "attention" and not exercise.through:
        lines += [
            "if isinstance(result, (tuple, list)):  # (output, weights): only the output is graded",
            "    result = result[0]",
        ]
    lines += ["", "# Expected result.", f"expected = {_expected(expected)}", "", *_COMPARE]
    return "\n".join(lines) + "\n"


_COMPARE = (
    "",
    "def arrays(value):",
    "    if isinstance(value, (tuple, list)):",
    "        return [array for part in value for array in arrays(part)]",
    '    return [np.asarray(value.detach() if hasattr(value, "detach") else value)]',
    "",
    "",
    "for got, wanted in zip(arrays(result), arrays(expected)):",
    '    print("got", got.shape, got, sep="\\n")',
    '    print("expected", wanted.shape, wanted, sep="\\n")',
    "    if got.shape == wanted.shape:",
    "        wrong = np.argwhere(~np.isclose(got, wanted, rtol=1e-4, atol=1e-5))",
    '        print(len(wrong), "of", wanted.size, "entries differ")',
    "        if len(wrong):",
    '            print("first difference at", wrong[0].tolist())',
)


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


def _imported(source: Path, path: Path) -> list[str]:
    """Lines that import the learner's file from where it is."""
    folder = str((path if path.is_dir() else path.parent).resolve())
    return [
        "import importlib.util",
        "import sys",
        "",
        f"sys.path.insert(0, {folder!r})",
        f'spec = importlib.util.spec_from_file_location("submission", {str(source.resolve())!r})',
        "submission = importlib.util.module_from_spec(spec)",
        "spec.loader.exec_module(submission)",
    ]


def _written_out(file: SourceFile) -> list[str]:
    """The learner's code itself. Its imports from ``__future__`` have to be at the top of the script instead."""
    texts = [
        f"# {part.label}\n{without_future_imports(part.text, parse(part.text, part.label))}" for part in file.parts
    ]
    return [
        '__name__ = "submission"  # as when graded: code under `if __name__ == "__main__":` does not run',
        "",
        *"\n\n".join(texts).split("\n"),
        "",
        "import sys",
        "",
        'submission = sys.modules["__main__"]',
    ]


def _call(exercise: Exercise, drawn: Drawn, names: dict[str, str], array_type: ArrayType) -> list[str]:
    given = tuple((name, written) for name, written in names.items())
    if exercise.through:
        arguments = ", ".join([f"submission.{exercise.name}", _arguments(given, exercise.forward)])
        return [
            f"# {exercise.through} calls {exercise.name}, more than once if needed.",
            f"result = {_helper(exercise.through)}({arguments})",
        ]
    if exercise.kind == "function":
        return [f"result = submission.{exercise.name}({_arguments(given, exercise.parameters)})"]
    made = tuple((name, _value(value, array_type)) for name, value in drawn.construct)
    lines = [f"instance = submission.{exercise.name}({_arguments(made, exercise.parameters)})"]
    if exercise.adapter:
        weights = ", ".join(f"{name!r}: {_value(value, array_type)}" for name, value in drawn.parameters)
        lines = [
            "from grader.sandbox.inside.helpers import HELPERS  # finds the parameters by name, as the grader does",
            "",
            *lines,
            'HELPERS["ready"](instance, "float32")',
            f'HELPERS["{exercise.adapter}"](instance, {{{weights}}})',
        ]
    lines.append("forward = instance if callable(instance) else instance.forward")
    return [*lines, f"result = forward({_arguments(given, exercise.forward)})"]


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
