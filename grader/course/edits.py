"""Applies the edits of mistakes to references. Source text in, source text out; nothing is run.

An edit changes one function (or method) and leaves every other character of the file as it was. The function is
looked up in the reference's own module first, then in the modules that it imports, and so on.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from grader.core.errors import CourseError
from grader.core.model import Edit, Message, Part, SourceFile
from grader.course.problems import ValueProblem, unexpected, unknown
from grader.submission.source import imported_from

#: How many parsed files are cached; all mistakes search the same few.
_FILES = 128
_T = TypeVar("_T")
_NOT_MADE = Message("{module}, an edit inside {inside}: {why}")


def apply(files: tuple[SourceFile, ...], mistake_edits: Sequence[Edit], default_module: str) -> tuple[SourceFile, ...]:
    """``files`` with the edits made one after the other. Raises CourseError for one that cannot be made.

    ``default_module`` is the module of the exercise's reference, as in ``reference.attention``.
    """
    for edit in mistake_edits:
        changed = _edited(files, edit, default_module)
        if isinstance(changed, ValueProblem):
            raise CourseError(_NOT_MADE.fill(module=default_module, inside=edit.inside, why=changed.text))
        files = changed
    return files


def apply_both(
    files: tuple[SourceFile, ...], first: Sequence[Edit], second: Sequence[Edit], default_module: str
) -> tuple[SourceFile, ...] | None:
    """``files`` with two mistakes; None if their edits overlap, so that the order matters."""
    try:
        made = apply(files, (*first, *second), default_module)
        reversed_order = apply(files, (*second, *first), default_module)
    except CourseError:
        return None
    return made if made == reversed_order else None


def changed_lines(files: tuple[SourceFile, ...], edit: Edit, default_module: str) -> tuple[str, int, int] | None:
    """The label of the file that an edit changes, with the first and last line; None if it cannot be made."""
    for file in closure(files, default_module):
        place = _place(file, edit.inside)
        if place is None or (edit.replace is not None and edit.replace not in place.text):
            continue
        text = edit.replace if edit.replace is not None else place.text
        part = file.parts[place.part]
        first = part.text.count("\n", 0, place.start + place.text.index(text)) + 1
        return part.label, first, first + text.rstrip("\n").count("\n")
    return None


def problems(
    files: tuple[SourceFile, ...], mistake_edits: Sequence[Edit], default_module: str
) -> Iterator[ValueProblem]:
    """The problem with the first edit that cannot be made, if any. Its path is the edit's index and key."""
    for index, edit in enumerate(mistake_edits):
        problem = _edited(files, edit, default_module)
        if isinstance(problem, ValueProblem):
            yield problem.inside(index)
            return
        files = problem


def closure(files: Sequence[SourceFile], module: str) -> tuple[SourceFile, ...]:
    """The file of ``module``, then those that it imports, then those that these import."""
    by_module = {file.module: file for file in files}
    return tuple(reached([module], by_module, _imported).values())


def functions(file: SourceFile) -> dict[str, str]:
    """The functions and methods of a file by name (``f``, ``Class.method``), with their source text."""
    return {place.name: place.text for place in _places(file)}


def called(files: Sequence[SourceFile], module: str, target: str) -> frozenset[str]:
    """The functions and classes of ``files`` that ``target`` of ``module`` uses, directly or through others."""
    return frozenset(reached([target], _words(closure(files, module)), frozenset)) - {target}


def reached(start: Iterable[str], known: Mapping[str, _T], uses: Callable[[_T], Iterable[str]]) -> dict[str, _T]:
    """Those of ``start`` that are ``known``, then the known ones that these use, then what those use, and so on."""
    found: dict[str, _T] = {}
    waiting = list(start)
    for name in waiting:  # grows on the way
        if name in known and name not in found:
            found[name] = known[name]
            waiting += uses(known[name])
    return found


def names_in(node: ast.AST) -> list[str]:
    """The variables, functions and modules that ``node`` mentions, in order."""
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]


def names_used(files: Sequence[SourceFile], module: str, target: str) -> frozenset[str]:
    """Every name that ``target`` of ``module`` and the functions that it uses mention, attributes among them."""
    return frozenset().union(*reached([target], _words(closure(files, module)), frozenset).values())


@functools.lru_cache(maxsize=_FILES)
def _words(files: tuple[SourceFile, ...]) -> dict[str, frozenset[str]]:
    """The names in each function and class of ``files``."""
    words_of: dict[str, frozenset[str]] = {}
    for file in files:
        for name, text in functions(file).items():
            nodes = list(ast.walk(ast.parse(textwrap.dedent(text))))
            words = {node.id for node in nodes if isinstance(node, ast.Name)}
            words |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
            top = name.partition(".")[0]
            words_of[top] = words_of.get(top, frozenset()) | words
    return words_of


