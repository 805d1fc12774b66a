"""Recipes of the bank, from which the values of cases are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from grader.core.constraints import ByFirstKey, Identifier, Pairs, Parsed, RecipeSize, SchemaBounds, check_size

Shape: TypeAlias = tuple[RecipeSize, ...]


@dataclass(frozen=True, slots=True)
class Normal:
    """Independent normal numbers, float32: standard normal, times ``scale``, plus ``shift``."""

    shape: Shape = field(metadata={"alias": "normal"})
    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class Integers:
    """Integers in ``[low, high)``, int64."""

    shape: Shape = field(metadata={"alias": "integers"})
    low: RecipeSize = 0
    high: RecipeSize = 10


@dataclass(frozen=True, slots=True)
class RandomMask:
    """Booleans of shape (..., n_q, n_k), about a fraction ``keep`` of them True, different in every sample.

    Each row keeps at least one True and (if n_k > 1) at least one False; the rows ``empty``
    (indices along n_q; -1 is the last) of every second sample are all False.
    """

    shape: Annotated[Shape, SchemaBounds(min_length=2)] = field(metadata={"alias": "mask"})
    keep: Annotated[float, SchemaBounds(gt=0, lt=1)] = 0.6
    empty: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Causal:
    """The causal mask of shape (n_q, n_k): True on and below the diagonal through the last query and the last key."""

    shape: Annotated[Shape, SchemaBounds(min_length=2, max_length=2)] = field(metadata={"alias": "causal"})


@dataclass(frozen=True, slots=True)
class Literal_:
    """A constant: number, string, boolean, None or (nested) list.

    With ``dtype`` a list becomes an array of that type.
    """

    value: Any = field(metadata={"alias": "value"})
    dtype: Literal["float32", "float64", "int64", "bool"] | None = None


@dataclass(frozen=True, slots=True)
class Symbol:
    """The value of a drawn symbol, as a Python integer."""

    size: RecipeSize


@dataclass(frozen=True, slots=True)
class Same:
    """The same object as the argument ``name`` of the case, not a copy."""

    name: Identifier = field(metadata={"alias": "same_as"})


@dataclass(frozen=True, slots=True)
class Permutation:
    """A random derangement: the integers below ``size``, none at its own index, int64."""

    size: RecipeSize = field(metadata={"alias": "permutation"})


@dataclass(frozen=True, slots=True)
class Made:
    """Something that ``helper`` (see ``sandbox/inside/helpers.py``) makes inside the child, such as a function."""

    helper: Identifier = field(metadata={"alias": "make"})
    parts: Pairs[Recipe] = field(default=(), metadata={"alias": "with"})


@dataclass(frozen=True, slots=True)
class Own:
    """The submission's own top-level ``name``, or the helper ``otherwise`` if it has none. Both recipe and step."""

    name: Identifier = field(metadata={"alias": "own"})
    otherwise: Identifier | None = field(default=None, metadata={"alias": "else"})


def _constant(value: Any) -> Literal_ | Symbol:
    return Symbol(check_size(value)) if isinstance(value, str) else Literal_(value)


#: Any recipe. In the bank, its first key says which one it is; constants have no key.
Recipe: TypeAlias = Annotated[
    Normal | Integers | RandomMask | Causal | Literal_ | Same | Permutation | Made | Own | Symbol,
    ByFirstKey("recipe", Parsed(_constant, ["number", "boolean", "null", "string"])),
]
