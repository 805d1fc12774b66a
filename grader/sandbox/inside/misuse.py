"""Recognises a name of the wrong kind: a class where a function was expected, the reverse, or nothing callable."""

from __future__ import annotations

from typing import Any

from .errors import InvalidResult

MaybeLocation = tuple[str, int] | None


def not_callable(names: dict[str, Any], name: str, place: MaybeLocation) -> InvalidResult | None:
    """The error if ``name`` cannot be called; else None."""
    found = names[name]
    return None if callable(found) else InvalidResult("not-callable", name, type(found).__name__, *_words(place))


def wrong_kind(
    names: dict[str, Any], steps: list[Any], send: list[int], done: int, error: BaseException, place: MaybeLocation
) -> InvalidResult | None:
    """The error if the steps ended with ``error`` after ``done`` steps because the called name is of the wrong kind.

    A class in place of a function can only return an instance. A function in place of a class may return a suitable
    object, so it is at fault only if that call itself fails, or if its result cannot be called.
    """
    at = next((at for at, (op, target, *_) in enumerate(steps) if op == "call" and isinstance(target, str)), None)
    if at is None or done < at or isinstance(error, (ValueError, MemoryError)) or not isinstance(error, Exception):
        return None
    name = steps[at][1]
    is_class = isinstance(names[name], type)
    if not any(step[0] == "apply" and step[1] == "ready" for step in steps):
        makes_instances = bool(send) and is_class and names[name].__new__ is object.__new__
        return InvalidResult("class", name, *_words(place)) if makes_instances else None
    bare = isinstance(error, InvalidResult) and error.reason == "no-forward"
    if not is_class and (bare or (done == at and isinstance(error, (TypeError, AttributeError, IndexError)))):
        return InvalidResult("function", name, *_words(place))
    return None


def _words(place: MaybeLocation) -> tuple[str, ...]:
    return () if place is None else (place[0], str(place[1]))
