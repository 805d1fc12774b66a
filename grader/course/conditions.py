"""The conditions under which wrong code often fails, as a table: which exercises each applies to, which cases have it.

A *condition* is something about the arguments of a case, such as more keys than queries, or an id of 0. Code that is
right everywhere else may be wrong there, so ``bank check`` wants every condition that applies to an exercise in one of
its cases, or a reason under ``not_applicable:``.

Arguments are recognised by their names in the contract (``arguments.yaml``), by their defaults, and by what a
case gives for them. Nothing here is run, and arrays are only asked for their shapes and entries: the module needs
neither NumPy nor the grader.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from grader.core.model import Case, Exercise, Same, Text
from grader.core.tables import table, text_of


class Given(Protocol):
    """The drawn inputs of a case, as in ``grader.grading.inputs``."""

    @property
    def args(self) -> tuple[tuple[str, Any], ...]:
        """The arguments of the call."""

    @property
    def construct(self) -> tuple[tuple[str, Any], ...]:
        """The arguments of the constructor."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a case gives: every argument by name.

    ``same`` has the arguments that are the same object as another one.
    """

    exercise: Exercise
    case: Case
    values: Mapping[str, Any]
    same: frozenset[str]

    def array(self, name: str) -> Any:
        """The array ``name``, or None."""
        value: Any = self.values.get(name)
        return value if hasattr(value, "shape") and value.ndim else None

    def floats(self) -> list[Any]:
        """All arrays of floats that are not empty."""
        arrays = [array for array in map(self.array, self.values) if array is not None]
        return [array for array in arrays if array.dtype.kind == "f" and array.size]

    def length(self, name: str) -> int | None:
        """How long the argument is: a number itself, or the rows of an array."""
        value = self.values.get(name)
        if type(value) is int:
            return value
        array = self.array(name)
        if array is None:
            return None
        return int(array.shape[-2 if array.ndim > 1 and array.dtype.kind == "f" else -1])


#: The arguments of an exercise that a condition is about, given also the names that its reference uses.
Applies: TypeAlias = Callable[[Exercise, frozenset[str]], tuple[str, ...]]
#: Whether inputs have a condition for an argument.
Sees: TypeAlias = Callable[[Inputs, str], bool]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition. ``applies`` gives the arguments of an exercise that it is about, ``""`` for the whole call.

    One of ``checks`` must use a case with it; none means any check that looks at the numbers. ``sees`` tells whether
    inputs have it; a case may also declare it under ``conditions:``.
    """

    id: str
    applies: Applies
    sees: Sees
    checks: tuple[str, ...] = ()

    @property
    def what(self) -> Text:
        """The condition in words."""
        return text_of(table(__file__, "conditions.yaml")[self.id])


# ---------------------------------------------------------------------------------- kinds of arguments

#: The kinds of arguments that have a length.
_SIZED = ("sequences", "lengths", "sized")
_MEASURING = ("operations", "memory")
#: Longer than any buffer that a learner would think of as large; ``conditions.yaml`` names it, too.
_LONG = 129
#: exp overflows in float32 from 88.7 on.
_OVERFLOWS = 89.0
#: Entries that lie this many standard deviations from zero cancel in float32.
_FAR = 100.0


def known(*kinds: str) -> list[Any]:
    """The names of these kinds in ``arguments.yaml``."""
    return [name for kind in kinds for name in table(__file__, "arguments.yaml")[kind]]


def names_of(exercise: Exercise) -> tuple[str, ...]:
    """The arguments that its cases give: those of the function, or of the constructor and ``forward``."""
    own = exercise.parameters if exercise.kind == "class" and exercise.through is None else ()
    return tuple(dict.fromkeys(parameter.name for parameter in (*own, *exercise.takes)))


def defaults_of(exercise: Exercise) -> Mapping[str, Any]:
    """The defaults of the learner's own optional arguments. Those of a helper ``through`` are not the learner's."""
    return _defaults(() if exercise.through else (exercise.signature, exercise.forward_signature or "forward()"))


@functools.lru_cache(maxsize=256)
def _defaults(signatures: tuple[str, ...]) -> Mapping[str, Any]:
    defaults: dict[str, Any] = {}
    for signature in signatures:
        tree = ast.parse(f"def {signature}: pass").body[0]
        assert isinstance(tree, ast.FunctionDef)
        optional = tree.args.args[len(tree.args.args) - len(tree.args.defaults) :]
        for argument, default in zip(optional, tree.args.defaults, strict=True):
            defaults[argument.arg] = ast.literal_eval(default)
    return MappingProxyType(defaults)


