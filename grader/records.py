"""Frozen results ↔ plain data, without loss: what a gradebook keeps of a report, in both languages.

The types are those of the annotations: dataclasses become mappings, tuples lists, words of an enumeration texts.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def plain(value: Any) -> Any:
    """``value`` as JSON can hold it; what says nothing (None, empty, a default) is left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {field.name: plain(part) for field, part in pairs if part != field.default}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} is not kept in records")


def build(kind: type[T], data: Any) -> T:
    """What ``plain`` made of a ``kind``. Raises ValueError for data that are not of it."""
    try:
        made: T = _build(kind, data)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a {kind.__name__}: {error}") from error
    return made


def _build(kind: Any, data: Any) -> Any:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if data is None and type(None) in parts:
            return None
        (other,) = (part for part in parts if part is not type(None))
        return _build(other, data)
    if origin is tuple:
        inner = parts[:1] * len(data) if parts[1:] == (...,) else parts
        return tuple(_build(part, each) for part, each in zip(inner, data, strict=True))
    if origin is typing.Literal:
        if data not in parts:
            raise ValueError(f"{data!r} is none of {parts}")
        return data
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        if not isinstance(data, Mapping):
            raise TypeError(f"{data!r} is no mapping")
        hints = _hints(kind)
        return kind(**{name: _build(hints[name], part) for name, part in data.items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(data)
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is no {kind.__name__}")
    return data


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)
