"""Mutants that imitate habits of learners rather than typing errors: wrong only under certain conditions.

They keep state from call to call, assume that sizes are equal, use buffers of fixed size or the first sample's mask for
all, or compute differences that cancel. Each is correct on small, simple cases, so each needs a case with its condition
(see ``grader.course.conditions``).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from grader.course import conditions

#: The size of a buffer that seems large enough.
_ROOM = 128


def variants(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """(description, new text) for every such change to ``function``."""
    for statement in _at_the_start(function):
        other = copy.deepcopy(function)
        other.body.insert(1 if ast.get_docstring(function) is not None else 0, ast.parse(statement).body[0])
        yield f"first {statement}", ast.unparse(other)
    if function.name != "__init__":
        yield from _keeping(function)
    yield from _replacing(function)


# ------------------------------------------------------------------------------- before the first line


def _at_the_start(function: ast.FunctionDef) -> Iterator[str]:
    """Statements that change an argument before it is used."""
    types = {argument.arg: ast.unparse(argument.annotation or ast.Constant(None)) for argument in function.args.args}
    for name, kind in types.items():
        optional = f"{name} if {name} is None else " if "None" in kind else ""
        if name in conditions.PADDING:
            yield f"{name} = {optional}{name}[:1]"
        elif name in conditions.SIGNED or (name in conditions.SEQUENCES and "Tensor" in kind):
            yield f"{name} = {optional}abs({name})"
        if "Tensor" in kind and name in (*conditions.SEQUENCES, "memory", "keys", "key", "x"):
            yield f"{name} = {name}[..., :{_ROOM}, :]"
        elif "Tensor" in kind and name in conditions.TOKENS:
            yield f"{name} = {name}[..., :{_ROOM}]"
        elif "int" in kind and name in conditions.LENGTHS:
            yield f"{name} = {optional}min({name}, {_ROOM})"
    defaulted = function.args.args[len(types) - len(function.args.defaults) :]
    for argument, default in zip(defaulted, function.args.defaults, strict=True):
        if argument.arg in conditions.ZERO and ast.unparse(default) != "None":
            yield f"{argument.arg} = {argument.arg} or {ast.unparse(default)}"
    for one, other in conditions.QUERY_AND_KEY:
        if "int" in types.get(one, "") and "int" in types.get(other, ""):
            yield f"{one} = {other}"
            yield f"{other} = {one}"
            yield f"{one}, {other} = {other}, {one}"


# ------------------------------------------------------------------------------------- from call to call


def _keeping(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The result of a statement is computed only once, or once for each value or shape of one argument."""
    names = [argument.arg for argument in function.args.args if _is_data(argument)]
    arguments = [name for name in names if name != "self"]
    owner = "self" if len(arguments) < len(names) else function.name
    for index, node in enumerate(ast.walk(function)):
        match node:
            case ast.Return(value=ast.expr()):
                keys = ["", *(arguments if len(arguments) > 1 else ())]
            case ast.Assign(targets=[ast.Name()], value=ast.expr() as value) if not isinstance(value, ast.Constant):
                keys = [""]
            case _:
                continue
        for key in keys:
            other = copy.deepcopy(function)
            target = list(ast.walk(other))[index]
            assert isinstance(target, (ast.Return, ast.Assign))
            assert target.value is not None
            label = f'"kept" + str(getattr({key}, "shape", {key}))' if key else '"kept"'
            keep = ast.parse(f"{owner}.__dict__.setdefault({label}, None)", mode="eval").body
            assert isinstance(keep, ast.Call)
            keep.args[1] = target.value
            target.value = keep
            kept = f"for each {key}" if key else "once"
            yield (
                f"{' '.join(ast.unparse(node).split())} computed {kept}",
                ast.unparse(ast.fix_missing_locations(other)),
            )


def _is_data(argument: ast.arg) -> bool:
    """Whether an argument has a shape or value, unlike functions and caches."""
    kind = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    return "Callable" not in kind and any(
        word in kind or not kind for word in ("Tensor", "int", "float", "bool", "str")
    )


# ------------------------------------------------------------------------------------- inside a statement


def _replacing(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Expressions replaced by similar ones: ``if x`` for ``if x is not None``, another length, changes in place, …."""
    arguments = {argument.arg for argument in function.args.args}
    for index, node in enumerate(ast.walk(function)):
        for replacement in _replacements(node, arguments):
            other = copy.deepcopy(function)
            replace_node(other, list(ast.walk(other))[index], replacement)
            yield f"{ast.unparse(node)} → {ast.unparse(replacement)}", ast.unparse(other)


def _replacements(node: ast.AST, arguments: set[str]) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            yield left
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            yield ast.UnaryOp(ast.Not(), left)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=index) if (
            ast.unparse(index) == "-2"
        ):
            for one, other in conditions.QUERY_AND_KEY:
                if name in (one, other) and {one, other} <= arguments:
                    shape = ast.Attribute(ast.Name(other if name == one else one), "shape", ast.Load())
                    yield ast.Subscript(shape, index, ast.Load())
        case ast.Call(func=ast.Attribute(value=squared, attr="mean"), args=args, keywords=keywords):
            match squared:
                case ast.Call(func=ast.Attribute(value=ast.BinOp(left=left, op=ast.Sub(), right=right), attr="square")):
                    squares = ast.Call(ast.Attribute(_square(left), "mean", ast.Load()), args, keywords)
                    yield ast.BinOp(squares, ast.Sub(), _square(right))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args) if (
            name in arguments and method in _IN_PLACE
        ):
            yield ast.Call(ast.Attribute(ast.Name(name), f"{method}_", ast.Load()), args, node.keywords)


_IN_PLACE = ("masked_fill", "clamp", "abs", "square", "sqrt", "exp", "tril", "triu", "nan_to_num", "clone")


def _square(value: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(value, "square", ast.Load()), [], [])


def replace_node(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    """Replaces the node ``old`` in ``tree`` by ``new``."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
                return
            if isinstance(value, list):
                for index, entry in enumerate(value):
                    if entry is old:
                        value[index] = new
                        return
