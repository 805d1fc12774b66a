"""Chains that derive nothing, made from a derivation: they have to earn nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from grader.core.tables import table
from grader.course.items.derivation import Spec
from grader.formulas.ast import Node, children, walk
from grader.formulas.declarations import Declarations, read_declarations
from grader.formulas.errors import FormulaError
from grader.formulas.flat import shape
from grader.formulas.parse import index_names, parse, parse_chain
from grader.formulas.printer import show

#: Fragments of an item that are planted: the largest, since those show most.
_MOST_FRAGMENTS = 2


def empty_chains(spec: Spec) -> Iterator[tuple[str, Sequence[str]]]:
    """Chains that derive nothing, each with a name.

    The ends are copied and padded, and what the lines of the worked chain contain is planted in both of them.
    """
    names = read_declarations(spec.symbols, spec.given)
    start, end = parse(spec.from_, names.vocabulary), parse(spec.to, names.vocabulary)
    first, last = show(start), show(end)
    yield "the start copied", [first, first]
    yield "start and end copied", [first, first, last, last]
    yield "a circle", [last, first, last, first, last]
    for form in ("({0}) + 0", "1·({0})", "2·({0}) − ({0})", "({0})/2 + ({0})/2"):
        yield f"{form} of the start", [form.format(first), last]
        yield f"{form} of the end", [first, form.format(last), last]
    lines = [parse_chain(line.line.strip().lstrip("="), names.vocabulary)[-1] for line in spec.chain[:-1]]
    for line in lines:
        yield f"{show(line)} after the end", [last, show(line), last]
    number, forms = shape(start, names) == "number", table(__file__, "planted.yaml")
    for part in _fragments(lines, start, names):
        disguises = itertools.product((start, end), (*forms["formulas"], *(forms["numbers"] if number else ())))
        for of, form in disguises:
            planted = form.format(start=_like(part, of, names), part=show(part))
            if _has_value(planted, names):
                yield planted, [first, planted, last]
    for line, form in itertools.product(lines, forms["mixed"]):
        planted = form.format(start=f"({first})", part=show(line))
        if line != start and _has_value(planted, names):
            yield planted, [planted, last]


def _fragments(lines: Sequence[Node], start: Node, names: Declarations) -> list[Node]:
    """Parts of the lines with the shape of the start, or of its entries, the largest first."""
    parts = {part for line in lines for part in walk(line) if children(part) and part != start}
    like = [part for part in parts if shape(part, names) == shape(start, names) or _is_entry(part, start, names)]
    return sorted(like, key=lambda part: (-len(show(part)), show(part)))[:_MOST_FRAGMENTS]


def _is_entry(part: Node, of: Node, names: Declarations) -> bool:
    """Whether ``part`` can be an entry of the matrix ``of``."""
    return shape(of, names) == "matrix" and index_names(part, names.vocabulary) == {"i", "j"}


def _like(part: Node, of: Node, names: Declarations) -> str:
    """``of``, or its entries if ``part`` is an entry."""
    return f"({show(of)})" + "_ij" * _is_entry(part, of, names)


def _has_value(text: str, names: Declarations) -> bool:
    try:
        parse(text, names.vocabulary)
    except FormulaError:
        return False
    return True
