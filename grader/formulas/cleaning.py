"""What matters of a formula: the same formula without everything that its value does not depend on.

``start + A − A``, ``start·(x + 1)/(x + 1)`` and ``start + log(1)·A`` are ``start`` in disguise. ``Cleaner.clean`` finds
that out by trying: what can be left out, or replaced by any number, while the value stays, does not matter.

1. Parts without symbols, and parts that have the same value everywhere, are numbers.
2. Terms and factors go if the value stays without them, as few as possible. Which of them go is arbitrary (of
   ``A + B − C``, where all three are equal, two of them), so all ways are followed, and give *variants*.
3. Parts that may have any value become □. A symbol does so only for one occurrence: ``exp(m − M) Σ_j exp(s_j − m)``
   does not depend on m as a whole.

Between these steps the formula is brought to its flat form. Indices, bounds and sizes are no parts.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.formulas import scalars
from grader.formulas.ast import (
    ZERO,
    Derivative,
    FunctionCall,
    Name,
    Node,
    Number,
    Plus,
    Power,
    Sign,
    Subscript,
    Sum,
    Times,
    children,
    product_of,
    sum_of,
    walk,
    with_children,
)
from grader.formulas.compare import evaluators
from grader.formulas.declarations import Declarations
from grader.formulas.errors import FormulaError, TooExpensiveError
from grader.formulas.evaluate import Evaluator
from grader.formulas.flat import Flat, common_factor, shape
from grader.formulas.values import FormulaValue, Mat, SizelessTensor, Vec, equal, flatten, map_entries

#: Evaluations for one line; of those in accepted chains, half need at most 30, and nearly all less than 300.
MOST_EVALUATIONS = 600
#: Instances at which the value has to stay.
_INSTANCES = 4
#: Variants that are followed.
_MOST_VARIANTS = 6
#: Of n terms, subsets up to this size are left out: all of them for few terms.
_ALL_SUBSETS, _LARGEST_SUBSET, _LARGE_SUBSET = 5, 4, 3
#: Stands for a part that may have any value.
ANY = "□"


class NotJudgedError(Exception):
    """Cleaning a line took more evaluations than one line may use."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The variants of a formula without what does not matter, and the parts that were left out, as written."""

    variants: tuple[Node, ...]
    dropped: tuple[Node, ...] = ()


