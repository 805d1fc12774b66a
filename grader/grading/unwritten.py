"""Finds exercises that are not written yet: definitions that hold nothing but what a stub holds. Nothing is run."""

from __future__ import annotations

import ast

from grader.core import bounded
from grader.core.model import SourceFile
from grader.grading.outline import outline_of
from grader.submission.source import parse

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def unwritten(name: str, file: SourceFile) -> tuple[str, int] | None:
    """The file and line of the definition of ``name``, if that is still a stub; else None.

    A stub has at most a docstring, ``pass``, ``...``, ``return None`` and ``raise NotImplementedError``. A class is one
    if all its methods are, and nothing adds methods to it from outside. Large files are not searched.
    """
    if sum(len(part.text) for part in file.parts) > bounded.SMALL:
        return None
    label, node = outline_of(file).nodes.get(name, ("", None))
    if not isinstance(node, _Function | ast.ClassDef) or node.decorator_list:
        return None
    if isinstance(node, ast.ClassDef) and (_inherits(node) or _is_extended(name, file)):
        return None
    return (label, node.lineno) if _is_empty(node) else None


def _is_empty(node: _Function | ast.ClassDef) -> bool:
    return all(_says_nothing(statement) for statement in node.body)


def _says_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Return(value=None | ast.Constant(value=None)):
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError")) | ast.Name(id="NotImplementedError")):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"))):
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return not statement.decorator_list and _is_empty(statement)
    return False


def _inherits(node: ast.ClassDef) -> bool:
    """Whether a class has another base than ``object`` or ``Module``, from which it may have its methods."""
    names = (base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases)
    return not set(names) <= {"object", "Module"}


def _is_extended(name: str, file: SourceFile) -> bool:
    """Whether code outside the class sets its attributes, or gives it to a decorator that may."""
    for node in (node for part in file.parts for node in ast.walk(parse(part.text, part.label))):
        match node:
            case ast.Attribute(value=ast.Name(id=found), ctx=ast.Store()) if found == name:
                return True
            case ast.FunctionDef(decorator_list=[_, *_] as given) | ast.ClassDef(decorator_list=[_, *_] as given):
                within = (inner for each in given for inner in ast.walk(each))
                if any(isinstance(inner, ast.Name) and inner.id == name for inner in within):
                    return True
    return False
