"""Finds the expressions of a reference that landmarks name, from its source text. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeAlias

from grader.core.model import Exercise, Landmark, Part, SourceFile
from grader.course import edits
from grader.grading.plan import function_of, module_of

#: The place of an expression, as the child reports it: label of the file, first and last line, first and last column.
Where: TypeAlias = tuple[str, int, int, int, int]

_Definition: TypeAlias = "ast.FunctionDef | ast.ClassDef"


def places(files: tuple[SourceFile, ...], exercise: Exercise) -> tuple[tuple[Landmark, Where | None], ...]:
    """Each landmark with its place; None if the reference and its helpers have no such expression."""
    if not exercise.landmarks:
        return ()
    by_text: dict[str, list[Where]] = {}
    for definition, part in _reached(files, module_of(exercise), function_of(exercise)):
        lines = part.text.split("\n")
        for node in ast.walk(definition):
            if isinstance(node, ast.expr):
                by_text.setdefault(ast.unparse(node), []).append(where_of(part.label, node, lines))
    return tuple(
        (landmark, _at(by_text.get(_normal(landmark.expression), []), landmark.at)) for landmark in exercise.landmarks
    )


def _at(found: list[Where], number: int) -> Where | None:
    return sorted(dict.fromkeys(found), key=found.index)[number - 1] if 0 < number <= len(found) else None


def _normal(text: str) -> str:
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError):
        return ""


def where_of(label: str, node: ast.expr | ast.stmt, lines: list[str]) -> Where:
    """The place of ``node`` in the file ``label``, which has these ``lines``."""

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1].encode()[:offset].decode("utf-8", "replace"))

    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    return label, node.lineno, end_line, column(node.lineno, node.col_offset), column(end_line, end)


def _reached(files: tuple[SourceFile, ...], module: str, name: str) -> Iterable[tuple[_Definition, Part]]:
    """The definition ``name``, then those of the reference that it uses, and so on, each with its part."""
    known: dict[str, tuple[_Definition, Part]] = {}
    for file in edits.closure(files, module):
        for part in file.parts:
            for node in ast.parse(part.text).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    known.setdefault(node.name, (node, part))
    return edits.reached([name], known, lambda found: edits.names_in(found[0])).values()