def inputs_of(exercise: Exercise, case: Case, drawn: Given) -> Inputs:
    """The inputs of a case with ``same_as`` resolved."""
    given = dict(drawn.construct) | dict(drawn.args)
    same = frozenset(name for name, value in given.items() if isinstance(value, Same))
    helped = [made for made in given.values() if hasattr(made, "parts") and not isinstance(made, Same)]
    parts = dict(part for made in helped for part in made.parts)
    values = {name: given[value.name] if isinstance(value, Same) else value for name, value in given.items()}
    return Inputs(exercise, case, parts | values, same)


def _if(holds: Callable[[Exercise, frozenset[str]], object]) -> Applies:
    """Conditions about the whole call, of exercises with the property."""
    return lambda exercise, used: ("",) if holds(exercise, used) else ()


def _named(kind: str) -> Applies:
    return lambda exercise, used: tuple(name for name in names_of(exercise) if name in known(kind))


def _pair(exercise: Exercise) -> tuple[str, str] | None:
    names = names_of(exercise)
    return next(((one, other) for one, other in known("query-and-key") if one in names and other in names), None)


def _with_sequence(exercise: Exercise, used: frozenset[str]) -> tuple[str, ...]:
    """The first sequence; in a class all else has its number of axes, too."""
    names = names_of(exercise)
    return next(((name,) for name in known("sequences") if name in names), ())


def _optional(exercise: Exercise, used: frozenset[str]) -> tuple[str, ...]:
    return tuple(defaults_of(exercise))


def _flags(exercise: Exercise, used: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name, default in defaults_of(exercise).items() if isinstance(default, bool))


def _may_be_zero(exercise: Exercise, used: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in defaults_of(exercise) if name in known("zero"))


def _is_measured(exercise: Exercise) -> bool:
    return any(check.kind in _MEASURING for check in exercise.checks)


def _measured_flags(exercise: Exercise, used: frozenset[str]) -> tuple[str, ...]:
    return _flags(exercise, used) if _is_measured(exercise) else ()


_everywhere = _if(lambda exercise, used: True)
_paired = _if(lambda exercise, used: _pair(exercise))
_with_length = _if(lambda exercise, used: set(known("sequences", "lengths")).intersection(names_of(exercise)))
_begun = _if(lambda exercise, used: {"tokens", "bos_id"} <= set(names_of(exercise)))
_measured = _if(lambda exercise, used: _is_measured(exercise))
_exponential = _if(lambda exercise, used: used.intersection(known("exponentials")))
_normalises = _if(lambda exercise, used: used.intersection(known("moments")) or "gamma" in names_of(exercise))


# ------------------------------------------------------------------------------------ what a case has


def _lengths(inputs: Inputs) -> tuple[int, int] | None:
    pair = _pair(inputs.exercise)
    if pair is None:
        return None
    n_q, n_k = map(inputs.length, pair)
    if n_k is None and pair[1] in defaults_of(inputs.exercise):
        n_k = n_q  # unless it is given
    return None if n_q is None or n_k is None else (n_q, n_k)


def _compared(holds: Callable[[int, int], bool]) -> Sees:
    def sees(inputs: Inputs, name: str) -> bool:
        both = _lengths(inputs)
        return both is not None and holds(*both)

    return sees


def _single(inputs: Inputs, name: str) -> bool:
    """Every length is 1; the most that is allowed (``max_len``) counts where there is no other."""
    sequences = [name for name in names_of(inputs.exercise) if name in known(*_SIZED)]
    lengths = {name: inputs.length(name) for name in sequences if name != "pe"}
    own = {length for name, length in lengths.items() if length is not None and name != "max_len"}
    return own == {1} or (not own and set(lengths.values()) == {1})


def _long(inputs: Inputs, name: str) -> bool:
    sized = [inputs.length(other) for other in inputs.values if other in known(*_SIZED)]
    return any(length is not None and length >= _LONG for length in sized)


def _array(holds: Callable[[Any], bool]) -> Sees:
    """Whether the argument is an array with the property."""

    def sees(inputs: Inputs, name: str) -> bool:
        array = inputs.array(name)
        return array is not None and holds(array)

    return sees


def _whole(holds: Callable[[int], bool]) -> Sees:
    """Whether the argument is a whole number with the property."""

    def sees(inputs: Inputs, name: str) -> bool:
        value = inputs.values.get(name)
        return isinstance(value, int) and holds(value)

    return sees


