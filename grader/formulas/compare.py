"""Decides whether formulas are equal by evaluating them at many instances; gives a counterexample if not."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.core import marks
from grader.core.model import Message
from grader.formulas import scalars
from grader.formulas.ast import Derivative, FunctionCall, Name, Node, Number, Power, Sum, children, free_names, walk
from grader.formulas.declarations import Declarations, Definition, Random, Scalar, formulas_in
from grader.formulas.errors import FormulaError, TooExpensiveError, UndefinedError
from grader.formulas.evaluate import Evaluator
from grader.formulas.exact import Exact
from grader.formulas.parse import index_names
from grader.formulas.printer import RAISED, show
from grader.formulas.values import FormulaValue, Mat, SizelessTensor, Vec, entries, equal, flatten, format_value

_ENOUGH = 8
_TRIES = 40
#: Instances that are tried to find one where people see a difference.
_MORE = 4
#: The first instances have small whole numbers.
_PLAIN = 4
#: Values that are tiny, or huge, for people.
_TINY, _HUGE = 1e-3, 1e6
#: How many values of vectors and matrices a counterexample shows, and how many characters each has at most.
_MOST_VALUES, _LONGEST_VALUE = 6, 60
_NO_VALUE = Message("there are no values to try")
_SMALL = (2, 3, 5, 7, 4, 11, 6, 13)


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An instance at which two formulas differ, with both values, as text.

    ``higher_moments`` are moments beyond the variance that a value depends on, such as ``E[q⁴]``. ``place`` is the
    number of the instance.
    """

    instance: str
    left: str
    right: str
    higher_moments: tuple[str, ...] = ()
    place: int = 0


@dataclass(frozen=True, slots=True)
class Equal:
    """The formulas agree at every instance tried; with ``needs_given_variances``, only for the given variances."""

    needs_given_variances: bool = False


