"""Properties of formulas, in which a bank says what a line of a derivation shows.

A ``Property`` speaks of symbols and operators, not of spellings. Operators have names of their own: ``Var``, ``E``,
``exp`` and other functions, ``Σ`` (a sum that is written out), ``∂``, ``dot`` (an inner product that is not), ``√``,
``R`` (a rotation), ``T`` (a transpose), ``[]`` (a vector or matrix by its entries) and ``kron`` (δ_ij, onehot, diag
and I).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

from grader.core import marks
from grader.core.model import Message, Text
from grader.core.tables import texts
from grader.core.text import EMPTY, name_list
from grader.formulas import ast as nodes
from grader.formulas.ast import Node
from grader.formulas.declarations import Declarations, Rotation
from grader.formulas.flat import shape
from grader.formulas.printer import show
from grader.formulas.tokens import names as table

#: Operators that are no functions.
SIGNS = ("Σ", "∂", "dot", "√", "R", "T", "[]", "index", "kron", "×", "+")
_KRONECKER = ("delta", "onehot", "diag")

_ABSENT = Message("there is no {what}")
_NONE_OF = Message("there is none of {what}")
_BOTH = Message("{what} still stand together")
_APART = Message("“${part}$” still has only some of {what}")
_IN = Message("{why} in “${part}$”")
_WRONG_PART = Message("there is no {what} of the kind that is needed")


@dataclass(frozen=True, slots=True)
class Operators:
    """Operators ``op`` of a formula: what ``is`` true of each of them, and of its argument (``inside``)."""

    op: tuple[str, ...]
    is_: Property | None = None
    inside: Property | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """What has to be true of a formula; all that is given has to be.

    ``is`` is the outermost operator, ``over`` the size that a sum runs over. ``product`` are factors of one product,
    in any order, and ``neighbours`` factors side by side. ``terms`` counts the terms of a sum.
    """

    mentions: tuple[str, ...] = ()
    mentions_any: tuple[str, ...] = ()
    free_of: tuple[str, ...] = ()
    only_one_of: tuple[str, ...] = ()
    not_both: tuple[str, ...] = ()
    is_: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    some: Operators | None = None
    every: Operators | None = None
    product: tuple[Property, ...] = ()
    neighbours: tuple[Property, ...] = ()
    terms: int | None = None
    top: str | None = None
    count: Mapping[str, int] = field(default_factory=dict)
    any: tuple[Property, ...] = ()
    all: tuple[Property, ...] = ()
    not_: Property | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a formula has not a property, as a clause, which may be empty.

    ``lacks`` is the same for all that lack the same: the form of the clause, and names of symbols and operators.
    """

    said: Text = EMPTY
    lacks: tuple[Message | str, ...] = ()


def holds(node: Node, wanted: Property, names: Declarations) -> bool:
    """Whether ``node``, in flat form, has the property."""
    return next(_failures(node, wanted, names), None) is None


def failures(node: Node, wanted: Property, names: Declarations) -> list[Failure]:
    """Why ``node`` has not the property; empty if it has."""
    return list(_failures(node, wanted, names))


def _failures(node: Node, wanted: Property, names: Declarations) -> Iterator[Failure]:
    mentioned = mentions(node, names)
    yield from _mention_failures(mentioned, wanted)
    if wanted.is_ and not operators(node, names) & {*wanted.is_}:
        yield Failure()
    if wanted.over and not (
        isinstance(node, nodes.Sum) and node.high is not None and _names(node.high) & {*wanted.over}
    ):
        yield Failure()
    yield from _operator_failures(node, wanted, names)
    if not _structured(node, wanted, names):
        yield Failure()
    if wanted.any and not any(holds(node, one, names) for one in wanted.any):
        yield Failure()
    for one in wanted.all:
        yield from _failures(node, one, names)
    if wanted.not_ and holds(node, wanted.not_, names):
        yield Failure()


def _listed(found: Sequence[str]) -> Text:
    """Names of symbols and operators, for people."""
    return name_list(texts(__file__, "properties.yaml").get(name) or marks.formula(name) for name in found)


def _lacking(message: Message, found: Sequence[str]) -> Failure:
    return Failure(message.fill(what=_listed(found)), (message, *found))


