"""Everything that a frame can contain, as the grader decodes it: what a child may send as a result."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
from hypothesis import strategies as st

from grader.core.model import Array
from grader.sandbox.inside import frames
from grader.sandbox.wire import decode_value

#: The names that our own code in the child uses in what it says.
_KEYS = (
    "work", "largest", "peak", "exits", "attributes", "shared", "registered", "trainable", "missing", "module",
    "w_q", "w_o", "b_q", "", "中",
)  # fmt: skip
_NUMBERS = (0, 1, -1, 0.5, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324)
_LONGEST = 10 ** (frames.MAX_INTEGER_DIGITS - 1)
_HUGE = 1 << 40


def block(code: int, shape: tuple[int, ...], flags: int, seed: int) -> frames.Block:
    """An array of any type, shape and flags, with unusual numbers. If one size is 0, others may be huge."""
    dtype = np.dtype(frames.DTYPES[code])
    raw = np.random.default_rng(seed).choice(np.array(_NUMBERS), math.prod(shape))
    with np.errstate(all="ignore"):
        values = (raw if dtype.kind == "f" else np.nan_to_num(raw)).astype(dtype)
    return frames.Block(values.reshape(shape), flags)


def carried(value: Any) -> Any:
    """``value`` as decoded. Integers may be longer than those our own code in the child would write."""
    if isinstance(value, (list, tuple)):
        return type(value)(carried(part) for part in value)
    if isinstance(value, dict):
        return {key: carried(part) for key, part in value.items()}
    digits = str(value).encode() if type(value) is int else b""
    body = b"I" + struct.pack("<I", len(digits)) + digits if digits else frames.encode(value)
    return decode_value(frames.decode(body))


_SHAPES = st.lists(st.integers(0, 4), max_size=4) | st.lists(st.integers(1, 2), min_size=5, max_size=8)
_EMPTY = st.sampled_from(((0,), (0, 3), (2, 0), (0, _HUGE), (_HUGE, 0)))
_BLOCKS = st.builds(
    block,
    st.integers(0, len(frames.DTYPES) - 1),
    st.one_of(_SHAPES.map(tuple), _EMPTY),
    st.integers(0, 31),
    st.integers(0, 9),
)
_LEAVES = st.one_of(
    st.sampled_from((None, True, False, 1 << 63, -(1 << 63) - 1, 10**200, _LONGEST, -_LONGEST // 10, *_NUMBERS)),
    st.integers(-3, 300),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    _BLOCKS,
)
#: Any value: alone, in lists, tuples and dicts, one in the other.
VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    ),
    max_leaves=8,
).map(carried)


def _deep(levels: int) -> Any:
    value: Any = 1.0
    for _ in range(levels):
        value = [value]
    return value


#: A few of them, for tables: each stands for a kind.
SOME: tuple[Any, ...] = tuple(
    carried(value)
    for value in (
        *(None, True, 0, -3, 1 << 63, 10**200, _LONGEST, -_LONGEST // 10, 0.5, math.nan, math.inf, 1e308),
        *("", "中文 {x}", [], (), {}, [None], _deep(frames.MAX_DEPTH - 1)),
        {"work": _LONGEST, "exits": [], "largest": math.nan, "peak": ""},
        {"attributes": {}, "shared": [[]], "registered": {}, "trainable": {}},
        [frames.Block(np.ones(2)), frames.Block(np.ones((3, 1)), frames.TORCH)],
        *(block(code, (2, 3), code, 1) for code in range(len(frames.DTYPES))),
        *(block(10, shape, frames.TORCH, 2) for shape in ((), (1,), (6,), (0,), (0, _HUGE), (_HUGE, 0), (1,) * 8)),
        *(frames.Block(np.full((2, 3), number)) for number in (0.5, 1e308)),
        frames.Block(np.zeros((2, 3), "<u2"), frames.BFLOAT16),
        *(frames.Block(np.array(number), frames.SCALAR) for number in (True, 2.5)),
    )
)
#: What a reference returns: an array, a number, booleans, several of them.
RIGHT: tuple[Any, ...] = (
    Array(np.full((2, 3), 0.5), "torch", dtype="float64"),
    Array(np.array([[True, False]]), "torch", dtype="bool"),
    7,
    2.5,
    (Array(np.ones(2), "torch", dtype="float64"), True, None),
    {"a": 2.5, "b": "text"},
)