@dataclass(slots=True)
class Cleaner:
    """Cleans formulas about ``names``."""

    names: Declarations
    flat: Flat

    def clean(self, node: Node) -> Cleaned:
        """``node`` without what does not matter. Raises NotJudgedError, or FormulaError if it has no value."""
        trial = _Trial(self.names, node)
        written = trial.numbers(node)
        found = self._smaller(trial, written)
        gone = [_left_out(written, smaller) for smaller in found]
        opposite = [parts for parts in gone if parts and self.flat(parts[0]) == ZERO]
        dropped = next(iter(opposite or (gone if len(gone) == 1 else ())), ())  # of S + E − E, where S is E, E − E
        there = {*walk(node)}  # log(1) is a 0 that nobody wrote
        dropped = tuple(part for part in dropped if all(children(leaf) or leaf in there for leaf in walk(part)))
        # As written first, since multiplying out hides factors; and flat first, since it collects like terms.
        flat = list(dict.fromkeys(self._flat(trial, variant) for variant in (written, *found)))
        return Cleaned(tuple(self._settled(trial, flat, self._flat)), dropped)

    def without_additions(self, node: Node) -> list[Node]:
        """The variants of ``node`` without what changes nothing, not multiplied out. Raises as ``clean`` does."""
        return self._settled(_Trial(self.names, node), [_as_one_sum(node)], lambda _, variant: variant)

    def _settled(self, trial: _Trial, variants: list[Node], form: Callable[[_Trial, Node], Node]) -> list[Node]:
        """Every variant as small as it gets, always brought to this ``form``."""
        done: list[Node] = []
        todo, seen = variants[:_MOST_VARIANTS], set(variants)
        while todo and len(done) < _MOST_VARIANTS:
            node = todo.pop(0)
            smaller = self._smaller(trial, node)
            if not smaller:
                done.append(node)
            for variant in (form(trial, variant) for variant in smaller):
                if variant not in seen:
                    seen.add(variant)
                    todo.append(variant)
        return done or variants[:1]

    def _flat(self, trial: _Trial, node: Node) -> Node:
        """The flat form, unless it has no value where the formula has one."""
        made = self.flat(node)
        return made if made == node or trial.same(made) else node

    def _smaller(self, trial: _Trial, node: Node) -> list[Node]:
        """The smallest changes that leave the value; none if there are none."""
        if found := self._vanishing(trial, node):
            return found
        for _, group in itertools.groupby(_shorter(trial, node), key=lambda change: change[0]):
            found = [made for _, made in group if trial.same(made)]
            if found:
                return found[:_MOST_VARIANTS]
        terms = node.terms if isinstance(node, Plus) and len(node.terms) > 1 else ()
        if found := [made for term in terms if (made := trial.multiplied(sum_of([term])))]:
            return found
        numbers = itertools.chain(self._constants(trial, node), self._anything(trial, node))
        return list(itertools.islice(numbers, 1))

    def _vanishing(self, trial: _Trial, node: Node) -> list[Node]:
        """``node``, a sum, without terms that add up to 0, none of which could stay."""
        if not isinstance(node, Plus):
            return []
        columns = [trial.values(sum_of([term])) for term in node.terms]
        gone = [
            places
            for places in _subsets(len(columns), _largest_subset(len(columns)))
            if _add_to_zero([columns[place] for place in places])
        ]
        minimal = [places for places in gone if not any({*other} < {*places} for other in gone)]
        return [
            sum_of([term for place, term in enumerate(node.terms) if place not in places])
            for places in minimal[:_MOST_VARIANTS]
        ]

    def _constants(self, trial: _Trial, node: Node) -> Iterator[Node]:
        """``node`` with a part that has the same value everywhere as a number."""
        for part, rebuild in _parts(node):
            if not children(part) or isinstance(part, Number) or shape(part, self.names) != "number":
                continue
            if (number := trial.constant(part)) is not None and trial.same(made := rebuild(number)):
                yield made
            elif isinstance(part, Plus) and len(part.terms) > 1:
                yield from self._constant_sum(trial, part, rebuild)

    def _constant_sum(self, trial: _Trial, part: Plus, rebuild: Callable[[Node], Node]) -> Iterator[Node]:
        """A sum whose common factor was multiplied out: ``S cos² x + S sin² x``."""
        total = self.flat.polynomial(part)
        shared = common_factor(total) if total else ()
        if not shared:
            return
        outside = product_of([(" ", Power(atom, Number(exponent))) for atom, exponent in shared])
        if (number := trial.constant(Times(part, (("/", outside),)))) is not None:
            made = rebuild(Times(number, ((" ", outside),)))
            if trial.same(made):
                yield made

    def _anything(self, trial: _Trial, node: Node) -> Iterator[Node]:
        """``node`` with □ for one occurrence of a part, or for all of a compound one, that may have any value."""
        compound: dict[Node, None] = {}
        for part, rebuild in _parts(node):
            if part == node or isinstance(part, Number) or part == Name(ANY) or shape(part, self.names) != "number":
                continue
            if trial.same(made := rebuild(Name(ANY))):
                yield made
            if children(part):
                compound[part] = None
        for part in compound:
            if trial.same(made := _replaced(node, part, Name(ANY))):
                yield made


# -------------------------------------------------------------------------------------------------- candidates


def _parts(
    node: Node, rebuild: Callable[[Node], Node] = lambda made: made
) -> Iterator[tuple[Node, Callable[[Node], Node]]]:
    """Every part of ``node``, with a function that puts another in its place."""
    yield node, rebuild
    below = children(node)
    for place, child in enumerate(below):
        if place not in _inner(node):
            continue

        def around(made: Node, place: int = place) -> Node:
            return rebuild(with_children(node, [*below[:place], made, *below[place + 1 :]]))

        yield from _parts(child, around)


def _inner(node: Node) -> range:
    """The places of the children that are parts: no indices, bounds, sizes or variables of derivatives."""
    count = len(children(node))
    match node:
        case Subscript(of):
            return range(0 if isinstance(of, Name) else 1)
        case Sum():
            return range(count - 1, count)
        case Derivative(of):
            return range(0 if isinstance(of, Name) else 1)
        case FunctionCall("delta" | "onehot" | "ones" | "jacobian"):
            return range(0)
    return range(count)


def _shorter(trial: _Trial, node: Node) -> Iterator[tuple[int, Node]]:
    """``node`` without some terms or factors, and how many; the fewest first."""
    changes: list[tuple[int, Node]] = []
    for part, rebuild in _parts(node):
        if isinstance(part, Plus):
            most = 0 if part is node else min(_largest_subset(len(part.terms)), _LARGE_SUBSET)
            for gone in _subsets(len(part.terms), most):
                kept_terms = [term for place, term in enumerate(part.terms) if place not in gone]
                changes.append((len(gone), rebuild(sum_of(kept_terms))))
        elif isinstance(part, Times):
            factors = _repeated([(" ", part.first), *part.rest])
            columns = trial.columns(factors)
            for gone in _few_factors(len(factors)):
                if columns is None or _multiply_to_one([columns[place] for place in gone]):
                    kept = [factor for place, factor in enumerate(factors) if place not in gone]
                    changes.append((len(gone), rebuild(product_of(kept))))
    yield from sorted(changes, key=lambda change: change[0])


