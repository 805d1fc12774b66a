"""Mutation testing of the cases: a small change to a reference that no case detects shows a gap in the cases.

Each mutant is a reference with one node of its syntax tree changed; it is graded like a learner's code. For a surviving
mutant, add a case that detects it, or list it under ``equivalent:`` with the reason.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import queue
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from grader.core.model import Course, Exercise, Question, SourceFile, Status
from grader.core.tables import table
from grader.course import edits
from grader.course.conditions import known
from grader.grading.context import GradingContext
from grader.grading.grade import grade_reference
from grader.grading.inputs import Seed
from grader.grading.plan import function_of, module_of
from grader.grading.reference_results import reference_observer
from grader.sandbox import Sandbox, ZygoteSettings, open_sandbox


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed reference. ``name`` describes the change and its place."""

    exercise: str
    name: str
    files: tuple[SourceFile, ...]


def mutants(course: Course, exercise: Exercise) -> Iterator[Mutant]:
    """Every mutant of the reference of ``exercise`` and of its helpers that are not exercises themselves."""
    for file, name, text in _own(course, exercise):
        times: Counter[str] = Counter()
        for described, changed in variants(text):
            times[described] += 1
            again = f" #{times[described]}" if times[described] > 1 else ""
            other = edits.rewritten(file, name, changed)
            files = tuple(other if source is file else source for source in course.reference)
            yield Mutant(exercise.name, f"{name}: {described}{again}", files)


def _own(course: Course, exercise: Exercise) -> Iterator[tuple[SourceFile, str, str]]:
    """(file, name, text) of the functions to change: the reference (all methods of a class) and its helpers."""
    module, target = module_of(exercise), function_of(exercise)
    others = {(module_of(e), function_of(e)) for q in course.questions for e in q.exercises} - {(module, target)}
    called = edits.called(course.reference, module, target)
    for file in edits.closure(course.reference, module):
        for name, text in edits.functions(file).items():
            top = name.partition(".")[0]
            if (file.module, top) not in others and ((top == target and file.module == module) or top in called):
                yield file, name, text


# ------------------------------------------------------------------------------------------- changes


def variants(text: str) -> Iterator[tuple[str, str]]:
    """(description, new text of the function) for every change to one function."""
    tree = ast.parse(textwrap.dedent(text))
    alone = _left_alone(tree)
    for index, node in enumerate(ast.walk(tree)):
        for replacement in _changes(node) if node not in alone else ():
            before, after = _said(node), _said(replacement)
            if before != after:
                statements = [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and node in [*ast.walk(s)]]
                innermost = min(statements, key=lambda s: sum(1 for _ in ast.walk(s)))
                around = ast.unparse(innermost).splitlines()[0]
                place = f" in “{around}”" if around != before else ""
                yield f"{before} → {after}{place}", _with(tree, index, replacement)
    match tree.body:
        case [ast.FunctionDef() as function]:
            yield from _habits(function)


def _said(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _left_alone(tree: ast.Module) -> set[ast.AST]:
    """The nodes of docstrings, annotations and exception texts, which are not changed."""
    alone: list[ast.AST | None] = []
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(returns=returns, body=[first, *_]):
                documented = ast.get_docstring(node) is not None
                alone += [returns, first if documented else None]
            case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation):
                alone.append(annotation)
            case ast.Raise(exc=exc):
                alone.append(exc)
    return {inner for node in filter(None, alone) for inner in ast.walk(node)}


def _with(tree: ast.AST, index: int, replacement: ast.AST) -> str:
    """The text of ``tree`` with ``replacement`` in place of the node at ``index`` in the order of ``ast.walk``."""
    other = copy.deepcopy(tree)
    old = list(ast.walk(other))[index]

    class Replacing(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return replacement if node is old else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Replacing().visit(other)))


