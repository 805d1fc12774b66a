"""Draws the inputs of a case from its recipes and a seed.

Every argument has its own generator, keyed by seed, exercise, case and name, so adding an argument or a case does not
change others. Public cases are the same for everybody; hidden ones depend on the seed of the course.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.arithmetic import Size, evaluate_size
from grader.core.errors import CourseError, UsageError
from grader.core.model import (
    Case,
    Causal,
    CheckSpec,
    Integers,
    Literal_,
    Made,
    Message,
    Normal,
    Own,
    Permutation,
    RandomMask,
    Recipe,
    Same,
    Symbol,
)

_PUBLIC = b"attncheck public seed"
_SHORTEST_SECRET = 16

_NOT_SIZES = Message("{exercise}, check {check}, at: found {found}; expected growing sizes such as [128, 256]")
_NOT_DRAWN = Message(
    "{exercise}, check {check}, of: found {found}; expected a symbol that case '{case}' draws: {known}"
)
_BAD_RECIPE = Message("{exercise}, case '{case}', {place}: {error}")


@dataclass(frozen=True, slots=True)
class Seed:
    """The seed of hidden inputs. ``label`` may be shown to anybody; ``key`` is private if ``secret``."""

    label: str
    key: bytes
    secret: bool = False

    @classmethod
    def public(cls) -> Seed:
        """The default seed, which everybody knows."""
        return cls("public", _PUBLIC)

    @classmethod
    def number(cls, number: int) -> Seed:
        """A seed given on the command line."""
        return cls(str(number), b"number " + str(number).encode())

    @classmethod
    def from_file(cls, path: Path) -> Seed:
        """A secret seed: the bytes of a file. Raises UsageError if it cannot be read or has fewer than 16 bytes."""
        try:
            key = path.read_bytes().strip()
        except OSError as error:
            raise UsageError(
                Message("the seed file {path} cannot be read: {reason}").fill(path=path, reason=error.strerror)
            ) from error
        if len(key) < _SHORTEST_SECRET:
            raise UsageError(
                Message(
                    "the seed file {path} has {key} bytes; expected at least {shortest_secret}. To create one: head -c "
                    "32 /dev/urandom | base64 > {path}"
                ).fill(path=path, key=len(key), shortest_secret=_SHORTEST_SECRET)
            )
        return cls("file:" + hashlib.sha256(b"label " + key).hexdigest()[:8], b"file " + key, secret=True)


@dataclass(frozen=True, slots=True)
class DrawnMade:
    """A value that ``helper`` makes in the child, from parts that are drawn here."""

    helper: str
    parts: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The inputs of one case.

    Values are arrays, Python constants, ``Same`` (the same array object again), ``DrawnMade`` or ``Own``. ``larger``
    is the same case at the other sizes that a check requires. ``then`` are the arguments of later calls.
    """

    args: tuple[tuple[str, Any], ...]
    construct: tuple[tuple[str, Any], ...]
    parameters: tuple[tuple[str, Any], ...]
    larger: tuple[Drawn, ...] = ()
    then: tuple[tuple[tuple[str, Any], ...], ...] = ()

    def value(self, name: str) -> Any:
        """The argument ``name``, with ``Same`` resolved. Raises KeyError if it is not given."""
        value = dict(self.args)[name]
        return self.value(value.name) if isinstance(value, Same) else value

    def changed(self, **args: Any) -> Drawn:
        """The same inputs with other values for some arguments."""
        return replace(self, args=tuple((name, args.get(name, value)) for name, value in self.args))

    def only(self, wanted: Callable[[str], bool]) -> Drawn:
        """The inputs whose names are ``wanted``, of the call and of the constructor."""
        args, construct = (tuple(each for each in given if wanted(each[0])) for given in (self.args, self.construct))
        return replace(self, args=args, construct=construct)


def draw_for(spec: CheckSpec, case: Case, exercise: str, seed: Seed) -> Drawn:
    """The inputs of ``case`` for a check. With the options ``of: n, at: [128, 256]``, once for each size of n.

    Raises CourseError if these options do not fit the case.
    """
    options = dict(spec.options)
    if "at" not in options:
        return draw(case, exercise, seed)
    sizes, symbol = list(options["at"]), str(options.get("of"))
    if len(sizes) < 2 or not all(type(size) is int for size in sizes) or sorted(set(sizes)) != sizes:
        raise CourseError(_NOT_SIZES.fill(exercise=exercise, check=spec.kind, found=repr(sizes)))
    if symbol not in dict(case.draw):
        known = ", ".join(dict(case.draw)) or "–"
        names = {"exercise": exercise, "check": spec.kind, "case": case.name}
        raise CourseError(_NOT_DRAWN.fill(**names, found=repr(symbol), known=known))
    first, *more = (draw(case, exercise, seed, {symbol: size}) for size in sizes)
    return replace(first, larger=tuple(more))


