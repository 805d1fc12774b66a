"""The wire format: values as tagged bytes, frames as (kind, length, bytes).

Used by both sides of the wall, and the only part of this folder that the grader imports. The decoder
takes nothing on trust: every count is checked against the bytes that are really there before anything
is allocated, nesting is bounded, and whatever does not fit raises ``FrameError``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

JOB, HELLO, FAILED, LOADED, RETURNED, RAISED, UNREADABLE, TOO_BIG = range(1, 9)
KINDS = range(JOB, TOO_BIG + 1)

HEADER = struct.Struct("<BQ")
MAX_DEPTH = 24
MAX_NDIM = 8
MAX_VALUES = 200_000  # an empty list costs one byte on the wire and fifty in memory
MAX_INTEGER_DIGITS = 400

# Flags of a Block.
TORCH, SCALAR, STRIDED, REQUIRES_GRAD, BFLOAT16 = 1, 2, 4, 8, 16

DTYPES = ("?", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
_CODES = {np.dtype(name).str: code for code, name in enumerate(DTYPES)}

_U32 = struct.Struct("<I")
_I64 = struct.Struct("<q")
_F64 = struct.Struct("<d")
_ARRAY = struct.Struct("<BBB")


class FrameError(ValueError):
    """The bytes are not a value, or the value has no form on the wire."""


@dataclass(frozen=True, slots=True)
class Block:
    """An array on the wire. ``flags`` says what it is or shall become on the child's side."""

    array: NDArray[Any]
    flags: int = 0


@dataclass(frozen=True, slots=True)
class StepRef:
    """A reference to the result of an earlier step."""

    step: int


def frame(kind: int, value: object) -> bytes:
    """A whole frame: header and encoded ``value``."""
    body = encode(value)
    return HEADER.pack(kind, len(body)) + body


def encode(value: object) -> bytes:
    """``value`` as bytes. Raises FrameError for what has no form on the wire."""
    out = bytearray()
    _write(out, value, 0)
    return bytes(out)


def _write(out: bytearray, value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise FrameError("nested too deeply")
    match value:
        case None:
            out += b"N"
        case bool():
            out += b"T" if value else b"F"
        case int():
            if -(1 << 63) <= value < 1 << 63:
                out += b"i" + _I64.pack(value)
            else:
                digits = str(value).encode()
                if len(digits) > MAX_INTEGER_DIGITS:
                    raise FrameError("integer too long")
                out += b"I" + _U32.pack(len(digits)) + digits
        case float():
            out += b"d" + _F64.pack(value)
        case str():
            raw = value.encode("utf-8", "replace")
            out += b"s" + _U32.pack(len(raw)) + raw
        case bytes():
            out += b"b" + _U32.pack(len(value)) + value
        case list() | tuple():
            out += (b"l" if isinstance(value, list) else b"t") + _U32.pack(len(value))
            for entry in value:
                _write(out, entry, depth + 1)
        case dict():
            out += b"m" + _U32.pack(len(value))
            for key, entry in value.items():
                if not isinstance(key, str):
                    raise FrameError("a key that is not a string")
                _write(out, key, depth + 1)
                _write(out, entry, depth + 1)
        case Block():
            _write_block(out, value)
        case StepRef():
            out += b"r" + _U32.pack(value.step)
        case _:
            raise FrameError(f"a {type(value).__name__}")


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


def decode(data: bytes | bytearray | memoryview) -> Any:
    """The value that ``data`` encodes, all of it. Raises FrameError for anything else.

    Arrays are read-only views into ``data``.
    """
    reader = _Reader(memoryview(data))
    value = reader.value(0)
    if reader.rest:
        raise FrameError(f"{reader.rest} bytes too many")
    return value


class _Reader:
    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0
        self._values = 0

    @property
    def rest(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int) -> memoryview:
        if count > self.rest:
            raise FrameError("cut short")
        piece = self._data[self._at : self._at + count]
        self._at += count
        return piece

    def count(self) -> int:
        """A number of things to follow; each takes at least one byte, so it is bounded by the rest."""
        number: int = _U32.unpack(self.take(4))[0]
        if number > self.rest:
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
        match tag := bytes(self.take(1)):
            case b"N":
                return None
            case b"T" | b"F":
                return tag == b"T"
            case b"i":
                return _I64.unpack(self.take(8))[0]
            case b"I":
                return self.integer()
            case b"d":
                return _F64.unpack(self.take(8))[0]
            case b"s":
                return self.text()
            case b"b":
                return bytes(self.take(self.count()))
            case b"l":
                return [self.value(depth + 1) for _ in range(self.count())]
            case b"t":
                return tuple(self.value(depth + 1) for _ in range(self.count()))
            case b"m":
                return self.mapping(depth)
            case b"a":
                return self.block()
            case b"r":
                return StepRef(_U32.unpack(self.take(4))[0])
        raise FrameError(f"unknown tag {tag!r}")

    def integer(self) -> int:
        digits = self.text()
        body = digits.removeprefix("-")
        if len(digits) > MAX_INTEGER_DIGITS or not (body.isascii() and body.isdigit()):
            raise FrameError("a malformed integer")
        return int(digits)

    def mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for _ in range(self.count()):
            key = self.value(MAX_DEPTH)  # at the depth limit only scalars decode: keys cannot nest
            if not isinstance(key, str):
                raise FrameError("a key that is not a string")
            result[key] = self.value(depth + 1)
        return result

    def block(self) -> Block:
        code, ndim, flags = _ARRAY.unpack(self.take(3))
        if code >= len(DTYPES) or ndim > MAX_NDIM:
            raise FrameError("a malformed array")
        shape = tuple(_I64.unpack(self.take(8))[0] for _ in range(ndim))
        dtype = np.dtype(DTYPES[code])
        count = 1
        for size in shape:
            if not 0 <= size <= 1 << 40:
                raise FrameError("a malformed array")
            count *= size
        raw = self.take(count * dtype.itemsize)
        if code == 0 and count and np.frombuffer(raw, np.uint8).max() > 1:
            raise FrameError("a boolean that is neither true nor false")
        try:
            return Block(np.frombuffer(raw, dtype=dtype).reshape(shape), flags)
        except ValueError:  # an empty array whose other dimensions overflow
            raise FrameError("a malformed array") from None