def evaluators(names: Declarations, nodes: Sequence[Node]) -> Iterator[Evaluator]:
    """Instances of the symbols in ``nodes``, small numbers first."""
    nodes = _and_sizes(names, nodes)
    needed = sorted(set().union(*(names.names_in(node) for node in nodes)), key=list(names.declared).index)
    sizes = _sizes(names, nodes, needed)
    variances = {
        found.var.name
        for name in needed
        if isinstance(found := names.declared[name], Random) and isinstance(found.var, Name)
    }
    families = (0, 1) if any(isinstance(names.declared[name], Random) for name in needed) else (0,)
    scalars = {name: found for name in needed if isinstance(found := names.declared[name], Scalar)}
    defined = any(isinstance(names.declared[name], Definition) for name in needed)
    for seed in range(_TRIES):
        numbers: dict[str, Fraction] = {}
        for place, (name, declared) in enumerate(scalars.items()):
            if name in sizes:
                at = sorted(sizes, key=list(names.declared).index).index(name)
                rng = random.Random(f"{seed} {name}")
                numbers[name] = Exact(rng.randint(1, 6) if defined and seed > 3 else 1 + (seed + at) % 4)
            else:
                numbers[name] = Exact(_number(declared, name, seed, place, name in variances))
        indices = [(name, declared) for name, declared in scalars.items() if declared.numbers == "index"]
        for place, (name, declared) in enumerate(indices):
            try:
                top = Evaluator(names, numbers).whole(declared.sizes[0])
            except FormulaError:
                top = 1
            # two indices are equal at some instances and different at others
            numbers[name] = Exact(1 + (seed + place * (seed // 2)) % max(top, 1))
        for family in families:
            yield Evaluator(names, dict(numbers), seed, family)


def _and_sizes(names: Declarations, nodes: Sequence[Node]) -> Sequence[Node]:
    """``nodes``, and the declared sizes if there is a sum without an upper bound: it may run over the only one."""
    unbounded = any(isinstance(part, Sum) and part.high is None for node in nodes for part in walk(node))
    return [*nodes, *names.sizes] if unbounded else nodes


def _has_delta(node: Node, names: Declarations) -> bool:
    """Whether ``node`` has a δ of free indices or a derivative with them, so that their being equal matters."""
    free = index_names(node, names.vocabulary)
    deltas = (part for part in walk(node) if isinstance(part, (Derivative, FunctionCall)))
    return any({*free_names(part)} & free for part in deltas if getattr(part, "function", "delta") == "delta")


def _and_equal(made: Iterator[Evaluator]) -> Iterator[Evaluator]:
    """Each instance with different free indices, where every δ of them is 0, and with equal ones."""
    for evaluator in made:
        yield evaluator
        if not evaluator.family:
            yield Evaluator(evaluator.names, evaluator.numbers, evaluator.seed, equal_indices=True)


def _sizes(names: Declarations, nodes: Sequence[Node], needed: Sequence[str]) -> set[str]:
    """The names of scalars that are sizes or bounds of sums, and so have to be small."""
    found: set[str] = set()
    formulas = [*nodes, *(part for name in needed for part in formulas_in(names.declared[name]))]
    counts: list[Node] = []
    for name in needed:
        declared = names.declared[name]
        if not isinstance(declared, Definition):
            counts += [part for part in formulas_in(declared) if not isinstance(declared, Random)]
        if isinstance(declared, Random):
            counts += declared.sizes
    for formula in formulas:
        for part in walk(formula):
            match part:
                case Sum(_, low, high):
                    counts += [bound for bound in (low, high) if bound is not None]
                case FunctionCall("ones" | "onehot", args):
                    counts += args
    for count in counts:
        found |= {name for name in names.names_in(count) if isinstance(names.declared[name], Scalar)}
    return {name for name in found if "integer" in getattr(names.declared[name], "numbers", "")}


def _number(declared: Scalar, name: str, seed: int, place: int, variance: bool) -> Fraction:
    """A number for a symbol: small and whole for the first seeds, so that counterexamples are easy to follow."""
    rng = random.Random(f"{seed} {name}")
    small = _SMALL[(seed + 3 * place) % len(_SMALL)]
    if declared.numbers == "fraction":
        low = rng.randint(1, 9)
        return Fraction(low, low + rng.randint(1, 7))
    if "integer" in declared.numbers:
        found = Fraction(small if seed < _PLAIN else rng.randint(10, 300))
    else:
        found = Fraction(small) if seed < _PLAIN else Fraction(2 * rng.randint(1, 9) + 1, rng.choice((2, 4, 8)))
    if variance:  # whose root is needed
        found = found**2
    negative = declared.numbers in ("integer", "real") and rng.random() < 0.5
    return -found if negative else found


class ValueTable:
    """The values of several formulas at the same instances, computed on demand."""

    def __init__(self, names: Declarations, nodes: Sequence[Node], enough: int = _ENOUGH) -> None:
        self.names = names
        self.nodes = nodes
        self.enough = enough
        self._deltas = [_has_delta(node, names) for node in nodes]
        self._evaluators = _and_equal(evaluators(names, nodes)) if any(self._deltas) else evaluators(names, nodes)
        self._made: list[Evaluator] = []
        self._values: dict[tuple[int, int], FormulaValue | UndefinedError | TooExpensiveError] = {}
        self._higher_moments: dict[tuple[int, int], tuple[str, ...]] = {}

    def evaluator(self, place: int) -> Evaluator | None:
        """The instance with this number; None if there are fewer."""
        while len(self._made) <= place:
            evaluator = next(self._evaluators, None)
            if evaluator is None:
                return None
            self._made.append(evaluator)
        return self._made[place]

    def value(self, place: int, node: int) -> FormulaValue | UndefinedError | TooExpensiveError:
        """The value of a formula at an instance, or the error if it has none there."""
        if (place, node) not in self._values:
            evaluator = self._made[place]
            evaluator.refill()
            try:
                self._values[place, node] = evaluator.value(self.nodes[node])
            except (UndefinedError, TooExpensiveError) as error:
                self._values[place, node] = error
            self._higher_moments[place, node] = higher_moments(evaluator)
        return self._values[place, node]

    def counterexample(self, one: int, two: int) -> Counterexample | None:
        """An instance at which two of the formulas differ, or None. Raises FormulaError if there is no value.

        It is the first one, or a later one if people could hardly see the difference there.
        """
        tried = heavy = place = 0
        why: FormulaError | None = None
        first: Counterexample | None = None
        last = self.enough
        while tried < last and (evaluator := self.evaluator(place)):
            if evaluator.equal_indices and not (self._deltas[one] or self._deltas[two]):
                place += 1
                continue
            # The later formula first: an error of its own should be reported for it.
            right, left = self.value(place, two), self.value(place, one)
            place += 1
            troubles = [side for side in (right, left) if isinstance(side, FormulaError)]
            if troubles:
                why = why or troubles[0]
                heavy += isinstance(troubles[0], TooExpensiveError)
                if heavy and tried < 2:
                    raise troubles[0]
                if heavy > 2:
                    break
                continue
            tried += 1
            if not (equal(left, right) or self._equal_in_components(evaluator, (one, left), (two, right))):
                instance = describe_instance(evaluator, (self.nodes[one], self.nodes[two]), self.names)
                found = Counterexample(
                    instance, format_value(left), format_value(right), self._higher_moments[place - 1, two], place - 1
                )
                both = [*flatten(left)], [*flatten(right)]
                if len(both[0]) != len(both[1]) or any(map(_apart, *both)):
                    return found
                first = first or found
                last = min(last, tried + _MORE)
        if not tried:
            raise why or UndefinedError(_NO_VALUE)
        return first

    def _equal_in_components(
        self, evaluator: Evaluator, one: tuple[int, FormulaValue], two: tuple[int, FormulaValue]
    ) -> bool:
        """Whether a formula with free indices gives the components of the other value: p_i − δ_it of p − onehot(t)."""
        for (_, whole), (place, component) in ((one, two), (two, one)):
            found = index_names(self.nodes[place], self.names.vocabulary)
            # M_{i,c} has its rows at i; most write i before j.
            written = dict.fromkeys(name for name in free_names(self.nodes[place]) if name in found)
            orders = dict.fromkeys((tuple(sorted(found)), tuple(written)))
            for (sizes, parts), order in itertools.product(_parts_like(whole, component), orders):
                if len(order) == len(sizes) and self._has_components(evaluator, place, order, sizes, parts):
                    return True
        return False

    def _has_components(
        self,
        evaluator: Evaluator,
        node: int,
        indices: tuple[str, ...],
        sizes: tuple[int, ...],
        parts: tuple[FormulaValue, ...],
    ) -> bool:
        """Whether the values of a formula at all its ``indices``, in this order, are ``parts``."""
        evaluator.refill()
        ranges = itertools.product(*(range(1, size + 1) for size in sizes))
        try:
            made = [evaluator.at_indices(self.nodes[node], dict(zip(indices, at, strict=True))) for at in ranges]
        except FormulaError:
            return False
        return all(map(equal, made, parts))


def _parts_like(whole: FormulaValue, part: FormulaValue) -> Iterator[tuple[tuple[int, ...], tuple[FormulaValue, ...]]]:
    """The parts of a vector or matrix of the kind of ``part``, and how many there are.

    A matrix has entries, rows and columns; a row may be written as a column.
    """
    match whole, part:
        case Mat(rows), Vec(row=lies, unoriented=either):
            for vectors in (rows,) if lies or either else (tuple(zip(*rows, strict=True)), rows):
                yield (len(vectors),), tuple(map(Vec, vectors))
        case ((Vec() | Mat()), scalar) if not isinstance(scalar, (Vec, Mat, SizelessTensor)):
            yield whole.shape if isinstance(whole, Mat) else (len(whole.items),), tuple(entries(whole))


def _apart(one: scalars.Scalar, two: scalars.Scalar) -> bool:
    if not all(isinstance(number, Fraction) or scalars.is_mpf(number) for number in (one, two)):
        return True  # no number to look at
    left, right = scalars.to_mpf(one), scalars.to_mpf(two)
    larger = max(abs(left), abs(right))
    return bool(larger > _HUGE or (larger > _TINY and abs(left - right) > larger / 50))


def compare_formulas(left: Node, right: Node, names: Declarations) -> Equal | Counterexample:
    """``Equal`` if two formulas agree at every instance tried, else a counterexample. Raises FormulaError."""
    different = ValueTable(names, (left, right)).counterexample(1, 0)
    if different:
        return replace(different, left=different.right, right=different.left)
    return Equal(needs_given_variances=needs_given_variances(left, right, names))


def higher_moments(evaluator: Evaluator) -> tuple[str, ...]:
    """The moments beyond the variance that were used, in the usual notation."""
    return tuple(
        f"E[{name}{str(order).translate(RAISED)}]" for name, order in sorted(evaluator.higher_moments) if order
    )


def describe_instance(evaluator: Evaluator, nodes: Sequence[Node], names: Declarations) -> str:
    """The values of the symbols that the formulas use, as text."""
    needed = set().union(*(names.names_in(node) for node in _and_sizes(names, nodes)))
    found = [f"{name} = {format_value(value)}" for name, value in evaluator.numbers.items() if name in needed]
    found += [f"{name} = {format_value(value)}" for name, value in evaluator.free.items()]
    drawn = {name: value for name, value in evaluator.drawn.items() if name.partition("_")[0] in needed}
    defined = [meant.formula for name in needed if isinstance(meant := names.declared[name], Definition)]
    for call in (part for node in (*nodes, *defined) for part in walk(node) if isinstance(part, FunctionCall)):
        of, *at = call.args if call.function == "jacobian" else (Name(call.function), *call.args)
        if names.vocabulary.kinds.get(show(of)) == "map" and {*free_names(call)} <= {*names.declared}:
            for each in (FunctionCall(show(of), tuple(at)), FunctionCall("jacobian", (of, *at))):
                with contextlib.suppress(FormulaError):
                    drawn[show(each)] = evaluator.value(each)
    small = [(name, format_value(value)) for name, value in drawn.items()]
    found += [f"{name} = {value}" for name, value in small if len(value) < _LONGEST_VALUE][:_MOST_VALUES]
    return ", ".join(map(marks.formula, found))


def normal_value(node: Node, names: Declarations, where: Counterexample) -> str | None:
    """The value of ``node`` at the instance of ``where`` if all random quantities are normal; None if it has none."""
    changed = {name: replace(found, normal=True) for name, found in names.random.items()}
    normal = Declarations({**names.declared, **changed}, names.vocabulary)
    evaluator = next(itertools.islice(evaluators(normal, (node,)), where.place, None), None)
    try:
        return format_value(evaluator.value(node)) if evaluator else None
    except FormulaError:
        return None


# ------------------------------------------------------------------------- equal because of the numbers given


def with_general_variances(names: Declarations) -> Declarations:
    """The same declarations with variances that differ from each other, and between instances, for numeric ones."""
    variances = {name: f"Var {name}" for name, found in names.random.items() if isinstance(found.var, Number)}
    general = {name: replace(names.random[name], var=Name(variance)) for name, variance in variances.items()}
    drawn = {variance: Scalar("positive real") for variance in variances.values()}
    return Declarations({**drawn, **names.declared, **general}, names.vocabulary)


def needs_given_variances(left: Node, right: Node, names: Declarations) -> bool:
    """Whether two formulas about moments are equal only for the given numeric variances."""
    general = with_general_variances(names)
    if (
        general.declared == names.declared
        or not (_moments(right) and _moments(left))
        or set(_moments(right)) <= set(_moments(left))
    ):
        return False
    try:
        return ValueTable(general, (left, right), enough=4).counterexample(0, 1) is not None
    except FormulaError:
        return False


def _moments(node: Node) -> list[tuple[Node, int]]:
    """Each E, Var or Cov in a formula, with the number of earlier occurrences of the same one.

    Not those of sums and of numbers: they change where a variance is put in, as it should be.
    """
    found: dict[Node, int] = {}
    listed: list[tuple[Node, int]] = []
    for part in _multiplied(node):
        inside = {type(each) for each in walk(part)}
        moment = isinstance(part, FunctionCall) and part.function in ("E", "Var", "Cov")
        if moment and Sum not in inside and Name in inside:
            listed.append((part, found.get(part, 0)))
            found[part] = found.get(part, 0) + 1
    return listed


def _multiplied(node: Node) -> Iterator[Node]:
    if isinstance(node, Power) and isinstance(node.exponent, Number):
        for _ in range(max(1, min(4, int(node.exponent.value)))):
            yield from _multiplied(node.base)
        return
    yield node
    for child in children(node):
        yield from _multiplied(child)