def rewritten(file: SourceFile, name: str, text: str) -> SourceFile:
    """The file with the whole source text of the function ``name`` replaced by ``text``, indented to fit."""
    place = _place(file, name)
    assert place is not None
    indent = place.text[: len(place.text) - len(place.text.lstrip())]
    return _with(file, place, textwrap.indent(textwrap.dedent(text).strip("\n"), indent))


@dataclass(frozen=True, slots=True)
class _Place:
    """The location of a function: the index of the part, and the first and last character in it."""

    name: str
    part: int
    node: ast.FunctionDef | ast.AsyncFunctionDef
    start: int
    end: int
    text: str


@functools.lru_cache(maxsize=_FILES)
def _places(file: SourceFile) -> tuple[_Place, ...]:
    return tuple(place for number, part in enumerate(file.parts) for place in _places_in(number, part))


def _places_in(number: int, part: Part) -> Iterator[_Place]:
    starts = _line_starts(part.text)
    for top in ast.parse(part.text).body:
        for node in top.body if isinstance(top, ast.ClassDef) else [top]:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = f"{top.name}.{node.name}" if isinstance(top, ast.ClassDef) else node.name
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                start, end = starts[first], starts[(node.end_lineno or node.lineno) + 1] - 1
                yield _Place(name, number, node, start, end, part.text[start:end])


def _place(file: SourceFile, name: str) -> _Place | None:
    """Where the function ``name`` is; of two definitions with one name the later is the one that counts."""
    return next((place for place in reversed(_places(file)) if place.name == name), None)


def _line_starts(text: str) -> list[int]:
    """The offset of each line, counted from 1, and of the end of the text."""
    starts = [0, 0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _edited(files: tuple[SourceFile, ...], edit: Edit, module: str) -> tuple[SourceFile, ...] | ValueProblem:
    """``files`` with one edit made, or why not."""
    near = closure(files, module)
    for file in near:
        place = _place(file, edit.inside)
        if place is None:
            continue
        text = _body(file.parts[place.part].text, place, edit.by) if edit.replace is None else _swap(place, edit)
        if isinstance(text, ValueProblem):
            return text
        changed = _with(file, place, text)
        complaint = _complaint(changed.parts[place.part])
        if complaint is not None:
            key = "body" if edit.replace is None else "with"
            expected = f"Python that fits into {edit.inside} (Python says: {complaint})"
            return unexpected((key,), edit.by, expected, "edit")
        return tuple(changed if other is file else other for other in files)
    names = [name for file in near for name in functions(file)]
    return unknown(("in",), edit.inside, f"a function of {module} or of what it imports", names, "edit")


def _swap(place: _Place, edit: Edit) -> str | ValueProblem:
    """The function's text with ``replace`` replaced."""
    assert edit.replace is not None
    count = place.text.count(edit.replace)
    if count != 1:
        expected = f"text that occurs exactly once in {edit.inside}; {edit.inside} has it {count} times"
        return unexpected(("replace",), edit.replace, expected, "edit")
    return place.text.replace(edit.replace, edit.by)


def _body(text: str, place: _Place, body: str) -> str | ValueProblem:
    """The function's text with everything but its head and docstring replaced by ``body``."""
    starts = _line_starts(text)
    first, *rest = place.node.body
    documented = ast.get_docstring(place.node, clean=False) is not None
    indent = text[starts[first.lineno] :][: first.col_offset]
    if indent.strip() or (documented and rest and rest[0].lineno == first.end_lineno):
        expected = f"an edit of a function whose body has lines of its own, not {place.name}"
        return unexpected(("body",), body, expected, "edit")
    head = text[place.start : starts[(first.end_lineno or 0) + 1] if documented else starts[first.lineno]]
    return head.rstrip("\n") + "\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), indent)


def _with(file: SourceFile, place: _Place, text: str) -> SourceFile:
    """The file with the function's text replaced; the lines of later definitions are shifted."""
    part = file.parts[place.part]
    changed = Part(part.label, part.text[: place.start] + text + part.text[place.end :])
    parts = tuple(changed if number == place.part else other for number, other in enumerate(file.parts))
    last, shift = place.node.end_lineno or place.node.lineno, text.count("\n") - place.text.count("\n")
    alone = len(parts) == 1
    defines = tuple((name, line + shift if alone and line > last else line) for name, line in file.defines)
    return replace(file, parts=parts, defines=defines)


def _complaint(part: Part) -> str | None:
    try:
        ast.parse(part.text)
    except (SyntaxError, ValueError) as fault:
        return fault.msg if isinstance(fault, SyntaxError) else str(fault)
    return None


@functools.lru_cache(maxsize=_FILES)
def _imported(file: SourceFile) -> tuple[str, ...]:
    """The modules that a file may import, by full name: ``from a import b`` may mean ``a`` and ``a.b``."""
    package = file.module if file.is_package else file.module.rpartition(".")[0]
    found: list[str] = []
    for part in file.parts:
        for node in ast.walk(ast.parse(part.text)):
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = imported_from(node, package)
                found += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return tuple(found)
