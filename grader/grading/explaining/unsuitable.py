"""Expressions that are no place, although another value there may repair everything that follows.

The correct final maximum as the initial value of a loop hides a mistake inside it; so does another bound, another truth
value of a condition, and another random draw. A function that other exercises use, too, is no place either: the place
is where it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from grader.core.model import Course, SourceFile
from grader.core.tables import table
from grader.grading.explaining.landmarks import Where, where_of

#: Initialisers such as ``xavier_uniform_``.
_INITIALISERS = ("_uniform_", "_normal_")
#: Helpers that do what their names say: if another value belongs there, the place is where they are called.
_ELEMENTARY = frozenset({"sigmoid", "_sigmoid", "sigma", "relu", "_relu", "tanh"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_FILLS = frozenset(
    f"{before}{name}{after}"
    for name in ("zeros", "ones", "full", "empty")
    for before, after in (("", ""), ("new_", ""), ("", "_like"))
)


def unsuitable(files: tuple[SourceFile, ...]) -> frozenset[Where]:
    """The places of such expressions, and of all expressions inside them."""
    found: set[Where] = set()
    for file in files:
        for part in file.parts:
            for outer in _unsuitable(ast.parse(part.text)):
                found |= _places(part.label, outer, part.text.split("\n"))
    return frozenset(found)


def _places(label: str, outer: ast.AST, lines: list[str]) -> set[Where]:
    """The places of all expressions in ``outer``."""
    return {where_of(label, node, lines) for node in ast.walk(outer) if isinstance(node, ast.expr)}


def shared(files: tuple[SourceFile, ...], function: str, course: Course) -> frozenset[Where]:
    """The places in other definitions that ``function`` uses and an exercise or a definition beside it uses, too."""
    places: dict[str, set[Where]] = {}
    uses: dict[str, set[str]] = {}
    for file in files:
        for part in file.parts:
            for node in ast.parse(part.text).body:
                if isinstance(node, _DEFINITIONS):
                    # Files may have definitions of the same name.
                    places.setdefault(node.name, set()).update(_places(part.label, node, part.text.split("\n")))
                    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                    uses.setdefault(node.name, set()).update(names)
    mine = _reachable(uses, {function})
    exercises = {exercise.name for question in course.questions for exercise in question.exercises}
    others = _reachable(uses, (uses.keys() - mine) | (exercises - {function}))
    return frozenset().union(*(places[name] for name in (mine & others) - {function}))


def _reachable(uses: Mapping[str, set[str]], start: Iterable[str]) -> set[str]:
    """The definitions among ``start`` and all that they use."""
    reached: set[str] = set()
    waiting = [name for name in start if name in uses]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [used for used in uses[name] if used in uses]
    return reached


def function_around(files: tuple[SourceFile, ...], where: Where) -> range:
    """The lines of the innermost function around a place; of the whole file if there is none."""
    label, line = where[:2]
    text = text_of(files, label)
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, _FUNCTIONS))
    lines = (range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in functions)
    return min((found for found in lines if line in found), key=len, default=range(1, text.count("\n") + 2))


def text_of(files: tuple[SourceFile, ...], label: str) -> str:
    """The text of the part ``label``. Raises StopIteration if there is none."""
    return next(part.text for file in files for part in file.parts if part.label == label)


def _unsuitable(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                yield test
            case ast.Call(func=ast.Name(id="range"), args=bounds):
                yield from bounds
            case ast.Call() if _draws(_called(node)):
                yield node
            case ast.FunctionDef(name=name, body=[*_, ast.Return(value=ast.expr() as value)]) if name in _ELEMENTARY:
                yield value
        for name in ("body", "orelse"):
            if isinstance(block := getattr(node, name, None), list):
                yield from _initial(block)


def _initial(block: list[ast.stmt]) -> Iterator[ast.expr]:
    """Constants and filled arrays that are assigned to what a later loop of the same block changes."""
    for at, statement in enumerate(block):
        if not isinstance(statement, ast.Assign):
            continue
        changed = {name for loop in block[at + 1 :] if isinstance(loop, (ast.For, ast.While)) for name in _stored(loop)}
        for target in statement.targets:
            if _stored(target) & changed:
                yield from filter(_is_fill, _values(statement.value))


def _values(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]


def _is_fill(value: ast.expr) -> bool:
    return isinstance(value, (ast.Constant, ast.UnaryOp)) or (isinstance(value, ast.Call) and _called(value) in _FILLS)


def _stored(node: ast.AST) -> set[str]:
    """The variables that are assigned in ``node``, also in part."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    parts = (each for each in ast.walk(node) if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store))
    return names | {part.value.id for part in parts if isinstance(part.value, ast.Name)}


def _draws(name: str) -> bool:
    return name in table(__file__, "names.yaml")["random"] or name.endswith(_INITIALISERS)


def _called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
