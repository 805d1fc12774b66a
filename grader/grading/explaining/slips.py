"""Small slips in code, each with a change of its text that would fix it. Nothing is run.

Not everything that looks like a slip is one: before one is reported, the changed code has to run.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from grader.core import bounded
from grader.core.model import Exercise, Message, Part, SourceFile, Text
from grader.core.tables import table
from grader.core.text import join
from grader.course import edits
from grader.grading.explaining.landmarks import Where, where_of
from grader.grading.outline import definitions

_DISCARDED = Message("The result of this line is thrown away: `{name}` stays as it was. Assign it: `{name} = …`.")
_NEVER_READ = Message("`{name}` is computed here and never used. What follows still works with `{other}`.")
_OF_THE_CLASS = Message("`{name}` belongs to the class, so all instances share it. Create it in `__init__`.")
_ALL_OF_THE_CLASS = Message("{names} belong to the class, so all instances share them. Create them in `__init__`.")
_STORED = Message("This line changes `{name}` itself, so whatever comes later works with the changed value.")
_DEFAULT = Message("The default value of `{name}` is created only once, so all calls share it. Create it in the body.")
_GLOBAL = Message("`{name}` still holds what earlier calls have put into it.")
_BREAK = Message("`break` ends the whole loop here; `continue` goes on with the next round.")
_CONTINUE = Message("`continue` goes on with the next round here; `break` ends the whole loop.")
_REVERSED = Message("This reverses the order, which should stay as it is.")
_OTHER_ORDER = Message("The order is the wrong way round here.")
_ACTIVATION = Message("The activation here should be {right}, not {mine}.")
# A number that is too small in one term of a sum can be made up for in another.
_ROUNDED = Message("One way to fix it: round up here, not down.")
_OPERATOR = Message("One way to fix it: replace `{mine}` with another operator.")
_NUMBER = Message("One way to fix it: replace `{mine}` with another number.")

_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Slip:
    """What may be wrong at a place, and the files with that changed."""

    said: Text
    where: Where
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """Bytes of a source text to replace. What is said of it is about ``node``."""

    said: Text
    node: ast.expr | ast.stmt
    start: int
    end: int
    new: str


def slips(exercise: Exercise, file: SourceFile, files: tuple[SourceFile, ...], small: bool = False) -> Iterator[Slip]:
    """The slips in the definition of ``exercise`` and in what it uses of the same file; none if this is long.

    With ``small``, single operators and numbers, any of which may be wrong.
    """
    if sum(len(part.text) for part in file.parts) > bounded.SMALL:
        return
    names = {exercise.name} | {name for _, name in definitions(exercise.name, file, (file,))}
    for part in file.parts:
        lines = part.text.split("\n")
        finder = _Finder(part.text, names)
        for change in finder.small() if small else finder.changes():
            text = part.text.encode()
            changed = (text[: change.start] + change.new.encode() + text[change.end :]).decode()
            where = where_of(part.label, change.node, lines)
            yield Slip(change.said, where, _with_text(files, file, part, changed))


def _with_text(files: tuple[SourceFile, ...], file: SourceFile, part: Part, text: str) -> tuple[SourceFile, ...]:
    parts = tuple(replace(each, text=text) if each is part else each for each in file.parts)
    return tuple(replace(each, parts=parts) if each.path == file.path else each for each in files)


class _Finder:
    """Looks for slips in the definitions called ``names`` of one source text."""

    def __init__(self, text: str, names: set[str]) -> None:
        self.tree = ast.parse(text)
        self.names = names
        self.lines = [line.encode() for line in text.split("\n")]
        defined = [node for node in self.tree.body if isinstance(node, (_Function, ast.ClassDef))]
        self.chosen = [node for node in defined if node.name in names]

    def small(self) -> Iterator[_Change]:
        """Changes of what rounds, of one number, and of one operator, with which a loop may not end."""
        nodes = list(itertools.chain.from_iterable(map(ast.walk, self.chosen)))
        left_out = [node.value for node in nodes if isinstance(node, ast.AugAssign)]  # `n += 0` may loop forever
        left_out += [node.operand for node in nodes if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)]
        expressions = [node for node in nodes if isinstance(node, ast.expr) and node not in left_out]
        for kind, node in itertools.product((self._rounded, self._numbers, self._operators), expressions):
            yield from kind(node)

    def changes(self) -> Iterator[_Change]:
        """The changes, those that say the most first."""
        functions = [node for top in self.chosen for node in ast.walk(top) if isinstance(node, _Function)]
        kinds: tuple[Callable[[_Function], Iterator[_Change]], ...] = (
            self._discarded, self._never_read, self._defaults, self._stored, self._jumps, self._orders,
            self._activations,
        )  # fmt: skip
        for node in self.chosen:
            if isinstance(node, ast.ClassDef):
                yield from self._of_the_class(node)
        for kind in kinds:
            for function in functions:
                yield from kind(function)
        for function in functions:
            yield from self._globals(function)

    # ------------------------------------------------------------------ text

    def _offset(self, line: int, column: int) -> int:
        return sum(len(each) + 1 for each in self.lines[: line - 1]) + column

    def _segment(self, node: ast.expr | ast.stmt) -> str:
        whole = b"\n".join(self.lines)
        return whole[self._start(node) : self._end(node)].decode()

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def _instead(self, said: Text, node: ast.expr | ast.stmt, new: str, whole: ast.expr | None = None) -> _Change:
        return _Change(said, whole or node, self._start(node), self._end(node), new)

    def _before(self, said: Text, about: ast.expr | ast.stmt, function: _Function, new: str) -> Iterator[_Change]:
        """The statement ``new`` before the body of ``function``, if this begins on a line of its own."""
        first = function.body[0]
        if first.lineno > function.lineno:
            start = self._offset(first.lineno, 0)
            yield _Change(said, about, start, start, " " * first.col_offset + new + "\n")

    # ----------------------------------------------------------------- slips

    def _discarded(self, function: _Function) -> Iterator[_Change]:
        for node in ast.walk(function):
            if isinstance(node, ast.Expr) and (target := _target(node.value)) is not None:
                name = self._segment(target)
                start = self._start(node)
                yield _Change(_DISCARDED.fill(name=name), node, start, start, f"{name} = ")

    def _never_read(self, function: _Function) -> Iterator[_Change]:
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        outside = {
            name for node in ast.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
        }
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if name not in {*read, *outside}:
                    used = dict.fromkeys(each.id for each in ast.walk(value) if isinstance(each, ast.Name))
                    for other in used:
                        if any(each.id == other and each.lineno > node.lineno for each in names):
                            yield self._instead(_NEVER_READ.fill(name=name, other=other), target, other)

    def _of_the_class(self, owner: ast.ClassDef) -> Iterator[_Change]:
        """Each container that belongs to the class, then all of them."""
        made = next((node for node in owner.body if isinstance(node, _Function) and node.name == "__init__"), None)
        shared = [
            (node, name, f"self.{name} = {self._segment(value)}")
            for node in owner.body
            for name, value in named(node)
            if _is_mutable(value)
        ]
        names = join((f"`{name}`" for _, name, _ in shared), Message(" and "))
        changes = [(node, _OF_THE_CLASS.fill(name=name), new) for node, name, new in shared]
        if len(shared) > 1:
            together = "; ".join(new for *_, new in shared)
            changes.append((shared[0][0], _ALL_OF_THE_CLASS.fill(names=names), together))
        for node, said, new in changes:
            if made:
                yield from self._before(said, node, made, new)
            else:
                end = self._end(owner.body[-1])
                indent = " " * node.col_offset
                yield _Change(said, node, end, end, f"\n\n{indent}def __init__(self):\n{indent}    {new}\n")

    def _stored(self, function: _Function) -> Iterator[_Change]:
        """A stored array that a method changes; instead, a variable gets the new value."""
        for node in ast.walk(function):
            match node:
                case ast.AugAssign(target=ast.Attribute() as target, value=value) if function.name != "__init__":
                    name = self._segment(target).removesuffix(".data")
                    after = b"\n".join(self.lines)[self._end(node) : self._end(function)].decode()
                    sign = self._segment(node)[len(self._segment(target)) :].partition("=")[0]
                    new = f"stored = {name}{sign} ({self._segment(value)})" + after.replace(name, "stored")
                    yield _Change(_STORED.fill(name=name), node, self._start(node), self._end(function), new)

    def _defaults(self, function: _Function) -> Iterator[_Change]:
        arguments = [*function.args.posonlyargs, *function.args.args]
        given = [*zip(reversed(arguments), reversed(function.args.defaults), strict=False)]
        for arg, value in (*given, *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)):
            if value is not None and _is_mutable(value):
                new = f"{arg.arg} = {self._segment(value)}"
                yield from self._before(_DEFAULT.fill(name=arg.arg), value, function, new)

    def _globals(self, function: _Function) -> Iterator[_Change]:
        used = edits.names_in(function)
        for node in self.tree.body:
            for name, value in named(node):
                if name in used and _is_mutable(value) and function.name in (*self.names, "__init__"):
                    yield from self._before(_GLOBAL.fill(name=name), node, function, f"{name}.clear()")

    def _jumps(self, function: _Function) -> Iterator[_Change]:
        for node in ast.walk(function):
            if isinstance(node, ast.Break):
                yield self._instead(_BREAK, node, "continue")
            elif isinstance(node, ast.Continue):
                yield self._instead(_CONTINUE, node, "break")

    def _orders(self, function: _Function) -> Iterator[_Change]:
        for node in ast.walk(function):
            match node:
                case (
                    ast.Subscript(value=value, slice=ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1))))
                    | ast.Call(func=ast.Name(id="reversed"), args=[value])
                ):
                    yield self._instead(_REVERSED, node, self._segment(value))
                case ast.Call(func=ast.Attribute(value=value, attr="flip"), args=args):
                    of_module = isinstance(value, ast.Name) and value.id in known("modules")
                    yield self._instead(_REVERSED, node, self._segment(args[0] if of_module and args else value))
                case ast.Call(keywords=keywords):
                    for each in keywords:
                        if each.arg in ("descending", "largest", "reverse") and isinstance(each.value, ast.Constant):
                            yield self._instead(_OTHER_ORDER, each.value, str(not each.value.value), node)

    def _activations(self, function: _Function) -> Iterator[_Change]:
        for node in ast.walk(function):
            match node:
                case ast.Attribute(attr=mine) if mine in known("unlikely"):
                    for name, right in known("activations").items():
                        said = _ACTIVATION.fill(right=right, mine=f"`{mine}`")
                        yield self._instead(said, node, self._segment(node)[: -len(mine)] + name)

    def _rounded(self, node: ast.expr) -> Iterator[_Change]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            new = f"(-(-({self._segment(node.left)}) // ({self._segment(node.right)})))"
            yield self._instead(_ROUNDED, node, new)

    def _operators(self, node: ast.expr) -> Iterator[_Change]:
        match node:
            case ast.BinOp(left, kind, right) | ast.Compare(left, [kind], [right]):
                start, end = self._end(left), self._start(right)
                between = b"\n".join(self.lines)[start:end].decode()
                for mine, other in known("operators").get(type(kind).__name__, {}).items():
                    yield _Change(_OPERATOR.fill(mine=mine), node, start, end, between.replace(mine, other, 1))

    def _numbers(self, node: ast.expr) -> Iterator[_Change]:
        mine = self._segment(node)
        if re.fullmatch(r"-?\d{1,3}", mine):
            for other in (int(mine) + 1, int(mine) - 1):
                yield self._instead(_NUMBER.fill(mine=mine), node, f"({other})")


def known(kind: str) -> Any:
    """A table of names: of functions, of operators and so on."""
    return table(__file__, "names.yaml")[kind]


def _target(value: ast.expr) -> ast.expr | None:
    """What the value of an expression statement was probably meant for: the array that it was computed from."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="F" | "np" | "numpy" | "torch" | "nn"), attr=name), args=[first, *_]
        ):
            source = first
        case ast.Call(func=ast.Attribute(value=source, attr=name)):
            pass
        case ast.BinOp(left=source):
            name = ""
        case _:
            return None
    itself = isinstance(source, ast.Name) and source.id == "self"
    plain = isinstance(source, (ast.Name, ast.Attribute, ast.Subscript)) and not itself
    effect = name in known("for_effect") or name.endswith("_")
    return None if effect or not plain else source


def named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The name that a statement gives to a value, and the value."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(
            ast.Name(id=name), value=ast.expr() as value
        ):
            yield name, value


def _is_mutable(value: ast.expr | None) -> bool:
    """Whether the value is a container that can be changed."""
    makes = (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("dict", "list", "set")
    )
    return makes or isinstance(value, _MUTABLE)