def _other(operator: ast.AST) -> ast.AST | None:
    """The operator that stands in place of ``operator`` in a mutant; None if there is none."""
    name = table(__file__, "methods.yaml")["operators"].get(type(operator).__name__)
    return None if name is None else getattr(ast, name)()


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of ``node``."""
    match node:
        case ast.If():
            yield _negated(node)
        case ast.Assign() | ast.AugAssign() | ast.Raise() | ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, (ast.Constant, ast.Name)):
            for cast in ("detach", "float"):
                yield _set(node, value=_method(value, cast, []))
        case ast.expr():
            yield from _expression_changes(node)


def _negated(node: ast.If | ast.IfExp) -> ast.AST:
    """An ``if``, as a statement or an expression, with the opposite condition."""
    return _set(node, test=ast.UnaryOp(ast.Not(), node.test))


def _expression_changes(node: ast.expr) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(op=op):
            if other := _other(op):
                yield _set(node, op=other)
            yield node.left
            in_place = table(__file__, "methods.yaml")["in-place-operators"].get(type(op).__name__)
            if isinstance(node.left, ast.Name) and in_place is not None:
                yield _method(node.left, in_place, [node.right])
        case ast.Compare(ops=[op], left=_, comparators=[_]) if other := _other(op):
            yield _set(node, ops=[other])
        case ast.BoolOp(op=op):
            yield _set(node, op=_other(op))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            pass  # a negative number: its constant is changed
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant(value=bool(flag)):
            yield _set(node, value=not flag)
        case ast.Constant(value=int(number)):
            yield _set(node, value=number + 1)
            if number > 0:
                yield _set(node, value=number - 1)
        case ast.Constant(value=float(real)):
            yield _set(node, value=real * 2 + (real == 0))
        case ast.Call():
            yield from _call_changes(node)
        case ast.IfExp():
            yield _negated(node)
        case ast.Subscript(value=value, ctx=ast.Load()) if not isinstance(value, ast.Attribute):
            yield value


def _call_changes(node: ast.Call) -> Iterator[ast.AST]:
    symmetric = isinstance(node.func, ast.Attribute) and node.func.attr in ("transpose", "swapaxes")
    if len(node.args) >= 2 and not symmetric and not any(isinstance(arg, ast.Starred) for arg in node.args):
        yield _set(node, args=[node.args[1], node.args[0], *node.args[2:]])
    if isinstance(node.func, ast.Attribute) and node.func.attr in table(__file__, "methods.yaml")["dropped"]:
        module = isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "math", "F", "nn")
        if not module:
            yield node.func.value
        elif node.args:
            yield node.args[0]
    for index in range(len(node.keywords)):
        yield _set(node, keywords=node.keywords[:index] + node.keywords[index + 1 :])


def _set(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _method(value: ast.expr, name: str, args: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Attribute(value, name, ast.Load()), args, [])


# ------------------------------------------------------------------------------------------- running


@dataclass(frozen=True, slots=True)
class MutantResult:
    """Whether a mutant was ``caught``; if not, ``why`` that is acceptable, or None for a gap in the cases."""

    mutant: Mutant
    caught: bool
    why: str | None = None


def run(
    course: Course, exercises: tuple[str, ...], workers: int, progress: Callable[[str], None] = lambda _: None
) -> Iterator[MutantResult]:
    """Grades every mutant of the named exercises (of all, if none is named) in ``workers`` sandboxes.

    ``progress`` is called with the name of each exercise as it begins.
    """
    with contextlib.ExitStack() as stack:
        idle: queue.SimpleQueue[Sandbox] = queue.SimpleQueue()
        sandboxes = [
            stack.enter_context(open_sandbox(mode="require", settings=ZygoteSettings(collapse=True)))
            for _ in range(max(1, workers))
        ]
        for sandbox in sandboxes:
            sandbox.start()
            idle.put(sandbox)
        executor = stack.enter_context(ThreadPoolExecutor(len(sandboxes)))
        context = GradingContext(course, Seed.public(), reference_observer(sandboxes[0].observe, Seed.public()))
        for question in course.questions:
            for exercise in question.exercises:
                if exercises and exercise.name not in exercises:
                    continue
                progress(exercise.name)
                context.expected(exercise)  # computed before the threads start: they only read it
                every = list(mutants(course, exercise))
                survive = functools.partial(_survives, context, question, exercise, idle)
                for mutant, lives in zip(every, executor.map(survive, every), strict=True):
                    why = (each.why for each in question.equivalent if matches(each.mutant, mutant.name))
                    yield MutantResult(mutant, not lives, next(why, None))


def _survives(
    context: GradingContext, question: Question, exercise: Exercise, idle: queue.SimpleQueue[Sandbox], mutant: Mutant
) -> bool:
    sandbox = idle.get()
    try:
        observe = reference_observer(sandbox.observe, context.seed)
        result = grade_reference(context, question, exercise, mutant.files, observe, diagnosed=False)
    finally:
        idle.put(sandbox)
    return result.status is Status.PASSED


def stale_equivalents(course: Course, results: Iterable[MutantResult]) -> Iterator[tuple[str, str]]:
    """(question, mutant) of each entry of ``equivalent:`` whose mutant is caught or does not exist."""
    alive = [fate.mutant.name for fate in results if not fate.caught]
    for question in course.questions:
        for equivalent in question.equivalent:
            if not any(matches(equivalent.mutant, name) for name in alive):
                yield question.id, equivalent.mutant


def matches(pattern: str, name: str) -> bool:
    """Whether ``name`` matches ``pattern``, in which "…" stands for any text."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), name) is not None


# --------------------------------------------------------------------------------------- habits of learners

#: The size of a buffer that seems large enough.
_ROOM = 128
#: What the types of arguments with a shape or a value are called.
_DATA = ("Tensor", "int", "float", "bool", "str")


