"""The wire format: valid values survive a round trip; anything else is a FrameError."""

from __future__ import annotations

import contextlib
import struct
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from grader.sandbox.inside import frames
from grader.sandbox.inside.frames import Block, FrameError, StepRef, decode, encode

#: No database on disk, and no deadline on a machine that does other things, too.
quick = settings(
    max_examples=60, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def u32(number: int) -> bytes:
    """A count, as it is written."""
    return struct.pack("<I", number)


def array(code: int, shape: list[int], raw: bytes = b"", flags: int = 0) -> bytes:
    """An array, as it is written, right or wrong."""
    return b"a" + bytes([code, len(shape), flags]) + struct.pack(f"<{len(shape)}q", *shape) + raw


def same(one: Any, other: Any) -> bool:
    """Equality that also means: equal types, and equal bytes of floats and arrays."""
    if type(one) is not type(other):
        return False
    match one:
        case float():
            return struct.pack("<d", one) == struct.pack("<d", other)
        case list() | tuple():
            return len(one) == len(other) and all(map(same, one, other))
        case dict():
            return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
        case Block(values, flags):
            alike = (values.shape, values.dtype, flags) == (other.array.shape, other.array.dtype, other.flags)
            return alike and values.tobytes() == other.array.tobytes()
    return bool(one == other)


def arrays() -> st.SearchStrategy[Block]:
    """Arrays of every dtype and few dimensions, empty ones included."""

    def made(dtype: str, shape: list[int], seed: int, flags: int) -> Block:
        raw = np.random.default_rng(seed).bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize)
        values: NDArray[Any] = np.frombuffer(raw, "u1") % 2 if dtype == "?" else np.frombuffer(raw, dtype)
        return Block(values.astype(dtype).reshape(shape), flags)

    shapes = st.lists(st.integers(0, 3), max_size=frames.MAX_NDIM)
    return st.builds(made, st.sampled_from(frames.DTYPES), shapes, st.integers(0, 99), st.integers(0, 31))


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
    | st.builds(StepRef, st.integers(0, 2**32 - 1))
    | arrays()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@quick
@given(VALUES)
def test_what_travels_comes_back(value: Any) -> None:
    """Every kind of value survives the way there, bit by bit and type by type."""
    assert same(decode(encode(value)), value)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**63 - 1, -(2**63), 10**300, 0, -1])
def test_integers_of_any_size_come_back(value: int) -> None:
    """The 64-bit form and the decimal form meet without a gap."""
    assert decode(encode(value)) == value


def test_arrays_come_back_whatever_their_layout() -> None:
    """Byte order and strides are the sender's business: the values and the shape arrive."""
    values = np.arange(24, dtype=">f8").reshape(2, 3, 4)
    for sent in (values, values[::-1, :, ::2], values.T, values[:, :0], np.array(1.5)):
        got = decode(encode(Block(sent))).array
        assert got.dtype == np.dtype("<f8")
        assert np.array_equal(got, sent) and got.shape == sent.shape
        assert not got.flags.writeable


def test_a_lone_surrogate_is_replaced() -> None:
    """A string that no encoding has arrives as a question mark, instead of ending the child."""
    assert decode(encode("a\ud800b")) == "a?b"


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = None
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_is_allowed_up_to_a_depth() -> None:
    """The deepest value that may be sent may also be read."""
    assert decode(encode(nested(frames.MAX_DEPTH))) == nested(frames.MAX_DEPTH)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        1j,
        {1: 2},
        {"a": {("b",): 1}},
        [np.float64(1)],
        np.zeros(2),
        Block(np.zeros(2, dtype="c16")),
        Block(np.array([None])),
        Block(np.array(["a"])),
        Block(np.zeros((1,) * 9)),
        10**400,
        nested(frames.MAX_DEPTH + 1),
        type("Sub", (str,), {})("x"),
        {1, 2},
    ],
)
def test_what_has_no_form_is_refused(value: object) -> None:
    """Encoding never guesses: a value outside the protocol raises FrameError."""
    with pytest.raises(FrameError):
        encode(value)


