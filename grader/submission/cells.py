"""Finds the code that a definition needs among the cells that a notebook has run, by syntax tree alone."""

from __future__ import annotations

import ast
import symtable
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.submission.messages import Unusable
from grader.submission.notebook import ForeignCell, parse_cell

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: Assignments in the bodies of these are local to them.
_SCOPES = (*_DEFINITIONS, ast.Lambda)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A top-level statement of a cell: the lines it occupies, the names it binds, and those it mentions.

    ``changes`` are names whose values it changes without rebinding them, as in ``sizes["h"] = 4`` or ``n += 1``.
    ``everywhere`` is true for imports that may affect all cells: from ``__future__``, or of ``*``.
    """

    cell: int
    lines: range
    binds: frozenset[str]
    mentions: frozenset[str]
    changes: frozenset[str] = frozenset()
    everywhere: bool = False


def select(cells: Mapping[int, str], wanted: Iterable[str]) -> dict[int, str]:
    """The cells, reduced to what the names in ``wanted`` need; other lines become blank, so line numbers stay the same.

    ``cells`` maps the number of each run to the text that was run, in order. If a name is bound several times, its last
    binding counts, as in the notebook itself. Only definitions, imports and assignments are kept, not calls such as
    ``train()``. Cells that are not Python are left out, too.
    """
    statements, texts = _all(cells)
    kept = _needed(statements, wanted)
    lines: dict[int, set[int]] = {}
    for at in kept:
        lines.setdefault(statements[at].cell, set()).update(statements[at].lines)
    return {
        number: "\n".join(line if at in lines[number] else "" for at, line in enumerate(texts[number], 1))
        for number in sorted(lines)
    }


def _all(cells: Mapping[int, str]) -> tuple[list[_Statement], dict[int, list[str]]]:
    """The statements of all cells that are Python, and the lines of these cells."""
    statements: list[_Statement] = []
    lines: dict[int, list[str]] = {}
    for number, text in cells.items():
        try:
            tree, text, _ = parse_cell(text, str(number))
        except (Unusable, ForeignCell):
            continue
        lines[number] = text.split("\n")
        statements += _statements(number, text, tree)
    return statements, lines


def bound(cells: Mapping[int, str]) -> frozenset[str]:
    """The names that the cells bind at top level."""
    return frozenset(name for each in _all(cells)[0] for name in each.binds)


def last_binding(cells: Mapping[int, str], name: str) -> int | None:
    """The number of the last cell that binds ``name``; None if no cell does."""
    return max((each.cell for each in _all(cells)[0] if name in each.binds), default=None)


def imports(sources: Iterable[str]) -> set[str]:
    """The top-level names of the modules that these sources import; sources that are not Python have none."""
    found = set[str]()
    for source in sources:
        try:
            tree, _, _ = parse_cell(source, "")
        except (Unusable, ForeignCell):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found


def _needed(statements: Sequence[_Statement], wanted: Iterable[str]) -> set[int]:
    """The indices of the statements that bind or change the ``wanted`` names, or what those statements mention."""
    kept = {at for at, each in enumerate(statements) if each.everywhere}
    pending = [*wanted, *(name for at in kept for name in statements[at].mentions)]
    seen = set[str]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for at in _bindings(statements, name):
            kept.add(at)
            pending += statements[at].mentions
    return kept


def _bindings(statements: Sequence[_Statement], name: str) -> Iterator[int]:
    """The indices of the last statement that binds ``name``, and of those that change it later.

    If that statement mentions the name itself, as ``mask = mask | pad`` does, the previous binding counts, too.
    """
    for at in range(len(statements) - 1, -1, -1):
        each = statements[at]
        if name in each.changes:
            yield at
        if name in each.binds:
            yield at
            if name not in each.changes:
                return


def _statements(cell: int, text: str, tree: ast.Module) -> Iterator[_Statement]:
    scopes = defaultdict[int, list[symtable.SymbolTable]](list)  # by their first lines
    for scope in symtable.symtable(text, str(cell), "exec").get_children():
        scopes[scope.get_lineno()].append(scope)
    for node in tree.body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        lines = range(first, (node.end_lineno or node.lineno) + 1)
        inner = {name for at in lines if at in scopes for scope in scopes[at] for name in _globals(scope)}
        yield _statement(cell, lines, node, frozenset(inner))


def _globals(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names that the code in ``scope``, and in the scopes within it, takes from the top level."""
    yield from (symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global())
    for inner in scope.get_children():
        yield from _globals(inner)


def _statement(cell: int, lines: range, node: ast.stmt, inner: frozenset[str]) -> _Statement:
    """``inner`` are the names of the top level that functions, classes and comprehensions in ``node`` use."""
    own = list(_own(node))
    names = [child for child in own if isinstance(child, ast.Name)]
    loaded = {child.id for child in names if isinstance(child.ctx, ast.Load)}
    stored = {child.id for child in names if not isinstance(child.ctx, ast.Load)}
    stored |= {child.name for child in (node, *own) if isinstance(child, _DEFINITIONS)}
    imports = [child for child in (node, *own) if isinstance(child, (ast.Import, ast.ImportFrom))]
    imported = {(alias.asname or alias.name).partition(".")[0] for child in imports for alias in child.names}
    parts = [child for child in own if isinstance(child, (ast.Attribute, ast.Subscript))]
    changed = {_root(child) for child in parts if not isinstance(child.ctx, ast.Load)} - {""}
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        changed |= stored & loaded
    elif not isinstance(node, (*_DEFINITIONS, ast.Import, ast.ImportFrom)):
        changed |= stored | imported  # a loop or condition may leave what was bound before, and += builds on it
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return _Statement(
        cell,
        lines,
        binds=frozenset(stored | imported - {"*"}),
        mentions=frozenset(loaded | inner),
        changes=frozenset(changed),
        everywhere=future or ("*" in imported and getattr(node, "module", "") != "attncheck"),
    )


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below ``node`` that are evaluated where it is defined: of a function, its decorators and defaults."""
    waiting = [node]
    while waiting:  # a sum of thousands of terms is as deep as it is long
        each = waiting.pop()
        inner = getattr(each, "body", ()) if isinstance(each, _SCOPES) else ()
        left_out = {id(child) for child in (inner if isinstance(inner, list) else [inner])}
        children = [child for child in ast.iter_child_nodes(each) if id(child) not in left_out]
        yield from children
        waiting += children


def _root(node: ast.expr) -> str:
    """The name that an attribute or subscript starts with; empty if it starts with something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
