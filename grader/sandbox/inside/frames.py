"""The wire format: values as tagged bytes, frames as (kind, length, bytes).

Used by grader and child; the only module in this folder that the grader imports. The decoder trusts nothing: every
count is checked against the bytes available before anything is allocated, nesting is bounded, and anything malformed
raises ``FrameError``.

Tasks go from the grader to the child, which trusts it. They are pickled: the child reads a pickle twenty times as fast.
The grader never unpickles anything that a child has sent.
"""

from __future__ import annotations

import io
import math
import pickle
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

JOB, HELLO, FAILED, LOADED, RETURNED, RAISED, UNREADABLE, TOO_BIG, TASKS = range(1, 10)
KINDS = range(JOB, TASKS + 1)

HEADER = struct.Struct("<BQ")
MAX_DEPTH = 24
MAX_NDIM = 8
MAX_VALUES = 200_000
#: About how many bytes a decoded value and a decoded array take in addition to their bytes on the wire, of which an
#: array without dimensions has only five.
VALUE_BYTES = 64
ARRAY_BYTES = 512
MAX_INTEGER_DIGITS = 400

# Flags of a Block.
TORCH, SCALAR, STRIDED, REQUIRES_GRAD, BFLOAT16 = 1, 2, 4, 8, 16

DTYPES = ("?", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
_DTYPES = tuple(np.dtype(name) for name in DTYPES)
_CODES = {np.dtype(name).str: code for code, name in enumerate(DTYPES)}

_U32 = struct.Struct("<I")
_I64 = struct.Struct("<q")
_F64 = struct.Struct("<d")
_ARRAY = struct.Struct("<BBB")
_SHAPES = tuple(struct.Struct(f"<{ndim}q") for ndim in range(MAX_NDIM + 1))
_TEXT = ord("s")


class FrameError(ValueError):
    """The bytes do not encode a value, or the value cannot be encoded."""


@dataclass(frozen=True, slots=True)
class Block:
    """An array on the wire. ``flags`` say what it is, or what it is to become, in the child."""

    array: NDArray[Any]
    flags: int = 0


@dataclass(frozen=True, slots=True)
class StepRef:
    """A reference to the result of an earlier step, by its index."""

    step: int


def frame(kind: int, value: object) -> bytes:
    """A whole frame: header and encoded ``value``."""
    return framed(kind, encode(value))


def framed(kind: int, body: bytes) -> bytes:
    """A whole frame: header and ``body``."""
    return HEADER.pack(kind, len(body)) + body


def encode(value: object) -> bytes:
    """``value`` as bytes. Raises FrameError if it cannot be encoded."""
    out = bytearray()
    _write(out, value, 0)
    return bytes(out)


def _write(out: bytearray, value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise FrameError("nested too deeply")
    kind = type(value)
    if kind is str:
        raw = value.encode("utf-8", "replace")
        out += b"s" + _U32.pack(len(raw)) + raw
    elif kind is int:
        _write_integer(out, value)
    elif kind is list or kind is tuple:
        out += (b"l" if kind is list else b"t") + _U32.pack(len(value))
        for entry in value:
            _write(out, entry, depth + 1)
    elif kind is dict:
        out += b"m" + _U32.pack(len(value))
        for key, entry in value.items():
            if type(key) is not str:
                raise FrameError("a key that is not a string")
            _write(out, key, depth + 1)
            _write(out, entry, depth + 1)
    elif kind is Block:
        _write_block(out, value)
    elif value is None:
        out += b"N"
    elif kind is bool:
        out += b"T" if value else b"F"
    elif kind is float:
        out += b"d" + _F64.pack(value)
    elif kind is StepRef:
        out += b"r" + _U32.pack(value.step)
    elif kind is bytes:
        out += b"b" + _U32.pack(len(value)) + value
    else:
        raise FrameError(f"a {kind.__name__}")


def _write_integer(out: bytearray, value: int) -> None:
    if -(1 << 63) <= value < 1 << 63:
        out += b"i" + _I64.pack(value)
        return
    if value.bit_length() > 3 * MAX_INTEGER_DIGITS:
        raise FrameError("integer too long")
    digits = str(value).encode()
    out += b"I" + _U32.pack(len(digits)) + digits


def _write_block(out: bytearray, block: Block) -> None:
    array = block.array
    code = _CODES.get(array.dtype.newbyteorder("<").str)
    if code is None:
        raise FrameError(f"an array of {array.dtype}")
    if array.ndim > MAX_NDIM:
        raise FrameError(f"an array of {array.ndim} dimensions")
    out += b"a" + _ARRAY.pack(code, array.ndim, block.flags)
    for size in array.shape:
        out += _I64.pack(size)
    out += np.asarray(array, dtype=DTYPES[code]).tobytes()


# --------------------------------------------------------------------------------- from grader to child


def _block(code: int, shape: tuple[int, ...], raw: bytes, flags: int) -> Block:
    return Block(np.frombuffer(raw, _DTYPES[code]).reshape(shape), flags)


#: All that a pickle may name.
_NAMED: Mapping[str, Callable[..., object]] = MappingProxyType({"_block": _block, "StepRef": StepRef})


class _Packer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """How arrays and references are pickled. Raises FrameError for types that have no wire format."""
        kind = type(value)
        if kind is Block:
            array = value.array
            code = _CODES.get(array.dtype.newbyteorder("<").str)
            if code is None:
                raise FrameError(f"an array of {array.dtype}")
            return _block, (code, array.shape, np.asarray(array, dtype=DTYPES[code]).tobytes(), value.flags)
        if kind is StepRef:
            return StepRef, (value.step,)
        if value is _block or value is StepRef:
            return NotImplemented
        raise FrameError(f"a {kind.__name__}")


class _Unpacker(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """One of the few allowed names, whatever the module: it has another name in the child than in the grader."""
        return _NAMED[name]


def pack_tasks(tasks: list[Any]) -> bytes:
    """The body of a TASKS frame, or the steps of a program. Raises FrameError for types without a wire format."""
    out = io.BytesIO()
    _Packer(out, protocol=5).dump(tasks)
    return out.getvalue()


def unpack_tasks(data: bytes | bytearray) -> Any:
    """What ``pack_tasks`` packed: for the child only, which trusts the grader. Arrays are read-only."""
    return _Unpacker(io.BytesIO(data)).load()


# --------------------------------------------------------------------------------- from child to grader


@dataclass(slots=True)
class MemoryBudget:
    """The memory that decoded values may take, and have taken: bytes in addition to those on the wire."""

    most: int
    spent: int = 0

    def spend(self, cost: int) -> None:
        """Adds the cost of the next value. Raises FrameError if that is too much."""
        if self.spent + cost > self.most:
            raise FrameError("too many values")
        self.spent += cost


def decode(data: bytes | bytearray | memoryview, budget: MemoryBudget | None = None) -> Any:
    """The value that ``data`` encodes. Raises FrameError if it is malformed, has trailing bytes, or exceeds ``budget``.

    Arrays are read-only views into ``data``.
    """
    reader = _Reader(memoryview(data), budget or MemoryBudget(MAX_VALUES * (VALUE_BYTES + ARRAY_BYTES)))
    value = reader.value(0)
    if reader.rest:
        raise FrameError(f"{reader.rest} bytes too many")
    return value


class _Reader:
    """Reads values one after another. Its methods are kept fast, because grading a class decodes millions of values."""

    __slots__ = ("_at", "_budget", "_data", "_end", "_values")

    def __init__(self, data: memoryview, budget: MemoryBudget) -> None:
        self._data = data
        self._end = len(data)
        self._at = 0
        self._values = 0
        self._budget = budget

    @property
    def rest(self) -> int:
        return self._end - self._at

    def take(self, count: int) -> memoryview:
        at = self._at
        if count > self._end - at:
            raise FrameError("cut short")
        self._at = at + count
        return self._data[at : at + count]

    def tag(self) -> int:
        at = self._at
        if at >= self._end:
            raise FrameError("cut short")
        self._at = at + 1
        return self._data[at]

    def number(self, form: struct.Struct) -> Any:
        at = self._at
        if form.size > self._end - at:
            raise FrameError("cut short")
        self._at = at + form.size
        return form.unpack_from(self._data, at)[0]

    def count(self) -> int:
        """How many entries follow. Each takes at least one byte, so the rest of the data bounds it."""
        number: int = self.number(_U32)
        if number > self._end - self._at:
            raise FrameError("a count beyond the end")
        return number

    def text(self) -> str:
        try:
            return str(self.take(self.count()), "utf-8")
        except UnicodeDecodeError:
            raise FrameError("text that is not UTF-8") from None

    def value(self, depth: int) -> Any:
        self._values += 1
        if depth > MAX_DEPTH or self._values > MAX_VALUES:
            raise FrameError("nested too deeply, or too many values")
        self._budget.spend(VALUE_BYTES)
        read = _READERS.get(self.tag())
        if read is None:
            raise FrameError("an unknown tag")
        return read(self, depth)

    def integer(self) -> int:
        digits = self.text()
        body = digits.removeprefix("-")
        if len(digits) > MAX_INTEGER_DIGITS or not (body.isascii() and body.isdigit()):
            raise FrameError("a malformed integer")
        return int(digits)

    def entries(self, depth: int) -> list[Any]:
        return [self.value(depth + 1) for _ in range(self.count())]

    def mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for _ in range(self.count()):
            if self.tag() != _TEXT:
                raise FrameError("a key that is not a string")
            self._budget.spend(VALUE_BYTES)
            key = self.text()
            result[key] = self.value(depth + 1)
        return result

    def block(self) -> Block:
        self._budget.spend(ARRAY_BYTES)
        code, ndim, flags = _ARRAY.unpack(self.take(3))
        if code >= len(DTYPES) or ndim > MAX_NDIM:
            raise FrameError("a malformed array")
        shape = _SHAPES[ndim].unpack(self.take(8 * ndim))
        if shape and not (min(shape) >= 0 and max(shape) <= 1 << 40):
            raise FrameError("a malformed array")
        dtype = _DTYPES[code]
        count = math.prod(shape)
        raw = self.take(count * dtype.itemsize)
        if code == 0 and count and np.frombuffer(raw, np.uint8).max() > 1:
            raise FrameError("a boolean that is neither true nor false")
        try:
            return Block(np.frombuffer(raw, dtype).reshape(shape), flags)
        except ValueError:  # an empty array whose other dimensions overflow
            raise FrameError("a malformed array") from None


_READERS: Mapping[int, Callable[[_Reader, int], Any]] = MappingProxyType(
    {
        ord("N"): lambda reader, depth: None,
        ord("T"): lambda reader, depth: True,
        ord("F"): lambda reader, depth: False,
        ord("i"): lambda reader, depth: reader.number(_I64),
        ord("I"): lambda reader, depth: reader.integer(),
        ord("d"): lambda reader, depth: reader.number(_F64),
        ord("s"): lambda reader, depth: reader.text(),
        ord("b"): lambda reader, depth: bytes(reader.take(reader.count())),
        ord("l"): lambda reader, depth: reader.entries(depth),
        ord("t"): lambda reader, depth: tuple(reader.entries(depth)),
        ord("m"): lambda reader, depth: reader.mapping(depth),
        ord("a"): lambda reader, depth: reader.block(),
        ord("r"): lambda reader, depth: StepRef(reader.number(_U32)),
    }
)
