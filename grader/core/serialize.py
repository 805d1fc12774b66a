"""Converts frozen results to JSON data and back, without loss; the gradebook stores them this way.

Annotations determine the types: dataclasses become mappings, tuples become lists, enum members become their values.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar, cast

T = TypeVar("T")


def dump(value: Any) -> Any:
    """``value`` as JSON data; fields that have their default value are left out. Raises TypeError for other types."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is tuple or kind is list:
        return [dump(part) for part in value]
    if dataclasses.is_dataclass(kind):
        found = {}
        for name, default in _fields(kind):
            part = getattr(value, name)
            if part is not default and part != default:
                found[name] = part if type(part) in _AS_THEY_ARE else dump(part)
        return found
    if isinstance(value, enum.Enum):
        return value.value
    raise TypeError(f"{kind.__name__} cannot be serialized")


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


@functools.cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    """The names and defaults of a dataclass's fields."""
    return tuple((field.name, field.default) for field in dataclasses.fields(kind))


def load(kind: type[T], data: Any) -> T:
    """The inverse of ``dump``: a ``kind`` from its data. Raises ValueError if the data do not describe one."""
    try:
        made: T = _builder(cast("Hashable", kind))(data)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"not a {kind.__name__}: {error}") from error
    return made


@functools.cache
def _builder(kind: Any) -> Callable[[Any], Any]:
    """A function from JSON data to ``kind``; cached, because a class of students has millions of values."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        (other,) = (part for part in parts if part is not type(None))
        inner = _builder(other)
        return lambda data: None if data is None else inner(data)
    if origin is tuple and parts[1:] == (...,):
        each = _builder(parts[0])
        return lambda data: tuple([each(part) for part in _list(data)])
    if origin is tuple:
        row = [_builder(part) for part in parts]
        return lambda data: tuple([build(part) for build, part in zip(row, _list(data), strict=True)])
    if origin is typing.Literal:
        return functools.partial(_one_of, parts)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        fields = {name: _builder(hint) for name, hint in typing.get_type_hints(kind).items()}
        return functools.partial(_made, kind, fields)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind
    return functools.partial(_scalar, (int, float) if kind is float else kind, kind)


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError(f"{data!r} is not a list")
    return data


def _one_of(parts: tuple[Any, ...], data: Any) -> Any:
    if data not in parts:
        raise ValueError(f"{data!r} is not one of {parts}")
    return data


def _made(kind: type, fields: Mapping[str, Callable[[Any], Any]], data: Any) -> Any:
    if not isinstance(data, dict):
        raise TypeError(f"{data!r} is not a mapping")
    return kind(**{name: fields[name](part) for name, part in data.items()})


def _scalar(accepted: Any, kind: type, data: Any) -> Any:
    if not isinstance(data, accepted) or (isinstance(data, bool) and kind is not bool):
        raise TypeError(f"{data!r} is not a {kind.__name__}")
    return float(data) if kind is float else data
