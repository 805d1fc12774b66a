"""Converts frozen dataclasses to JSON data: ``dump`` and ``load`` for gradebooks, ``to_json`` for ``--json``.

``dump`` loses nothing, and ``load`` is its inverse; annotations determine the types. ``to_json`` is for readers of
one language. In both, dataclasses become mappings, tuples become lists, enum members become their values.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from grader.core.marks import plain
from grader.core.model import Lang, Text
from grader.core.text import clean, cleaned

T = TypeVar("T")


class Unrounded(float):
    """A number that ``to_json`` writes as it is: 2.0 remains 2.0."""


@dataclass(frozen=True, slots=True)
class Written:
    """In ``Annotated[kind, Written(function)]``: ``to_json`` writes what ``function`` makes of the value."""

    function: Callable[[Any], Any]


#: A name or a message of a learner, made safe to show.
Shown: TypeAlias = Annotated[str, Written(clean)]
#: A text that quotes learners, with its lines.
ShownText: TypeAlias = Annotated[Text, Written(functools.partial(cleaned, limit=2000, lines=True))]


def to_json(value: Any, lang: Lang = "en", hint: Any = None) -> Any:
    """``value`` as the JSON data that a command writes: texts in ``lang``, every field of a dataclass in its order.

    ``hint`` is the type that ``value`` is declared with, whose ``Written`` apply. A field that would have the name of a
    keyword of Python ends in ``_``, which is left out. Numbers are rounded; see ``number``. Raises TypeError for
    values of other types.
    """
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return to_json(parts[1].function(value), lang)
    if value is None:
        return None
    if origin in (typing.Union, types.UnionType):
        return to_json(value, lang, next(part for part in parts if part is not type(None)))
    if type(value) in (str, int, bool, Unrounded):
        return value
    if isinstance(value, Text):
        return plain(value.of(lang))
    if dataclasses.is_dataclass(value):
        fields = _hints(cast("Hashable", type(value))).items()
        return {name.removesuffix("_"): to_json(getattr(value, name), lang, part) for name, part in fields}
    inner = next((part for part in reversed(parts) if part is not ...), None)
    if isinstance(value, Mapping):
        return {name: to_json(part, lang, inner) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(part, lang, inner) for part in value]
    return _scalar_as_json(value)


def picked(value: object, *names: str) -> dict[str, Any]:
    """The attributes ``names`` of ``value``, in this order, as ``to_json`` has them."""
    return {name: to_json(getattr(value, name)) for name in names}


def _scalar_as_json(value: Any) -> Any:
    match value:
        case enum.Enum():
            return value.value
        case float():
            return number(value)
        case datetime():
            return value.isoformat()
        case Path():
            return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


@functools.cache
def _hints(kind: Any) -> Mapping[str, Any]:
    """The declared types of a dataclass's fields, in order."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def number(value: float) -> int | float:
    """``value`` with at most six decimals; an int if it is whole."""
    rounded = round(float(value), 6)
    return int(rounded) if rounded.is_integer() else rounded


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
        raise ValueError(f"not a {getattr(kind, '__name__', kind)}: {error}") from error  # a union has no name
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