def _habits(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """(description, new text) for every change to ``function`` that imitates a habit of learners.

    These are wrong only under certain conditions: they keep state from call to call, assume that sizes are equal, use
    buffers of fixed size or the first sample's mask for all, or compute differences that cancel. Each is correct on
    small, simple cases, so each needs a case with its condition (see ``grader.course.conditions``).
    """
    for statement in _at_the_start(function):
        other = copy.deepcopy(function)
        other.body.insert(1 if ast.get_docstring(function) is not None else 0, ast.parse(statement).body[0])
        yield f"first {statement}", ast.unparse(other)
    if function.name != "__init__":
        yield from _keeping(function)
    yield from _replacing(function)


def _at_the_start(function: ast.FunctionDef) -> Iterator[str]:
    """Statements that change an argument before it is used."""
    types = {argument.arg: ast.unparse(argument.annotation or ast.Constant(None)) for argument in function.args.args}
    for name, kind in types.items():
        optional = f"{name} if {name} is None else " if "None" in kind else ""
        if name in known("padding"):
            yield f"{name} = {optional}{name}[:1]"
        elif name in known("signed") or (name in known("sequences") and "Tensor" in kind):
            yield f"{name} = {optional}abs({name})"
        if "Tensor" in kind and name in known("sequences", "sized"):
            yield f"{name} = {name}[..., :{_ROOM}, :]"
        elif "Tensor" in kind and name in known("tokens"):
            yield f"{name} = {name}[..., :{_ROOM}]"
        elif "int" in kind and name in known("lengths"):
            yield f"{name} = {optional}min({name}, {_ROOM})"
    defaulted = function.args.args[len(types) - len(function.args.defaults) :]
    for argument, default in zip(defaulted, function.args.defaults, strict=True):
        if argument.arg in known("zero") and ast.unparse(default) != "None":
            yield f"{argument.arg} = {argument.arg} or {ast.unparse(default)}"
    for first, second in known("query-and-key"):
        if "int" in types.get(first, "") and "int" in types.get(second, ""):
            yield f"{first} = {second}"
            yield f"{second} = {first}"
            yield f"{first}, {second} = {second}, {first}"


def _keeping(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The result of a statement is computed only once, or once for each value or shape of one argument."""
    names = [argument.arg for argument in function.args.args if _is_data(argument)]
    arguments = [name for name in names if name != "self"]
    owner = "self" if len(arguments) < len(names) else function.name
    for index, node in enumerate(ast.walk(function)):
        match node:
            case ast.Return(value=ast.expr() as value):
                keys = ["", *(arguments if len(arguments) > 1 else ())]
            case ast.Assign(targets=[ast.Name()], value=ast.expr() as value) if not isinstance(value, ast.Constant):
                keys = [""]
            case _:
                continue
        for key in keys:
            label = f'"kept" + str(getattr({key}, "shape", {key}))' if key else '"kept"'
            keep = ast.parse(f"{owner}.__dict__.setdefault({label}, {ast.unparse(value)})", mode="eval").body
            kept = f"for each {key}" if key else "once"
            yield f"{_said(node)} computed {kept}", _with(function, index, _set(node, value=keep))


def _is_data(argument: ast.arg) -> bool:
    """Whether an argument has a shape or value, unlike functions and caches."""
    kind = ast.unparse(argument.annotation) if argument.annotation else ""
    return not kind or ("Callable" not in kind and any(word in kind for word in _DATA))


def _replacing(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Expressions replaced by similar ones: ``if x`` for ``if x is not None``, another length, changes in place, …."""
    arguments = {argument.arg for argument in function.args.args}
    for index, node in enumerate(ast.walk(function)):
        for replacement in _replacements(node, arguments):
            yield f"{ast.unparse(node)} → {ast.unparse(replacement)}", _with(function, index, replacement)


def _replacements(node: ast.AST, arguments: set[str]) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            yield left
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            yield ast.UnaryOp(ast.Not(), left)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=index) if (
            ast.unparse(index) == "-2"
        ):
            for first, second in known("query-and-key"):
                if name in (first, second) and {first, second} <= arguments:
                    shape = ast.Attribute(ast.Name(second if name == first else first), "shape", ast.Load())
                    yield ast.Subscript(shape, index, ast.Load())
        case ast.Call(func=ast.Attribute(value=squared, attr="mean"), args=args, keywords=keywords):
            match squared:
                case ast.Call(func=ast.Attribute(value=ast.BinOp(left=left, op=ast.Sub(), right=right), attr="square")):
                    squares = ast.Call(ast.Attribute(_square(left), "mean", ast.Load()), args, keywords)
                    yield ast.BinOp(squares, ast.Sub(), _square(right))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args) if (
            name in arguments and method in table(__file__, "methods.yaml")["in-place"]
        ):
            yield ast.Call(ast.Attribute(ast.Name(name), f"{method}_", ast.Load()), args, node.keywords)


def _square(value: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(value, "square", ast.Load()), [], [])