MALFORMED = {
    "nothing": b"",
    "unknown tag": b"?",
    "pickle": b"\x80\x04N.",
    "int cut short": b"i\0\0\0",
    "float cut short": b"d" + bytes(7),
    "reference cut short": b"r\0",
    "count cut short": b"l\1\0",
    "string beyond the end": b"s" + u32(5) + b"abcd",
    "string of 4 GiB": b"s" + u32(2**32 - 1) + b"abcd",
    "bytes beyond the end": b"b" + u32(2) + b"a",
    "list beyond the end": b"l" + u32(3) + b"NN",
    "list of 4 billion": b"l" + u32(2**32 - 1) + b"N" * 100,
    "tuple beyond the end": b"t" + u32(1),
    "list of lists beyond the end": b"l" + u32(4) + (b"l" + u32(4)) * 4,
    "dict beyond the end": b"m" + u32(2) + encode("a") + b"N",
    "dict without values": b"m" + u32(1) + encode("abc"),
    "integer key": b"m" + u32(1) + encode(1) + b"N",
    "nested key": b"m" + u32(1) + encode(["a"]) + b"N",
    "key not UTF-8": b"m" + u32(1) + b"s" + u32(1) + b"\xff" + b"N",
    "not UTF-8": b"s" + u32(2) + b"\xc3\x28",
    "surrogate in UTF-8": b"s" + u32(3) + b"\xed\xa0\x80",
    "bytes too many": b"NN",
    "a second value": encode([1, 2]) + encode(3),
    "integer of words": b"I" + u32(3) + b"1e9",
    "integer of nothing": b"I" + u32(0),
    "integer of a sign": b"I" + u32(1) + b"-",
    "integer of two signs": b"I" + u32(3) + b"--1",
    "integer with spaces": b"I" + u32(2) + b" 1",
    "integer with underscores": b"I" + u32(3) + b"1_0",
    "integer of other digits": b"I" + u32(4) + "1٣".encode() + b"1",
    "superscript integer": b"I" + u32(2) + "²".encode(),
    "giant integer": b"I" + u32(5000) + b"9" * 5000,
    "too deep": b"l\1\0\0\0" * (frames.MAX_DEPTH + 1) + b"N",
    "far too deep": b"t\1\0\0\0" * 100_000 + b"N",
    "deep dicts": (b"m" + u32(1) + encode("a")) * 1000 + b"N",
    "array cut short": b"a\0",
    "array without dims": b"a" + bytes([10, 2, 0]) + bytes(8),
    "array without data": array(10, [2], b"\0\0\0\0"),
    "array with too much data": array(10, [1], bytes(8)),
    "unknown dtype": array(len(frames.DTYPES), [1], bytes(8)),
    "object dtype": array(255, [1], bytes(8)),
    "nine dimensions": array(10, [1] * 9, bytes(4)),
    "255 dimensions": b"a" + bytes([10, 255, 0]) + bytes(255 * 8),
    "negative size": array(10, [-1], bytes(4)),
    "two negative sizes": array(10, [-1, -1], bytes(4)),
    "smallest size": array(10, [-(2**63)], bytes(4)),
    "huge size": array(10, [2**62], bytes(4)),
    "terabytes": array(11, [2**40], bytes(8)),
    "sizes whose product wraps to zero": array(5, [2**32, 2**32], b""),
    "sizes whose product wraps to one": array(5, [2**40, 2**40, 2**40], b"\0"),
    "empty, with huge sizes": array(11, [0, 2**40, 2**40], b""),
    "empty, with a size beyond any": array(11, [0, 2**41], b""),
    "boolean that is 2": array(0, [3], b"\0\1\2"),
    "boolean that is 255": array(0, [], b"\xff"),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_bytes_are_a_frame_error(data: bytes) -> None:
    """Whatever is wrong with the bytes, it is found, and nothing large is allocated on the way."""
    tracemalloc.start()
    try:
        with pytest.raises(FrameError):
            decode(data)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(data) + (1 << 20)
    finally:
        tracemalloc.stop()


def test_the_number_of_values_is_bounded() -> None:
    """Empty lists cost one byte on the wire and many in memory: there may be so many and no more."""
    most = frames.MAX_VALUES - 1
    assert len(decode(b"l" + u32(most) + b"N" * most)) == most
    with pytest.raises(FrameError, match="too many"):
        decode(b"l" + u32(most + 1) + b"N" * (most + 1))


def test_what_values_take_in_memory_is_bounded() -> None:
    """Five bytes become an array of some hundred: decoding stops at what it may cost, and says what it did cost."""
    scalar = b"a\x01\0\0\0"
    data = b"l" + u32(1000) + scalar * 1000
    each = frames.VALUE_BYTES + frames.ARRAY_BYTES
    small, large = frames.MemoryBudget(10_000), frames.MemoryBudget(1 << 30)
    with pytest.raises(FrameError, match="too many"):
        decode(data, small)
    assert small.most - each < small.spent <= small.most
    tracemalloc.start()
    try:
        kept = decode(data, large)
        assert len(kept) == 1000
        assert tracemalloc.get_traced_memory()[0] < large.spent == frames.VALUE_BYTES + 1000 * each
    finally:
        tracemalloc.stop()


def survives(data: bytes) -> None:
    """Decoding gives a value or a FrameError, and takes memory in proportion to the bytes."""
    tracemalloc.start()
    try:
        with contextlib.suppress(FrameError):
            decode(data)
        assert tracemalloc.get_traced_memory()[1] < 200 * len(data) + (1 << 20)
    finally:
        tracemalloc.stop()


@settings(quick, max_examples=300)
@given(st.binary(max_size=200))
def test_random_bytes_do_no_harm(data: bytes) -> None:
    """Noise is a value or a FrameError, never another exception."""
    survives(data)


@settings(quick, max_examples=300)
@given(st.lists(st.sampled_from([*b"NTFiIdsbltmar\0\1\2\3\xff-19"]), max_size=120).map(bytes))
def test_bytes_that_look_right_do_no_harm(data: bytes) -> None:
    """Noise of tags and small counts gets deeper into the decoder, and finds nothing there either."""
    survives(data)


@settings(quick, max_examples=100)
@given(VALUES, st.data())
def test_one_changed_byte_does_no_harm(value: Any, data: st.DataObject) -> None:
    """A right message with a byte changed, dropped or doubled is a value or a FrameError."""
    right = encode(value)
    at = data.draw(st.integers(0, len(right) - 1))
    survives(right[:at] + data.draw(st.binary(max_size=2)) + right[at + 1 :])


def test_a_frame_is_a_header_and_a_value() -> None:
    """Kind and length stand before the value, in nine bytes."""
    made = frames.frame(frames.HELLO, {"a": 1})
    kind, length = frames.HEADER.unpack_from(made)
    assert (kind, length) == (frames.HELLO, len(made) - 9)
    assert decode(made[9:]) == {"a": 1}


def test_tasks_go_to_the_child_as_they_are() -> None:
    """Plain values, containers, arrays and references arrive as they were; arrays cannot be written to."""
    array = np.arange(6, dtype=">f4").reshape(2, 3)
    tasks = [["run", "q05", 7, None, {"k": (1.5, True)}, frames.StepRef(3), frames.Block(array, frames.STRIDED)]]
    *plain, block = frames.unpack_tasks(frames.pack_tasks(tasks))[0]
    assert plain == tasks[0][:-1]
    assert (block.array == array).all() and (block.flags, block.array.dtype.str) == (frames.STRIDED, "<f4")
    assert not block.array.flags.writeable


@pytest.mark.parametrize(
    "value",
    [object(), 1j, np.float64(1), print, frames.Block(np.array(["a"]))],
    ids=["object", "complex", "scalar", "function", "text"],
)
def test_nothing_else_goes_to_the_child(value: object) -> None:
    """What has no form on the wire is refused here, where the bank's author sees it, and not in the child."""
    with pytest.raises(frames.FrameError):
        frames.pack_tasks([value])


def test_a_pickle_names_nothing_else() -> None:
    """Only arrays and references can be named, whatever a pickle says."""
    with pytest.raises(KeyError):
        frames.unpack_tasks(b"\x80\x04\x8c\x02os\x8c\x06system\x93.")