def draw(case: Case, exercise: str, seed: Seed, fixed: Mapping[str, int] = MappingProxyType({})) -> Drawn:
    """The inputs of ``case``; symbols in ``fixed`` are not drawn. Raises CourseError for an invalid recipe."""
    key = _PUBLIC if case.public else seed.key
    symbols = {
        name: choices[int(_generator(key, exercise, case.name, "draw", name).integers(len(choices)))]
        for name, choices in case.draw
    } | dict(fixed)

    def values(kind: str, recipes: tuple[tuple[str, Recipe], ...]) -> tuple[tuple[str, Any], ...]:
        made = []
        for name, recipe in recipes:
            generator = _generator(key, exercise, case.name, kind, name)
            try:
                made.append((name, make(recipe, symbols, generator)))
            except (ValueError, IndexError) as error:
                place = f"{kind}.{name}"
                raise CourseError(
                    _BAD_RECIPE.fill(exercise=exercise, case=case.name, place=place, error=error)
                ) from error
        return tuple(made)

    args = values("args", case.args)
    later = [dict(values(f"then {number}", recipes)) for number, recipes in enumerate(case.then)]
    then = tuple(tuple((dict(args) | changed).items()) for changed in later)
    return Drawn(args, values("construct", case.construct), values("parameters", case.parameters), then=then)


def _generator(key: bytes, *words: str) -> np.random.Generator:
    digest = hmac.new(key, "\0".join(words).encode(), hashlib.sha256).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def make(recipe: Recipe, symbols: Mapping[str, int], generator: np.random.Generator) -> Any:
    """The value of one recipe. Raises ValueError if a size is negative or not arithmetic."""

    def shape(sizes: tuple[Size, ...]) -> tuple[int, ...]:
        return tuple(evaluate_size(size, symbols) for size in sizes)

    match recipe:
        case Normal(sizes, scale, shift):
            return (generator.standard_normal(shape(sizes)) * scale + shift).astype(np.float32)
        case Integers(sizes, low, high):
            return generator.integers(evaluate_size(low, symbols), evaluate_size(high, symbols), shape(sizes))
        case RandomMask(sizes, keep, empty):
            return random_mask(shape(sizes), keep, empty, generator)
        case Causal(sizes):
            rows, columns = shape(sizes)
            return np.tril(np.ones((rows, columns), dtype=bool), k=columns - rows)
        case Literal_(value, dtype):
            return value if dtype is None else np.array(value, dtype=dtype)
        case Symbol(size):
            return evaluate_size(size, symbols)
        case Permutation(size):
            return derangement(evaluate_size(size, symbols), generator)
        case Made(helper, parts):
            return DrawnMade(helper, tuple((name, make(part, symbols, generator)) for name, part in parts))
        case Same() | Own():
            return recipe


def derangement(size: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """The integers below ``size`` in random order, none at its own index; all such orders are equally likely.

    Raises ValueError for size 1, which has no such order.
    """
    if size == 1:
        raise ValueError("a permutation without fixed points needs a size of at least 2")
    places = np.arange(size)
    while True:  # about one order in three qualifies
        order = generator.permutation(size)
        if not (order == places).any():
            return order


def random_mask(
    shape: tuple[int, ...], keep: float, empty: tuple[int, ...], generator: np.random.Generator
) -> NDArray[np.bool_]:
    """A mask (..., n_q, n_k) in which every row has True and False entries; see ``RandomMask``."""
    *_, n_q, n_k = shape
    mask = (generator.random(shape) < keep).reshape(-1, n_q, n_k)
    kept = generator.integers(n_k, size=mask.shape[:2])
    hidden = (kept + generator.integers(1, max(n_k, 2), size=kept.shape)) % n_k
    if n_k > 1:
        np.put_along_axis(mask, hidden[..., None], False, axis=-1)
    np.put_along_axis(mask, kept[..., None], True, axis=-1)
    for row in empty:
        mask[::2, row, :] = False
    return mask.reshape(shape)