def _as_one_sum(node: Node) -> Node:
    """``node`` with the terms of sums inside of sums as its own."""
    if not isinstance(node, Plus):
        return node
    terms: list[tuple[bool, Node]] = []
    for minus, term in node.terms:
        count, single = _multiple(term)
        inner = _as_one_sum(single)
        parts = inner.terms if isinstance(inner, Plus) else ((False, inner),)
        terms += count * [(minus != less, part) for less, part in parts]
    return Plus(tuple(terms))


def _multiple(term: Node) -> tuple[int, Node]:
    """How often a term has a sum in it, and the sum: 2·(a + b) is (a + b) twice."""
    match term:
        case Times(Number(value), ((" " | "*" | "·", Plus() as inside),)) if value in (2, 3, 4):
            return int(value), inside
    return 1, term


def _largest_subset(terms: int) -> int:
    """The size up to which subsets of so many terms are left out; something is left of every sum."""
    if terms <= _ALL_SUBSETS:
        return terms - 1
    return _LARGEST_SUBSET if terms <= 2 * _LARGEST_SUBSET else _LARGE_SUBSET


def _add_to_zero(columns: Sequence[list[FormulaValue | None]]) -> bool:
    """Whether values, for each term a list over the instances, add up to 0 at each of them."""
    for values in zip(*columns, strict=True):
        lists = [list(flatten(value)) for value in values if value is not None]
        if len(lists) < len(values) or len({len(numbers) for numbers in lists}) > 1:
            return False
        if any(isinstance(value, SizelessTensor) for value in values):
            return False
        if any(not scalars.close(sum(numbers), Fraction(0)) for numbers in zip(*lists, strict=True)):
            return False
    return True


def _subsets(count: int, most: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, most + 1):
        yield from itertools.combinations(range(count), size)


def _repeated(factors: Sequence[tuple[Sign, Node]]) -> list[tuple[Sign, Node]]:
    """Factors with small whole powers written out, so that one of them can go."""
    found: list[tuple[Sign, Node]] = []
    for sign, factor in factors:
        match factor:
            case Power(base, Number(value)) if value in (2, 3, 4) and sign in (" ", "/"):
                found += [(sign, base)] * int(value)
            case _:
                found.append((sign, factor))
    return found


def _few_factors(count: int) -> Iterator[tuple[int, ...]]:
    """The places of one factor, of a pair that need not be neighbours, or of a longer run."""
    yield from _subsets(count, min(2, count - 1))
    for length in range(3, count):
        for start in range(count - length + 1):
            yield tuple(range(start, start + length))


def _multiply_to_one(columns: Sequence[list[tuple[bool, scalars.Scalar]]]) -> bool:
    """Whether numbers, for each factor a list over the instances with a flag if it divides, multiply to 1."""
    for values in zip(*columns, strict=True):
        found: scalars.Scalar = Fraction(1)
        for divides, value in values:
            if divides and scalars.close(value, Fraction(0)):
                return False
            found = scalars.divide(found, value) if divides else found * value
        if not scalars.close(found, Fraction(1)):
            return False
    return True


def _replaced(node: Node, part: Node, made: Node) -> Node:
    if node == part:
        return made
    inner = _inner(node)
    below = [_replaced(child, part, made) if place in inner else child for place, child in enumerate(children(node))]
    return with_children(node, below) if below else node


def _left_out(before: Node, after: Node) -> tuple[Node, ...]:
    """What ``before`` has and ``after`` has not: terms or factors at the one place where they differ."""
    match before, after:
        case Plus(terms), Plus(kept):
            gone = [term for term in terms if term not in kept]
            if len(gone) + len(kept) == len(terms):
                return (Plus(tuple(gone)),)
        case Plus(terms), _ if (False, after) in terms:
            return (Plus(tuple(term for term in terms if term != (False, after))),)
    return ()


# ---------------------------------------------------------------------------------------------------- trials


