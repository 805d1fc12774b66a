"""Expressions that are no place, although another value there may repair everything that follows.

The correct final maximum as the initial value of a loop hides a mistake inside it; so does another bound, another truth
value of a condition, and another random draw. A function that other exercises use, too, is no place either: the place
is where it is called.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

from grader.core.model import Course, Part, SourceFile
from grader.course import edits
from grader.grading.explaining.landmarks import Where, where_of
from grader.grading.explaining.slips import known, named

#: Initialisers such as ``xavier_uniform_``.
_INITIALISERS = ("_uniform_", "_normal_")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
#: How many parsed texts are kept: those of the reference are needed for every exercise.
_PARTS = 128


def unsuitable(files: tuple[SourceFile, ...]) -> frozenset[Where]:
    """The places of such expressions, and of all expressions inside them."""
    return frozenset().union(*(_found(part, _unsuitable) for file in files for part in file.parts))


def relative(files: tuple[SourceFile, ...]) -> frozenset[Where]:
    """The places of values that count only up to a term or a factor, so that others there repair the code as well.

    They are differences with a maximum, and what is divided by its own sum.
    """
    return frozenset().union(*(_found(part, _relative) for file in files for part in file.parts))


def only_maximum(files: tuple[SourceFile, ...]) -> frozenset[Where]:
    """The places of values of which only the maximum is taken, so that others with the same maximum repair the code."""
    return frozenset().union(*(_found(part, _only_maximum) for file in files for part in file.parts))


@functools.lru_cache(_PARTS)
def _found(part: Part, find: Callable[[ast.AST], Iterator[ast.expr]]) -> frozenset[Where]:
    lines = part.text.split("\n")
    return frozenset(where_of(part.label, node, lines) for node in find(ast.parse(part.text)))


def shared(files: tuple[SourceFile, ...], function: str, course: Course) -> frozenset[Where]:
    """The places in other definitions that ``function`` uses and an exercise or a definition beside it uses, too."""
    places: dict[str, set[Where]] = {}
    uses: dict[str, set[str]] = {}
    for file in files:
        for part in file.parts:
            lines = part.text.split("\n")
            for node in ast.parse(part.text).body:
                if isinstance(node, _DEFINITIONS):
                    # Files may have definitions of the same name.
                    inside = (where_of(part.label, each, lines) for each in _expressions(node))
                    places.setdefault(node.name, set()).update(inside)
                    uses.setdefault(node.name, set()).update(edits.names_in(node))
    exercises = {exercise.name for question in course.questions for exercise in question.exercises}
    mine = edits.reached([function], uses, set).keys()
    others = edits.reached((uses.keys() - mine) | (exercises - {function}), uses, set).keys()
    return frozenset().union(*(places[name] for name in (mine & others) - {function}))


def function_around(files: tuple[SourceFile, ...], where: Where) -> range:
    """The lines of the innermost function around a place; of the whole file if there is none."""
    label, line = where[:2]
    text = text_of(files, label)
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, _FUNCTIONS))
    lines = (range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in functions)
    return min((found for found in lines if line in found), key=len, default=range(1, text.count("\n") + 2))


def changes_below(files: tuple[SourceFile, ...], where: Where) -> list[range]:
    """The lines of the branches after a place that change the variable to which its statement assigns."""
    text, lines = text_of(files, where[0]), function_around(files, where)
    statements = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.stmt) and each.lineno in lines]
    assigned = [each for each in statements if isinstance(each, ast.Assign) and each.lineno <= where[1] <= _end(each)]
    stored = set().union(*(_stored(target) for each in assigned for target in each.targets))
    branches = [each for each in statements if isinstance(each, ast.If) and each.lineno > where[1]]
    blocks = [block for each in branches for block in (each.body, each.orelse) if block]
    return [range(of[0].lineno, _end(of[-1]) + 1) for of in blocks if stored & set().union(*map(_stored, of))]


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def text_of(files: tuple[SourceFile, ...], label: str) -> str:
    """The text of the part ``label``. Raises StopIteration if there is none."""
    return next(part.text for file in files for part in file.parts if part.label == label)


def _expressions(outer: ast.AST) -> Iterator[ast.expr]:
    return (node for node in ast.walk(outer) if isinstance(node, ast.expr))


def _only_maximum(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in ("max", "amax"):
            yield from (*([node.func.value] if isinstance(node.func, ast.Attribute) else ()), *node.args[:1])


def _relative(tree: ast.AST) -> Iterator[ast.expr]:
    for function in (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)):
        made = [*itertools.chain.from_iterable(map(named, ast.walk(function)))]
        for node in ast.walk(function):
            match node:
                case ast.BinOp(_, ast.Sub(), value) if _is_of(value, made, known("maxima")):
                    yield node
                case ast.BinOp(ast.Name(name), ast.Div(), value) | ast.AugAssign(ast.Name(name), ast.Div(), value):
                    if _is_of(value, made, ["sum"], name):
                        yield from (each for of, each in made if of == name)


def _is_of(value: ast.expr, made: list[tuple[str, ast.expr]], functions: Sequence[str], name: str = "") -> bool:
    """Whether ``value``, also as a variable, is made with one of the ``functions``, of the variable ``name`` if any."""
    sources = [value, *(each for of, each in made if isinstance(value, ast.Name) and of == value.id)]
    calls = (each for each in itertools.chain(*map(ast.walk, sources)) if isinstance(each, ast.Call))
    return any(_called(each) in functions and name in ("", *edits.names_in(each)) for each in calls)


def _unsuitable(tree: ast.AST) -> Iterator[ast.expr]:
    for outer in _outermost(tree):
        yield from _expressions(outer)


def _outermost(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                yield test
            case ast.Call(func=ast.Name(id="range"), args=bounds):
                yield from bounds
            case ast.Call() if (name := _called(node)) in known("random") or name.endswith(_INITIALISERS):
                yield node
            case ast.FunctionDef(name=name, body=[*_, ast.Return(ast.expr() as value)]) if name in known("elementary"):
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
                yield from filter(_is_fill, getattr(statement.value, "elts", [statement.value]))


def _is_fill(value: ast.expr) -> bool:
    called = _called(value) if isinstance(value, ast.Call) else ""
    return isinstance(value, (ast.Constant, ast.UnaryOp)) or called in known("fills")


def _stored(node: ast.AST) -> set[str]:
    """The variables that are assigned in ``node``, also in part."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    parts = (each for each in ast.walk(node) if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store))
    return names | {part.value.id for part in parts if isinstance(part.value, ast.Name)}


def _called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