def _mention_failures(mentioned: set[str], wanted: Property) -> Iterator[Failure]:
    if missing := [name for name in wanted.mentions if name not in mentioned]:
        yield _lacking(_ABSENT, missing[:1])
    if wanted.mentions_any and not mentioned & {*wanted.mentions_any}:
        yield _lacking(_NONE_OF, wanted.mentions_any)
    if left := [name for name in wanted.free_of if name in mentioned]:
        yield Failure(Message("there is still {what}").fill(what=_listed(left[:1])))
    if len(together := [name for name in wanted.only_one_of if name in mentioned]) > 1:
        yield Failure(_BOTH.fill(what=_listed(together)))
    elif wanted.only_one_of and not mentioned & {*wanted.only_one_of}:
        yield _lacking(_NONE_OF, wanted.only_one_of)
    if wanted.not_both and mentioned >= {*wanted.not_both}:
        yield Failure(_BOTH.fill(what=_listed(wanted.not_both)))


def _operator_failures(node: Node, wanted: Property, names: Declarations) -> Iterator[Failure]:
    if wanted.some:
        found = list(_found(node, wanted.some, names))
        if not found:
            yield _lacking(_NONE_OF if len(wanted.some.op) > 1 else _ABSENT, wanted.some.op)
        elif all(_part_failures(part, wanted.some, names) for part in found):
            of_all = _lacking(_WRONG_PART, wanted.some.op[:1])
            yield of_all if len(found) > 1 else _in(found[0], wanted.some, names)
    if wanted.every:
        for part in _found(node, wanted.every, names):
            if _part_failures(part, wanted.every, names):
                yield _in(part, wanted.every, names)
                return


def _in(part: Node, wanted: Operators, names: Declarations) -> Failure:
    why = _part_failures(part, wanted, names)[0]
    together, mentioned = wanted.is_.mentions if wanted.is_ else (), mentions(part, names)
    if {*together} - mentioned and {*together} & mentioned:
        return Failure(_APART.fill(what=_listed(together), part=show(part)))
    said = _IN.fill(why=why.said, part=show(part))
    return Failure(said, (_IN, *why.lacks) if why.lacks else ()) if why.said.en else why


def _part_failures(part: Node, wanted: Operators, names: Declarations) -> list[Failure]:
    found = failures(part, wanted.is_, names) if wanted.is_ else []
    if wanted.inside:
        below = _inside(part)
        inside = below[0] if len(below) == 1 else nodes.ListNode(below)
        found += failures(inside, wanted.inside, names)
    return found


def _inside(part: Node) -> tuple[Node, ...]:
    match part:
        case nodes.Sum(body=body):
            return (body,)
        case nodes.Derivative(of):
            return (of,)
        case nodes.Subscript(_, at):
            return at
    return nodes.children(part) or (nodes.Number(0),)  # type: ignore[arg-type]


def _found(node: Node, wanted: Operators, names: Declarations) -> Iterator[Node]:
    return (part for part in nodes.walk(node) if operators(part, names) & {*wanted.op})


# ------------------------------------------------------------------------------------------------ structure


def _structured(node: Node, wanted: Property, names: Declarations) -> bool:
    if wanted.product and not any(_assigned(factors, wanted.product, names) for factors in _products(node)):
        return False
    if wanted.neighbours and not _beside(node, wanted.neighbours, names):
        return False
    if wanted.terms is not None and (len(node.terms) if isinstance(node, nodes.Plus) else 1) != wanted.terms:
        return False
    if wanted.top and wanted.top not in operators(node, names):
        return False
    counted = Counter(name for part in nodes.walk(node) for name in operators(part, names))
    return all(counted[name] >= number for name, number in wanted.count.items())


def _products(node: Node) -> Iterator[list[Node]]:
    """The factors of every product, those that divide included."""
    for part in nodes.walk(node):
        if isinstance(part, nodes.Times):
            yield [*nodes.children(part)]


def _assigned(factors: list[Node], wanted: tuple[Property, ...], names: Declarations) -> bool:
    """Whether each property holds for a factor of its own."""
    if not wanted:
        return True
    return any(
        holds(factor, wanted[0], names) and _assigned(factors[:place] + factors[place + 1 :], wanted[1:], names)
        for place, factor in enumerate(factors)
    )


