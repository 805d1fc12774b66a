"""What the definition of an exercise shows before anything is run: that it is a stub, or uses a forbidden name.

The search for forbidden names follows the definition of the exercise to the definitions that it mentions, and so on,
across all files. These do not count: a comparison with the library under ``if __name__ == "__main__"``, an unused
import, an annotation, a function of the learner's own with the same name. What a syntax tree does not show (names built
at run time, methods of tensors) is blocked in the child; see ``sandbox/inside/forbidding.py``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from grader.core import bounded
from grader.core.model import Message, SourceFile, Text
from grader.grading.outline import Outline, outline_of, reached
from grader.submission.messages import Unusable
from grader.submission.source import parse

_USES = Message("{file}, line {line} uses {name}, which this exercise forbids")

TOO_COSTLY = Message(
    "your files are too large to check for library functions that this exercise forbids; submit only your own code"
)


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a forbidden name, with its file and line."""

    name: str
    file: str
    line: int

    def text(self) -> Text:
        """The message for the learner."""
        return _USES.fill(file=self.file, line=self.line, name=self.name)


def first_use(exercise: str, forbidden: tuple[str, ...], file: SourceFile, files: tuple[SourceFile, ...]) -> Use | None:
    """The first use of a name in ``forbidden`` that the definition of ``exercise`` in ``file`` leads to.

    Large files are searched in a process with limits. Raises ``bounded.Exceeded`` if they are exceeded.
    """
    if sum(len(part.text) for source in (*files, file) for part in source.parts) <= bounded.SMALL:
        return _first_use(exercise, forbidden, file, files)
    return bounded.call(bounded.READING, _first_use, exercise, forbidden, file, files)


def _first_use(
    exercise: str, forbidden: tuple[str, ...], file: SourceFile, files: tuple[SourceFile, ...]
) -> Use | None:
    for outline, mention in reached(exercise, file, files):
        if (name := _forbidden(mention.dotted, forbidden, outline)) is not None:
            return Use(name, mention.label, mention.line)
    return None


def _forbidden(dotted: str, forbidden: tuple[str, ...], outline: Outline) -> str | None:
    """The forbidden name that ``dotted`` refers to (same library, same last part), or None."""
    for name in forbidden:
        library, last = name.partition(".")[0], name.rpartition(".")[2]
        if dotted.startswith(f"{library}.") and dotted.endswith(f".{last}"):
            return name
        if dotted == last and library in outline.stars:
            return name
    return None


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def unwritten(name: str, file: SourceFile) -> tuple[str, int] | None:
    """The file and line of the definition of ``name``, if that is still a stub; else None.

    A stub has at most a docstring, ``pass``, ``...``, ``return None`` and ``raise NotImplementedError``. A class is one
    if all its methods are. It must be at the top level, and nothing else may replace or extend it: code under ``if``
    or ``try``, a later star import or assignment, a call that gets it. Large files are not searched.
    """
    if sum(len(part.text) for part in file.parts) > bounded.SMALL:
        return None
    outline = outline_of(file)
    label, node = outline.nodes.get(name, ("", None))
    if not isinstance(node, _Function | ast.ClassDef) or node.decorator_list:
        return None
    if not _is_empty(node) or (isinstance(node, ast.ClassDef) and _inherits(node, outline)):
        return None
    return None if _may_be_changed(name, label, node.lineno, file) else (label, node.lineno)


def only_raises(name: str, file: SourceFile, files: tuple[SourceFile, ...]) -> tuple[str, int] | None:
    """The file and line of the definition of ``name`` if it is a stub whose every call raises NotImplementedError.

    Such a stub, as `attncheck start` writes, need not be run; one that returns None could be correct by chance. None
    otherwise, and if code in ``files`` could rebind the name when it runs.
    """
    if not any("NotImplementedError" in part.text for part in file.parts):
        return None  # the usual case; the rest takes longer
    place = unwritten(name, file)
    if place is None or outline_of(file).stars or any(_may_rebind(name, source) for source in files):
        return None
    node = outline_of(file).nodes[name][1]
    if isinstance(node, ast.ClassDef):
        if node.keywords or not all(_full_name(base, file) in _BASES for base in node.bases):
            return None
        called = [method for method in node.body if isinstance(method, _Function) and method.name != "__init__"]
    else:
        called = [node] if isinstance(node, _Function) else []
    return place if called and all(map(_raises, called)) else None


#: Base classes from which a class inherits nothing that returns a result.
_BASES = ("object", "torch.nn.Module")
#: Words in code that may replace definitions when it runs. If any occurs, even by chance, the code is run.
_REBINDING = (
    *("globals", "locals", "vars", "exec", "eval", "setattr"),
    *("__dict__", "modules", "import_module", "__import__"),
)


def _may_rebind(name: str, file: SourceFile) -> bool:
    for part in file.parts:
        if len(part.text) > bounded.SMALL or any(word in part.text for word in _REBINDING):
            return True
        if f".{name}" in part.text:
            try:
                tree = parse(part.text, part.label)
            except Unusable:
                continue  # this never runs
            stored = (attribute for attribute in ast.walk(tree) if isinstance(attribute, ast.Attribute))
            if any(attribute.attr == name and isinstance(attribute.ctx, ast.Store) for attribute in stored):
                return True
    return False


def _full_name(base: ast.expr, file: SourceFile) -> str:
    """The full name of a base class, as far as it is a dotted name; empty if it is defined in the file."""
    outline = outline_of(file)
    root, *rest = ast.unparse(base).split(".")
    return "" if root in outline.nodes else ".".join([outline.means.get(root, root), *rest])


def _raises(node: _Function) -> bool:
    """Whether the first statement of a stub that does anything raises an exception. A coroutine or generator waits."""
    statements = (statement for statement in node.body if not isinstance(statement, ast.Pass | ast.Expr | _Function))
    return isinstance(node, ast.FunctionDef) and isinstance(next(statements, None), ast.Raise)


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


def _inherits(node: ast.ClassDef, outline: Outline) -> bool:
    """Whether a class may have methods from a metaclass, or from another base than ``object`` or a library's Module."""
    names = {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases}
    return bool(node.keywords) or not names <= {"object", "Module"} or not names.isdisjoint(outline.nodes)


def _may_be_changed(name: str, label: str, line: int, file: SourceFile) -> bool:
    """Whether the definition at ``line`` is conditional, or other code may replace or extend it."""
    trees = {part.label: parse(part.text, part.label) for part in file.parts}
    if not any(statement.lineno == line for statement in trees[label].body):
        return True
    later = list(trees)[list(trees).index(label) :]
    for where, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                if where in later and (where != label or node.lineno > line):
                    return True
            elif _changes(node, name):
                return True
    return False


def _changes(node: ast.AST, name: str) -> bool:
    """Whether ``node`` assigns to the name or its attributes, or gives it to a call or decorator that may."""
    match node:
        case ast.Name(id=found, ctx=ast.Store()) | ast.Attribute(value=ast.Name(id=found), ctx=ast.Store()):
            return found == name
        case ast.Call(func=ast.Name(id="super")):
            return False
        case ast.Call(args=given):
            return any(isinstance(each, ast.Name) and each.id == name for each in given)
        case ast.FunctionDef(decorator_list=[_, *_] as given) | ast.ClassDef(decorator_list=[_, *_] as given):
            within = (inner for each in given for inner in ast.walk(each))
            return any(isinstance(inner, ast.Name) and inner.id == name for inner in within)
    return False
