"""Whether two formulas are the same: at many instances of what is declared, with a counterexample where not."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.symbolic.declare import Definition, Names, Random, Scalar, parts
from grader.symbolic.tree import Call, Name, Node, Number, Power, Sum, children, walk
from grader.symbolic.trouble import FormulaError, TooMuch, Undefined
from grader.symbolic.values import Value, equal, said
from grader.symbolic.world import World

_ENOUGH = 8
_TRIES = 40
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


@dataclass(frozen=True, slots=True)
class Same:
    """They agree wherever they were tried. ``only_here``: because of the numbers that are given."""

    only_here: bool = False


def worlds(names: Names, nodes: Sequence[Node]) -> Iterator[World]:
    """Instances for these formulas, small ones first; as many as may be needed."""
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
    rng = random.Random(f"{seed} {name}")
    match declared.numbers:
        case "positive integer" | "integer" | "index":
            number = _SMALL[(seed + 3 * place) % 8] if seed < 4 else rng.randint(10, 300)
            sign = -1 if declared.numbers == "integer" and (seed + place) % 3 == 2 else 1
            return Fraction(sign * number) ** (2 if variance else 1)
        case "fraction":
            low = rng.randint(1, 9)
            return Fraction(low, low + rng.randint(1, 7))
    top, bottom = rng.randint(1, 7), rng.randint(2, 4)
    found = Fraction(top if top != bottom else top + 1, bottom)
    if variance:
        return found**2
    return -found if declared.numbers == "real" and rng.random() < 0.5 else found


@dataclass(frozen=True, slots=True)
class Point:
    """One instance, and what some formulas are worth there."""

    world: World
    values: tuple[Value, ...]


def table(names: Names, nodes: Sequence[Node], enough: int = _ENOUGH) -> tuple[Point, ...]:
    """The values of ``nodes`` at instances where all have one; an error in words when there is none."""
    found: list[Point] = []
    why: FormulaError | None = None
    heavy = 0
    for world in worlds(names, nodes):
        try:
            found.append(Point(world, tuple(world.value(node) for node in nodes)))
        except Undefined as error:
            why = why or error
        except TooMuch:
            heavy += 1
            if heavy > 3 or len(found) < 2:
                raise
        if len(found) >= enough:
            break
    if not found:
        assert why is not None
        raise why
    return tuple(found)


def same(left: Node, right: Node, names: Names) -> Same | Different:
    """Whether two formulas are equal for everything that the names may stand for."""
    different = first_difference(table(names, (left, right)), (left, right), names)
    if different:
        return different
    return Same(only_here=_only_here(left, right, names))


def first_difference(points: Sequence[Point], nodes: Sequence[Node], names: Names) -> Different | None:
    """The smallest instance at which the first two values differ."""
    for point in points:
        left, right = point.values[0], point.values[1]
        if not equal(left, right):
            shown = _shown(point.world, nodes, names)
            return Different(shown, *_pair(left, right), beyond(point.world))
    return None


def _pair(left: Value, right: Value) -> tuple[str, str]:
    """Both values, or of large ones the first entry that differs."""
    return said(left), said(right)


def beyond(world: World) -> tuple[str, ...]:
    """The moments past the variance that were used, as people write them."""
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    return tuple(f"E[{name}{str(order).translate(raised)}]" for name, order in sorted(world.beyond) if order)


def _shown(world: World, nodes: Sequence[Node], names: Names) -> str:
    """The instance, as far as the formulas use it."""
    needed = set().union(*(names.below(node) for node in nodes))
    found = [f"{name} = {said(value)}" for name, value in world.numbers.items() if name in needed]
    found += [f"{name} = {said(value)}" for name, value in world.free.items()]
    small = [(name, said(value)) for name, value in world.drawn.items()]
    found += [f"{name} = {value}" for name, value in small if len(value) < 40][:4]
    return ", ".join(found)


# ------------------------------------------------------------------------- equal because of the numbers given


def generalised(names: Names) -> Names | None:
    """The same names with a variance of its own for each random quantity that has a number for one."""
    changed = {
        name: replace(found, var=Number(Fraction(4 + 5 * place, 1) ** 2 / 9))
        for place, (name, found) in enumerate(names.random.items())
        if isinstance(found.var, Number)
    }
    return Names({**names.declared, **changed}, names.vocabulary) if changed else None


def _only_here(left: Node, right: Node, names: Names) -> bool:
    """Whether two formulas that speak of variances are equal only because those are what they are."""
    general = generalised(names)
    if general is None or not (_moments(right) and _moments(left)) or set(_moments(right)) <= set(_moments(left)):
        return False
    try:
        points = table(general, (left, right), enough=4)
    except FormulaError:
        return False
    return first_difference(points, (left, right), general) is not None


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
