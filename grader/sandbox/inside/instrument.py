"""Puts probes into code: every expression in a function body that computes something is passed through a function.

``x * 2`` becomes ``__probe__(7, x * 2)``. The probe returns what it is given, so the code does what it did before.
Unchanged: decorators, default values, annotations, patterns, f-strings, ``super()``, and targets of assignments.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

#: The name of the probe function in the instrumented code.
PROBE = "__probe__"
#: Attributes that are values of their own, unlike ``x.shape``.
_ATTRIBUTES = frozenset({"T", "mT", "H", "mH", "real"})
#: Functions that look at the code around their call, or make something that is not a value.
_LEFT = frozenset({"super", "print", "isinstance", "hasattr", "getattr", "range", "enumerate", "zip", "locals"})


@dataclass(frozen=True, slots=True)
class ProbeSpan:
    """The source span of a probe: lines from 1, columns from 0 in characters, the end exclusive."""

    label: str
    line: int
    end_line: int
    column: int
    end_column: int


@dataclass(slots=True)
class Probes:
    """The spans of all probes so far, by number. ``inner`` has the numbers of those whose value is changed in place."""

    places: list[ProbeSpan] = field(default_factory=list)
    inner: set[int] = field(default_factory=set)

    def instrument(self, statement: ast.stmt, label: str, text: str) -> ast.stmt:
        """A top-level statement of the file ``label`` with probes. The tree is changed, and returned."""
        lines = text.split("\n")
        changed: ast.stmt = _Instrument(self, label, lines).visit(statement)
        return ast.fix_missing_locations(changed)

    def add(self, place: ProbeSpan, in_place: bool) -> int:
        """The number of a new probe."""
        self.places.append(place)
        if in_place:
            self.inner.add(len(self.places) - 1)
        return len(self.places) - 1


class _Instrument(ast.NodeTransformer):
    """Wraps expressions from the inside out, in the order in which they are written."""

    def __init__(self, probes: Probes, label: str, lines: list[str]) -> None:
        self._probes, self._label, self._lines = probes, label, lines
        self._depth = 0  # of functions

    def _place(self, node: ast.expr | ast.stmt) -> ProbeSpan:
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        column, end_column = self._column(node.lineno, node.col_offset), self._column(end_line, end)
        return ProbeSpan(self._label, node.lineno, end_line, column, end_column)

    def _column(self, line: int, offset: int) -> int:
        """An offset in bytes as one in characters."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "replace"))

    def _probed(self, node: ast.expr | ast.stmt, value: ast.expr, in_place: bool = False) -> ast.expr:
        if not self._depth:
            return value
        number = self._probes.add(self._place(node), in_place)
        name = ast.copy_location(ast.Name(PROBE, ast.Load()), node)
        call = ast.Call(name, [ast.copy_location(ast.Constant(number), node), value], [])
        return ast.copy_location(call, node)

    # ------------------------------------------------------------------ scopes

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        """Probes only its body."""
        self._depth += 1
        node.body = self._block(node.body)
        self._depth -= 1
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Probes its methods; the rest of its body is not inside a function."""
        depth, self._depth = self._depth, 0
        node.body = self._block(node.body)
        self._depth = depth
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """Probes only its body."""
        self._depth += 1
        node.body = self.visit(node.body)
        self._depth -= 1
        return node

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in body:
            changed = self.visit(statement)
            out += changed if isinstance(changed, list) else [changed]
        return out

    # -------------------------------------------------------------- statements

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """Probes the value, not the annotation."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """Probes the value; if it is assigned to a part of a variable, also the variable afterwards."""
        parts = [target for target in node.targets if isinstance(target, ast.Subscript)]
        value = node.value
        node.targets = [self.visit(target) for target in node.targets]
        node.value = self.visit(value)
        if parts and self._depth and node.value is value and not isinstance(value, (ast.Constant, ast.Tuple)):
            node.value = self._probed(value, value)
        return self._with_variables(node, parts)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """Probes the value, and then the variable."""
        target = node.target
        node.target = self.visit(node.target)
        node.value = self.visit(node.value)
        return self._with_variables(node, [target])

    def _with_variables(self, node: ast.stmt, targets: Sequence[ast.expr]) -> ast.stmt | list[ast.stmt]:
        """The statement, followed by a probe for each variable that it changed."""
        names = [target.value if isinstance(target, ast.Subscript) else target for target in targets]
        after: list[ast.stmt] = []
        for target in names if self._depth else ():
            if isinstance(target, ast.Name):
                loaded = ast.copy_location(ast.Name(target.id, ast.Load()), node)
                stored = ast.copy_location(ast.Name(target.id, ast.Store()), node)
                value = self._probed(node, loaded, in_place=True)
                simple = isinstance(node, ast.AugAssign) and node.target.__class__ is ast.Name
                change = ast.Assign([stored], value) if simple else ast.Expr(value)
                after.append(ast.copy_location(change, node))
        return [node, *after] if after else node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        """Probes body and guard; patterns contain no expressions to probe."""
        node.guard = self.visit(node.guard) if node.guard else None
        node.body = self._block(node.body)
        return node

    # ------------------------------------------------------------- expressions

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        """Unchanged: before Python 3.12, positions inside f-strings are wrong."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Probes the result and the arguments. A method such as ``masked_fill_`` changes its object."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        else:
            node.func = self.visit(node.func)
        if name == "super":
            return node
        node.args = [self.visit(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if name in _LEFT:
            return node
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return self._probed(node, node, method.endswith("_") and not method.endswith("__"))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Probes what is read; of a target, only its parts."""
        node.value = self.visit(node.value)
        node.slice = self.visit(node.slice)
        return self._probed(node, node) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Probes ``x.T`` and the like."""
        node.value = self.visit(node.value)
        wrapped = isinstance(node.ctx, ast.Load) and node.attr in _ATTRIBUTES
        return self._probed(node, node) if wrapped else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Probes the result, unless it is a negative constant."""
        if isinstance(node.operand, ast.Constant):
            return node
        node.operand = self.visit(node.operand)
        return self._probed(node, node)

    def _computed(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        return self._probed(node, node)

    visit_BinOp = visit_Compare = visit_BoolOp = visit_IfExp = _computed