def _beside(node: Node, wanted: tuple[Property, ...], names: Declarations) -> bool:
    """Whether factors side by side have the properties, in this order or the reverse one."""
    for factors in _products(node):
        for start in range(len(factors) - len(wanted) + 1):
            run = factors[start : start + len(wanted)]
            for order in (run, run[::-1]):
                if all(holds(factor, one, names) for factor, one in zip(order, wanted, strict=True)):
                    return True
    return False


# ------------------------------------------------------------------------------------- symbols and operators


def operators(node: Node, names: Declarations) -> set[str]:  # noqa: PLR0911
    """The names of the outermost operator of ``node``."""
    match node:
        case nodes.FunctionCall("rot"):
            return {"R"}
        case nodes.FunctionCall("sqrt"):
            return {"√"}
        case nodes.FunctionCall("abs" | "norm" | "angle", (nodes.Name() as of,)) if shape(of, names) == "column":
            return set()  # its length or its angle is a symbol like others
        case nodes.FunctionCall(function, args):
            places = function == "onehot" and len(args) > 1  # an entry: [[a_11, …, a_1n], …]
            return set() if places else {"kron"} if function in _KRONECKER else {function}
        case nodes.Name("I"):
            return {"kron"} if "I" not in names.declared else set()
        case nodes.Sum():
            return {"Σ"}
        case nodes.Derivative():
            return {"∂"}
        case nodes.Transpose():
            return {"T"}
        case nodes.ListNode():
            return {"[]"}
        case nodes.Plus():
            return {"+"}
        case nodes.Power(base, nodes.Number(value)):
            return {"√"} if value.denominator != 1 else operators(base, names)
        case nodes.Subscript(nodes.Name(name)) if isinstance(names.declared.get(name), Rotation):
            return {"R"}
        case nodes.Subscript():
            return {"index"}
        case nodes.Times(_, rest):
            both = {shape(part, names) for part in nodes.children(node)}
            inner = any(sign == "·" for sign, _ in rest) and "number" not in both
            return {"×", "dot"} if inner else {"×"}
    return set()


def mentions(node: Node, names: Declarations) -> set[str]:
    """The symbols and operators in ``node``, those of bounds and variables of derivatives left out."""
    found = operators(node, names) - {"×", "+"}
    if isinstance(node, nodes.Name):
        found.add(node.name)
    if isinstance(node, nodes.Subscript) and isinstance(node.of, nodes.Name):
        found.add(node.of.name)
    below = {"Sum": (-1,), "Derivative": (0,)}.get(type(node).__name__)
    parts = nodes.children(node)
    for part in parts if below is None else [parts[place] for place in below]:
        found |= mentions(part, names)
    return found


def _names(node: Node) -> set[str]:
    return {part.name for part in nodes.walk(node) if isinstance(part, nodes.Name)}


def foreign(node: Node, known: set[str], names: Declarations) -> set[str]:
    """Operators in ``node`` that are not among ``known`` and do more than arithmetic."""
    plain = {nodes.IMAGINARY.name, "×", "+", "dot", "T", "[]", "index", "kron", "Σ", "ones", *names.declared}
    return {name for part in nodes.walk(node) for name in operators(part, names)} - known - plain


def named(wanted: Property) -> set[str]:
    """The symbols and operators that a property names."""
    found = {*wanted.mentions, *wanted.mentions_any, *wanted.free_of, *wanted.only_one_of, *wanted.not_both}
    found |= {*wanted.is_, *wanted.over, *wanted.count, *([wanted.top] if wanted.top else [])}
    for some in (wanted.some, wanted.every):
        if some:
            found |= {*some.op}
    for part in _below(wanted):
        found |= named(part)
    return found


def _below(wanted: Property) -> Iterator[Property]:
    for one in fields(wanted):
        value = getattr(wanted, one.name)
        if isinstance(value, Operators):
            yield from (part for part in (value.is_, value.inside) if part)
        elif isinstance(value, Property):
            yield value
        elif one.name in ("product", "neighbours", "any", "all"):
            yield from value


def unknown(wanted: Property, names: Declarations) -> list[str]:
    """The names in a property that are neither symbols nor operators."""
    return sorted(named(wanted) - {*names.declared} - {*table("functions")} - {*SIGNS, "softmax", "jacobian"})