def _per_sample(mask: Any) -> bool:
    return mask.ndim >= 2 and mask.shape[0] > 1 and bool((mask != mask[:1]).any())


def _mask_per_sample(inputs: Inputs, name: str) -> bool:
    mask = inputs.array(name)
    return mask is not None and (name == "key_padding" or mask.ndim > 2) and _per_sample(mask)


def _square(mask: Any) -> bool:
    square = mask.ndim > 2 and mask.shape[-1] == mask.shape[-2] > 1
    return square and _per_sample(mask) and bool((mask != mask.swapaxes(-1, -2)).any())


def _of_keys(mask: Any) -> bool:
    return mask.ndim > 2 and mask.shape[-2] == 1 < mask.shape[-1] and _per_sample(mask)


def _empty_row(inputs: Inputs, name: str) -> bool:
    mask = inputs.array(name)
    if mask is None:
        return False
    if name == "key_padding":  # the causal mask inside leaves the first query its own key alone
        return bool((~mask[..., 0]).any())
    return bool((~mask.any(-1)).any())


def _mask_per_head(mask: Any) -> bool:
    return mask.ndim > 3 and bool((mask != mask[..., :1, :, :]).any())


def _empty_in_one_head(mask: Any) -> bool:
    empty = ~mask.any(-1)
    return mask.ndim > 3 and bool((empty.any(-2) & ~empty.all(-2)).any())


def _zero(inputs: Inputs, name: str) -> bool:
    value = inputs.values.get(name)
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0


def _vocabulary(inputs: Inputs) -> int | None:
    """How many ids there are, where it can be seen."""
    for name in ("table", "logits"):
        table = inputs.array(name)
        if table is not None:
            return int(table.shape[0] if "positions" in inputs.values else table.shape[-1])
    return None


def _last_id(inputs: Inputs, name: str) -> bool:
    value, vocabulary = inputs.values.get(name), _vocabulary(inputs)
    if type(value) is not int:
        return False
    tokens = [array for array in map(inputs.array, known("tokens")) if array is not None]
    if vocabulary is not None:
        return value == vocabulary - 1
    return bool(tokens) and value >= max(int(array.max()) for array in tokens)


def _last_token(inputs: Inputs, name: str) -> bool:
    tokens, vocabulary = inputs.array(name), _vocabulary(inputs)
    has_tokens = tokens is not None and tokens.size > 0
    return has_tokens and (vocabulary is None or int(tokens.max()) == vocabulary - 1)


def _start_among_tokens(inputs: Inputs, name: str) -> bool:
    tokens = inputs.array("tokens")
    return tokens is not None and bool((tokens == inputs.values["bos_id"]).any())


def _given(inputs: Inputs, name: str) -> bool:
    if name not in inputs.values:
        return False
    return inputs.array(name) is not None or inputs.values[name] != defaults_of(inputs.exercise)[name]


def _middle_axis(inputs: Inputs, name: str) -> bool:
    array, axis = inputs.array("x"), inputs.values.get(name)
    return array is not None and type(axis) is int and array.ndim > 3 and 0 < axis < array.ndim - 1


def _is(flag: bool) -> Sees:
    return lambda inputs, name: inputs.values.get(name) is flag


def _negative(inputs: Inputs, name: str) -> bool:
    value, array = inputs.values.get(name), inputs.array(name)
    return bool((array < 0).any()) if array is not None else isinstance(value, (int, float)) and value < 0


def _large(inputs: Inputs, name: str) -> bool:
    tops = sorted((float(abs(array).max()) for array in inputs.floats()), reverse=True)
    if "w_q" in inputs.values:  # the scores are products of x with itself
        tops = [*tops[:1], *tops]
    return bool(tops) and (tops[0] >= _OVERFLOWS or math.prod(tops[:2]) >= 4 * _OVERFLOWS)


def _offset(inputs: Inputs, name: str) -> bool:
    arrays = [array for array in inputs.floats() if array.size > 3]
    return any(0 < float(array.std()) * _FAR <= abs(float(array.mean())) for array in arrays)


def _tiny(inputs: Inputs, name: str) -> bool:
    return any(0 < float(abs(array).max()) < 0.05 for array in inputs.floats())


def _batched(inputs: Inputs, name: str) -> bool:
    return any(array.ndim > 2 for array in inputs.floats())


# ------------------------------------------------------------------------------------------- the table

