"""A name that is not what the exercise asks for: a class instead of a function, the reverse, or nothing to call."""

from __future__ import annotations

from typing import Any

from .refusals import Unfit

Place = tuple[str, int] | None


def not_callable(names: dict[str, Any], name: str, place: Place) -> Unfit | None:
    """What to say where ``name`` cannot be called."""
    found = names[name]
    return None if callable(found) else Unfit("not-callable", name, type(found).__name__, *_words(place))


def wrong_kind(
    names: dict[str, Any], steps: list[Any], send: list[int], done: int, error: BaseException, place: Place
) -> Unfit | None:
    """What to say where the steps ended with ``error`` after ``done`` of them because of the kind of what they call.

    A class in the place of a function, whose result is sent, can do no more than make an instance. What is called
    like a class may be a function that makes one, so it is at fault only when that very call fails, or gives nothing
    to call.
    """
    at = next((at for at, (op, target, *_) in enumerate(steps) if op == "call" and isinstance(target, str)), None)
    if at is None or done < at or isinstance(error, (ValueError, MemoryError)) or not isinstance(error, Exception):
        return None
    name = steps[at][1]
    is_class = isinstance(names[name], type)
    if not any(step[0] == "apply" and step[1] == "ready" for step in steps):
        makes_instances = bool(send) and is_class and names[name].__new__ is object.__new__
        return Unfit("class", name, *_words(place)) if makes_instances else None
    bare = isinstance(error, Unfit) and error.reason == "no-forward"
    if not is_class and (bare or (done == at and isinstance(error, (TypeError, AttributeError, IndexError)))):
        return Unfit("function", name, *_words(place))
    return None


def _words(place: Place) -> tuple[str, ...]:
    return () if place is None else (place[0], str(place[1]))
