"""Whether two formulas are the same: at many instances of what is declared, with a counterexample where not."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.core.model import Text
from grader.course.formulas.ast import Call, Name, Node, Number, Power, Sum, children, walk
from grader.course.formulas.declarations import Definition, Names, Random, Scalar, parts
from grader.course.formulas.errors import FormulaError, TooMuch, Undefined
from grader.course.formulas.evaluate import World
from grader.course.formulas.values import Value, equal, said

_ENOUGH = 8
_TRIES = 40
#: Instances with small whole numbers.
_PLAIN = 4
_NO_VALUE = Text("there is no instance to try", "没有可用的取值")
_SMALL = (2, 3, 5, 7, 4, 11, 6, 13)


@dataclass(frozen=True, slots=True)
class Different:
    """Where two formulas differ: the instance, and what each is worth there.

    ``beyond`` names moments that a value depends on, such as ``E[q⁴]``.
    """

    instance: str
    left: str
    right: str
    beyond: tuple[str, ...] = ()
    place: int = 0


@dataclass(frozen=True, slots=True)
class Same:
    """They agree wherever they were tried. ``only_here``: because of the numbers that are given."""

    only_here: bool = False


def worlds(names: Names, nodes: Sequence[Node]) -> Iterator[World]:
    """Instances for these formulas, small ones first; as many as may be needed."""
    if any(isinstance(part, Sum) and part.high is None for node in nodes for part in walk(node)):
        # The only size there is says how far a sum goes.
        nodes = [*nodes, *names.sizes]
    needed = sorted(set().union(*(names.below(node) for node in nodes)), key=list(names.declared).index)
    sizes = _sizes(names, nodes, needed)
    variances = {
        found.var.name
        for name in needed
        if isinstance(found := names.declared[name], Random) and isinstance(found.var, Name)
    }
    families = (0, 1) if any(isinstance(names.declared[name], Random) for name in needed) else (0,)
    scalars = [name for name in needed if isinstance(names.declared[name], Scalar)]
    defined = any(isinstance(names.declared[name], Definition) for name in needed)
    for seed in range(_TRIES):
        numbers: dict[str, Fraction] = {}
        for place, name in enumerate(scalars):
            declared = names.declared[name]
            assert isinstance(declared, Scalar)
            if name in sizes:
                at = sorted(sizes, key=list(names.declared).index).index(name)
                rng = random.Random(f"{seed} {name}")
                numbers[name] = Fraction(rng.randint(1, 6) if defined and seed > 3 else 1 + (seed + at) % 4)
            else:
                numbers[name] = _number(declared, name, seed, place, name in variances)
        for name in scalars:
            declared = names.declared[name]
            if isinstance(declared, Scalar) and declared.numbers == "index":
                try:
                    top = World(names, numbers).whole(declared.sizes[0])
                except FormulaError:
                    top = 1
                numbers[name] = Fraction(1 + seed % max(top, 1))
        for family in families:
            yield World(names, dict(numbers), seed, family)


def _sizes(names: Names, nodes: Sequence[Node], needed: Sequence[str]) -> set[str]:
    """The scalars that count something, and so stay small."""
    found: set[str] = set()
    formulas = [*nodes, *(part for name in needed for part in parts(names.declared[name]))]
    counts: list[Node] = []
    for name in needed:
        declared = names.declared[name]
        if not isinstance(declared, Definition):
            counts += [part for part in parts(declared) if not isinstance(declared, Random)]
        if isinstance(declared, Random):
            counts += declared.sizes
    for formula in formulas:
        for part in walk(formula):
            match part:
                case Sum(_, low, high):
                    counts += [bound for bound in (low, high) if bound is not None]
                case Call("ones" | "zeros" | "onehot", args):
                    counts += args
    for count in counts:
        found |= {name for name in names.below(count) if isinstance(names.declared[name], Scalar)}
    return {name for name in found if "integer" in getattr(names.declared[name], "numbers", "")}


def _number(declared: Scalar, name: str, seed: int, place: int, variance: bool) -> Fraction:
    """A number for a symbol: small and whole at first, so that counterexamples are easy to follow."""
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


class Table:
    """What some formulas are worth at the same instances; computed as it is asked for."""

    def __init__(self, names: Names, nodes: Sequence[Node], enough: int = _ENOUGH) -> None:
        self.names = names
        self.nodes = nodes
        self.enough = enough
        self._worlds = worlds(names, nodes)
        self._made: list[World] = []
        self._values: dict[tuple[int, int], Value | Undefined | TooMuch] = {}
        self._beyond: dict[tuple[int, int], tuple[str, ...]] = {}

    def world(self, place: int) -> World | None:
        """The instance with this number, if there are so many."""
        while len(self._made) <= place:
            world = next(self._worlds, None)
            if world is None:
                return None
            self._made.append(world)
        return self._made[place]

    def value(self, place: int, node: int) -> Value | Undefined | TooMuch:
        """What a formula is worth at an instance, or why it has no value there."""
        if (place, node) not in self._values:
            world = self._made[place]
            world.refill()
            try:
                self._values[place, node] = world.value(self.nodes[node])
            except (Undefined, TooMuch) as error:
                self._values[place, node] = error
            self._beyond[place, node] = beyond(world)
        return self._values[place, node]

    def difference(self, one: int, two: int) -> Different | None:
        """The smallest instance at which two of the formulas differ; an error in words when none has a value."""
        tried = heavy = place = 0
        why: FormulaError | None = None
        while tried < self.enough and (world := self.world(place)):
            # The later formula first: what is wrong with it is its own.
            right, left = self.value(place, two), self.value(place, one)
            place += 1
            troubles = [side for side in (right, left) if isinstance(side, FormulaError)]
            if troubles:
                why = why or troubles[0]
                heavy += isinstance(troubles[0], TooMuch)
                if heavy and tried < 2:
                    raise troubles[0]
                if heavy > 2:
                    break
                continue
            tried += 1
            if not equal(left, right):
                instance = shown(world, (self.nodes[one], self.nodes[two]), self.names)
                return Different(instance, said(left), said(right), self._beyond[place - 1, two], place - 1)
        if not tried:
            raise why or Undefined(_NO_VALUE)
        return None


def same(left: Node, right: Node, names: Names) -> Same | Different:
    """Whether two formulas are equal for everything that the names may stand for."""
    different = Table(names, (left, right)).difference(1, 0)
    if different:
        return replace(different, left=different.right, right=different.left)
    return Same(only_here=only_here(left, right, names))


def beyond(world: World) -> tuple[str, ...]:
    """The moments past the variance that were used, as people write them."""
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    return tuple(f"E[{name}{str(order).translate(raised)}]" for name, order in sorted(world.beyond) if order)


def shown(world: World, nodes: Sequence[Node], names: Names) -> str:
    """The instance, as far as the formulas use it."""
    needed = set().union(*(names.below(node) for node in nodes))
    found = [f"{name} = {said(value)}" for name, value in world.numbers.items() if name in needed]
    found += [f"{name} = {said(value)}" for name, value in world.free.items()]
    small = [(name, said(value)) for name, value in world.drawn.items() if name.partition("_")[0] in needed]
    found += [f"{name} = {value}" for name, value in small if len(value) < 40][:4]
    return ", ".join(found)


def normal_value(node: Node, names: Names, where: Different) -> str | None:
    """What ``node`` is worth at the same numbers if everything random is normal."""
    changed = {name: replace(found, normal=True) for name, found in names.random.items()}
    normal = Names({**names.declared, **changed}, names.vocabulary)
    world = next(itertools.islice(worlds(normal, (node,)), where.place, None), None)
    try:
        return said(world.value(node)) if world else None
    except FormulaError:
        return None


# ------------------------------------------------------------------------------------------------ equations

#: Multiples of the solution at which an equation must not hold.
_AWAY = tuple(
    Fraction(a, b) for a, b in ((1, 2), (2, 1), (1, 3), (3, 2), (3, 1), (1, 4), (4, 1), (2, 3), (1, 8), (8, 1))
)


@dataclass(frozen=True, slots=True)
class NotSolved:
    """Where an equation has other solutions than it should: one was lost, or ``gained``."""

    instance: str
    left: str
    right: str
    gained: bool


def solved(left: Node, right: Node, unknown: str, solution: Node, names: Names) -> NotSolved | None:
    """Whether ``left = right`` has the positive ``solution`` for ``unknown``, and no other that is tried."""
    for world in itertools.islice(worlds(names, (left, right, solution)), 4):
        known = {name: value for name, value in world.numbers.items() if name != unknown}
        root = World(names, known, world.seed).number(solution)
        for factor in (Fraction(1), *_AWAY):
            there = World(names, {**known, unknown: root * factor}, world.seed)
            x, y = there.value(left), there.value(right)
            if equal(x, y) != (factor == 1):
                instance = shown(there, (left, right, solution, Name(unknown)), names)
                return NotSolved(instance, said(x), said(y), factor != 1)
    return None


# ------------------------------------------------------------------------- equal because of the numbers given


def generalised(names: Names) -> Names | None:
    """The same names with a variance of its own for each random quantity that has a number for one."""
    changed = {
        name: replace(found, var=Number(Fraction(4 + 5 * place, 1) ** 2 / 9))
        for place, (name, found) in enumerate(names.random.items())
        if isinstance(found.var, Number)
    }
    return Names({**names.declared, **changed}, names.vocabulary) if changed else None


def only_here(left: Node, right: Node, names: Names) -> bool:
    """Whether two formulas that speak of variances are equal only because those are what they are."""
    general = generalised(names)
    if general is None or not (_moments(right) and _moments(left)) or set(_moments(right)) <= set(_moments(left)):
        return False
    try:
        return Table(general, (left, right), enough=4).difference(0, 1) is not None
    except FormulaError:
        return False


def _moments(node: Node) -> list[tuple[Node, int]]:
    """What a formula says about moments: each E, Var or Cov with the number of times it occurs before."""
    found: dict[Node, int] = {}
    listed: list[tuple[Node, int]] = []
    for part in _multiplied(node):
        if isinstance(part, Call) and part.function in ("E", "Var", "Cov"):
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