@dataclass(slots=True)
class _Trial:
    """The value of one formula at some instances, and whether others have the same."""

    names: Declarations
    node: Node
    left: int = MOST_EVALUATIONS
    _instances: list[tuple[Evaluator, FormulaValue]] = field(default_factory=list)
    _known: dict[tuple[int, Node], FormulaValue | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Finds instances at which the formula has a value. Raises FormulaError if there are none."""
        trouble: FormulaError | None = None
        for place, evaluator in enumerate(_varied(self.names, self.node)):
            evaluator.equal_indices, evaluator.memory = place % 2 == 1, {}
            try:
                value = evaluator.value(self.node)
            except TooExpensiveError:
                raise
            except FormulaError as error:
                trouble = error
                continue
            evaluator.numbers = {**evaluator.numbers, ANY: Fraction(17 + 4 * place, 5 + place)}
            self._instances.append((evaluator, value))
            if len(self._instances) == _INSTANCES:
                break
        if not self._instances and trouble:
            raise trouble

    def _value(self, evaluator: Evaluator, node: Node) -> FormulaValue | None:
        key = (id(evaluator), node)
        if key not in self._known:
            self._known[key] = self._computed(evaluator, node)
        return self._known[key]

    def _computed(self, evaluator: Evaluator, node: Node) -> FormulaValue | None:
        self.left -= 1
        if self.left < 0:
            raise NotJudgedError
        evaluator.refill()
        try:
            return evaluator.value(node)
        except TooExpensiveError:
            raise NotJudgedError from None
        except (FormulaError, ZeroDivisionError):
            return None

    def values(self, part: Node) -> list[FormulaValue | None]:
        """The values of a part at every instance; None where it has none."""
        return [self._value(evaluator, part) for evaluator, _ in self._instances]

    def columns(self, factors: Sequence[tuple[Sign, Node]]) -> list[list[tuple[bool, scalars.Scalar]]] | None:
        """The values of factors at every instance, and whether they divide; None unless all are numbers."""
        found = []
        for sign, factor in factors:
            values = self.values(factor)
            if any(value is None or isinstance(value, (Vec, Mat, SizelessTensor)) for value in values):
                return None
            found.append([(sign == "/", value) for value in values])
        return found

    def same(self, other: Node) -> bool:
        """Whether ``other`` has the value of the formula at every instance."""
        for evaluator, value in self._instances:
            found = self._value(evaluator, other)
            if found is None or not equal(found, value):
                return False
        return True

    def multiplied(self, part: Node) -> Node | None:
        """The formula as a number times ``part``, if it is, with the same number wherever it is not 0."""
        factors = {
            None if found is None else _ratio(value, found)
            for (_, value), found in zip(self._instances, self.values(part), strict=True)
            if found is None or not (_is_zero(value) and _is_zero(found))
        }
        factor = factors.pop() if len(factors) == 1 else None
        return None if factor is None else Times(Number(factor), ((" ", part),))

    def constant(self, part: Node) -> Number | None:
        """The rational number that ``part`` is at every instance, if there is one."""
        values: set[Fraction] = set()
        for evaluator, _ in self._instances:
            found = self._value(evaluator, part)
            number = None if found is None or isinstance(found, (Vec, Mat, SizelessTensor)) else _rational(found)
            if number is None or len(values | {number}) > 1:
                return None
            values.add(number)
        return Number(values.pop()) if values else None

    def numbers(self, node: Node) -> Node:
        """``node`` with its parts without symbols computed."""
        made = with_children(node, [self.numbers(child) for child in children(node)]) if children(node) else node
        if (
            not children(made)
            or isinstance(made, (Sum, Subscript))
            or any(isinstance(part, Name) for part in walk(made))
        ):
            return made
        found = self._value(self._instances[0][0], made) if not isinstance(made, Derivative) else None
        known = found is not None and not isinstance(found, (Vec, Mat, SizelessTensor))
        number = _rational(found) if known else None
        return made if number is None else Number(number)


def _varied(names: Declarations, node: Node) -> list[Evaluator]:
    """Instances with sizes of two and more first, at which less vanishes."""
    made = list(itertools.islice(evaluators(names, (node,)), 24))
    family = 2 if len(made) > 1 and made[1].seed == made[0].seed else 1
    return [*made[family:], *made[:family]]


def _rational(value: scalars.Scalar) -> Fraction | None:
    """A small rational number that ``value`` is, to all digits computed."""
    if isinstance(value, Fraction):
        return value
    if not scalars.is_mpf(value) or scalars.is_complex(value):
        return None
    near = Fraction(str(value)).limit_denominator(1000)
    return near if scalars.close(value, near) else None


def _is_zero(value: FormulaValue) -> bool:
    return not isinstance(value, SizelessTensor) and all(scalars.close(x, Fraction(0)) for x in flatten(value))


def _ratio(value: FormulaValue, other: FormulaValue) -> Fraction | None:
    """The rational number that ``value`` is times ``other``."""
    for x, y in _pairs(value, other):
        if scalars.close(y, Fraction(0)):
            continue
        factor = _rational(scalars.divide(x, y))
        scaled = None if factor is None else map_entries(other, functools.partial(operator.mul, factor))
        return factor if scaled is not None and equal(scaled, value) else None
    return None


def _pairs(value: FormulaValue, other: FormulaValue) -> Sequence[tuple[scalars.Scalar, scalars.Scalar]]:
    if type(value) is type(other) and isinstance(value, (Vec, Mat)):
        return list(zip(flatten(value), flatten(other), strict=False))
    if any(isinstance(side, (Vec, Mat, SizelessTensor)) for side in (value, other)):
        return []
    return [(value, other)]