_TABLE = (
    # lengths
    Condition("more-keys", _paired, _compared(lambda n_q, n_k: n_q < n_k)),
    Condition("more-queries", _paired, _compared(lambda n_q, n_k: n_q > n_k)),
    Condition("different-lengths", _paired, _compared(lambda n_q, n_k: n_q != n_k)),
    Condition("equal-lengths", _paired, _compared(lambda n_q, n_k: n_q == n_k > 1)),
    Condition("one-position", _with_length, _single),
    Condition("long", _with_length, _long),
    # axes
    Condition("two-axes", _with_sequence, _array(lambda array: array.ndim == 2)),
    Condition("three-axes", _with_sequence, _array(lambda array: array.ndim == 3)),
    Condition("four-axes", _with_sequence, _array(lambda array: array.ndim == 4)),
    Condition("batch-of-one", _with_sequence, _array(lambda array: array.ndim >= 3 and array.shape[0] == 1)),
    # masks
    Condition("mask-per-sample", _named("padding"), _mask_per_sample),
    Condition("square-mask", _named("masks"), _array(_square)),
    Condition(
        "square-cross-mask",
        lambda exercise, used: _named("masks")(exercise, used) if _pair(exercise) else (),
        lambda inputs, name: _array(_square)(inputs, name) and not inputs.same,
    ),
    Condition("one-mask-for-all", _named("masks"), _array(lambda mask: mask.ndim == 2)),
    Condition("mask-of-keys", _named("masks"), _array(_of_keys)),
    Condition("empty-row", _named("padding"), _empty_row, ("fully_masked_rows", "values")),
    Condition("mask-per-head", _named("masks"), _array(_mask_per_head)),
    Condition("empty-row-in-one-head", _named("masks"), _array(_empty_in_one_head), ("fully_masked_rows",)),
    # ids
    Condition("id-zero", _named("ids"), _zero),
    Condition("id-last", _named("ids"), _last_id),
    Condition("token-zero", _named("tokens"), _array(lambda tokens: bool((tokens == 0).any()))),
    Condition("token-last", _named("tokens"), _last_token),
    Condition("start-among-tokens", _begun, _start_among_tokens),
    # counts
    Condition("odd-count", _named("counts"), _whole(lambda count: count > 1 and count % 2 == 1)),
    Condition("no-power-of-two", _named("counts"), _whole(lambda count: count > 0 and count & (count - 1) != 0)),
    # optional arguments
    Condition("omitted", _optional, lambda inputs, name: name not in inputs.values),
    Condition("not-default", _optional, _given),
    Condition("zero", _may_be_zero, _zero, ("values", "shifts", "raises")),
    Condition("false", _flags, _is(False)),
    Condition("middle-axis", _named("axes"), _middle_axis),
    # signs and magnitudes
    Condition("negative", _named("signed"), _negative),
    Condition("large-numbers", _exponential, _large),
    Condition("large-offset", _normalises, _offset),
    Condition("tiny-numbers", _named("small"), _tiny),
    # state and work
    Condition("second-call", _everywhere, lambda inputs, name: bool(inputs.case.then), ("repeatable",)),
    Condition("work-in-a-batch", _measured, _batched, _MEASURING),
    Condition("work-without-batch", _measured, lambda inputs, name: not _batched(inputs, name), _MEASURING),
    Condition("work-with-flag", _measured_flags, _is(True), _MEASURING),
    Condition("work-without-flag", _measured_flags, lambda given, name: not _is(True)(given, name), _MEASURING),
)
#: Every condition by its id.
CONDITIONS: Mapping[str, Condition] = MappingProxyType({condition.id: condition for condition in _TABLE})


def applicable(exercise: Exercise, used: frozenset[str]) -> Iterator[tuple[Condition, str]]:
    """The conditions that apply to an exercise, each with the argument that it is about, or ``""``.

    ``used`` are the names that the reference uses, itself or through its helpers.
    """
    for condition in CONDITIONS.values():
        for name in condition.applies(exercise, used):
            yield condition, name


def has(condition: Condition, name: str, inputs: Inputs) -> bool:
    """Whether a case has the condition for the argument ``name``: it declares it, or its inputs show it."""
    return key(condition, name) in inputs.case.conditions or condition.sees(inputs, name)


def key(condition: Condition, name: str) -> str:
    """How the bank names a condition of an argument: ``mask.square-mask``, or ``long`` if it is about the call."""
    return f"{name}.{condition.id}" if name else condition.id
