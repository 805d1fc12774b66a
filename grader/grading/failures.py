"""Verdicts on programs that did not return a value: every observation except ``Returned``."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.core.model import (
    Case,
    Died,
    Message,
    NotRun,
    Observation,
    Raised,
    Returned,
    Status,
    Text,
    TimedOut,
    TooBig,
    Unreadable,
    Verdict,
)
from grader.core.text import EMPTY, name_list


def failure_verdict(observations: tuple[Observation, ...], case: Case) -> Verdict | None:
    """The verdict on the first observation that is not ``Returned``; None if there is none."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    return None if failed is None else verdict(failed, public=case.public)


def reference_failure(observations: tuple[Observation, ...]) -> Verdict | None:
    """The verdict if the *reference* did not return, which is our error and costs the learner no points."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    if failed is None:
        return None
    reason = verdict(failed, public=True).message or EMPTY
    text = Message("not graded: the course's own reference failed ({said})")
    return Verdict(Status.UNMARKED, text.fill(said=reason))


def verdict(observation: Observation, *, public: bool) -> Verdict:
    """The verdict on an observation that is not ``Returned``. Raises ValueError for ``Returned``.

    Words that the learner's code can choose (type and text of an exception, names) are shown for public cases only:
    they could reveal a hidden input.
    """
    match observation:
        case Raised(type=kind, during=during):
            final = during == "import" or kind == "NotImplementedError" or observation.out_of_memory
            return Verdict(Status.RAISED, _raised(observation, public), final=final)
        case TimedOut(limit, clock, during):
            return Verdict(Status.TIMED_OUT, _timed_out(limit, clock, during), final=True)
        case Died(during=during):
            return Verdict(Status.DIED, _died(observation), final=during == "import")
        case TooBig(limit):
            too_big = Message("the result is larger than {limit} MB")
            return Verdict(Status.FAILED, too_big.fill(limit=limit >> 20))
        case Unreadable(reason=reason):
            known = _REASONS.get(reason, _UNKNOWN)
            return Verdict(Status.FAILED, _unreadable(observation) if public else known.hidden, final=known.final)
        case NotRun(reason):
            return Verdict(Status.SKIPPED, _NOT_RUN[reason])
        case Returned():
            raise ValueError("a program that returned has not failed")


_NOT_RUN = {
    "budget": Message("not run: this submission has used up its time"),
    "group": Message("not run: earlier calls used up the time for this exercise"),
    "memory": Message("not run: earlier calls used up the memory"),
    "children": Message("not run: this submission crashed too many times"),
    "load": Message("not run: the file could not be loaded again after a crash"),
}


def _place(file: str | None, line: str | None) -> Text:
    """File and line in parentheses; empty if they are not known."""
    place = Message(" ({file}, line {line})") if file and line else EMPTY
    return place.fill(file=_one_line(file or ""), line=line)


def _raised(seen: Raised, public: bool) -> Text:
    place = EMPTY if seen.file is None else _AT.fill(file=_one_line(seen.file), line=seen.line)
    # Nothing is known of the inputs while the file is loaded, so this text may always be shown.
    detail = f": {seen.text}" if seen.text and (public or seen.during == "import") else ""
    when = Message("while the file was loaded, ") if seen.during == "import" else EMPTY
    if seen.type == "NotImplementedError":
        return _NOT_WRITTEN.fill(place=place)
    if seen.type == "EOFError":
        return Message(
            "{when}it called input(){place}, but nobody can type while code is graded: remove input() and use the "
            "function's arguments instead"
        ).fill(when=when, place=place)
    text = Message("{when}it raised {type}{said}{place}").fill(
        when=when, type=exception_name(seen, public), said=_one_line(detail), place=place
    )
    advice = _advice(seen)
    return text if advice is None else advice.fill(text=text)


def _advice(seen: Raised) -> Text | None:
    """The ``text`` about an exception with what to do, for those whose usual cause is known."""
    if seen.during == "import" and "partially initialized module" in seen.text:
        own = PurePosixPath(seen.file or "").stem
        if f"partially initialized module '{own}'" in seen.text:
            return Message(
                "{text}. The file has the same name as the module it imports, so it imports itself: rename the "
                "file, or remove this import"
            )
        return Message(
            "{text}. These files import each other in a circle: move what both need into a third file, or import it "
            "inside the function that uses it"
        )
    if seen.type == "ModuleNotFoundError":
        return Message(
            "{text}. Only the files you submitted, NumPy, torch, the standard library and packages that the "
            "course allows are available here"
        )
    return Message("{text}. A submission may use about 1 GB") if seen.out_of_memory else None


_AT = Message(" at {file}, line {line}")
_NOT_WRITTEN = Message("not written yet{place}")
_NEEDS = Message("not written yet: code that it needs,{place}")


def not_written(file: str, line: int | None, *, needed: bool = False) -> Text:
    """The message about a stub at this place; if it is ``needed``, about an exercise that is written and needs it."""
    return (_NEEDS if needed else _NOT_WRITTEN).fill(place=_AT.fill(file=_one_line(file), line=line))


def is_not_written(message: Text | None) -> bool:
    """Whether ``message`` is about a stub, or about code that raised ``NotImplementedError``."""
    return message is not None and message.en.startswith(_NOT_WRITTEN.fill(place="").en)


def exception_name(seen: Raised, public: bool) -> str:
    """The name of the exception; in a hidden case, that of its nearest built-in base."""
    if public or seen.during == "import":
        return _one_line(seen.type)
    built_in = (name for name in (seen.type, *seen.bases) if name in _BUILT_IN)
    return next(built_in, "Exception")


_BUILT_IN = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)


def _one_line(text: str) -> str:
    """A learner's text on one line. Use it as a value for ``fill``, never as a template."""
    return text.replace("\n", " ")


def _timed_out(limit: float, clock: str, during: str) -> Text:
    what = Message("loading the file") if during == "import" else Message("it")
    if clock == "cpu":
        text = Message("{what} used more than {limit:g} s of CPU time and was stopped: is there an infinite loop?")
    else:
        text = Message("{what} took more than {limit:g} s and was stopped: is the code waiting for something?")
    return text.fill(what=what, limit=limit)


_SIGNALS = {
    11: Message("segmentation fault"),
    6: Message("abort"),
    9: Message("memory or time limit exceeded"),
    24: Message("CPU time limit exceeded"),
    8: Message("arithmetic error"),
    31: Message("forbidden system call"),
}


def _died(seen: Died) -> Text:
    when = Message(" while the file was loaded") if seen.during == "import" else EMPTY
    if seen.signal is not None:
        why = _SIGNALS.get(seen.signal, Text(f"signal {seen.signal}", f"信号 {seen.signal}"))
        return Message("the program crashed{when}: {why}").fill(when=when, why=why)
    text = Message("the program exited{when} with exit code {code}")
    return text.fill(when=when, code=seen.code)


FORM = Message("the result does not have the required form")
TAMPERED = Message("the code wrote to the pipe reserved for results and was stopped")
FORBIDDEN = Message("the code called a library function that this exercise forbids")
_NOT_FOUND = Message("some parameters were not found; a public case says which")


@dataclass(frozen=True, slots=True)
class _Reason:
    """What is said of a result that cannot be used.

    ``public`` has places for the parts of the detail, by their ``names``. ``has``, always the last one, gets all
    remaining parts; ``file`` and ``line`` are combined to ``place``. ``hidden`` has no word that the learner's code
    could choose. If it is ``final``, calling the exercise in another form would not change it.
    """

    public: Text
    names: str = ""
    hidden: Text = FORM
    final: bool = False


def _fixed(text: Text) -> _Reason:
    """A reason that says the same for public and hidden cases."""
    return _Reason(text, hidden=text)


_UNKNOWN = _Reason(Message("the result cannot be read ({reason})"))
_REASONS = {
    # parameters that the grader looks for
    "projections": _Reason(
        Message("no projection was found for {roles}; looked for attributes such as {looked}; your class has {has}"),
        "roles looked has",
        _NOT_FOUND,
    ),
    "projection-shape": _Reason(
        Message("{role} (found as {path}) maps {seen}; expected (d_in, d_out) = {expected}"),
        "role path seen expected",
        _NOT_FOUND,
    ),
    "table": _Reason(
        Message("no table of shape {expected} was found among the parameters; your class has {has}"),
        "expected has",
        _NOT_FOUND,
    ),
    "layer": _Reason(
        Message("no linear layer {sizes} was found for {role}; your class has {has}"), "role sizes has", _NOT_FOUND
    ),
    # what is called
    "undefined": _Reason(
        Message("{name} is no longer defined once the file is loaded"),
        "name",
        Message("it is no longer defined once the file is loaded"),
    ),
    "forbidden": _Reason(
        Message("it called {name}{place}, which this exercise forbids"), "name file line", FORBIDDEN, final=True
    ),
    "class": _Reason(
        Message(
            "{name} is a class{place}, but this exercise asks for a function that returns the result: def {name}(…)"
        ),
        "name file line",
        Message("it is a class, but this exercise asks for a function"),
        final=True,
    ),
    "function": _Reason(
        Message(
            "{name} is not a class{place}, and calling it does not return an object with forward(…); this exercise "
            "asks for a class: class {name}"
        ),
        "name file line",
        Message("it is not a class, but this exercise asks for a class"),
        final=True,
    ),
    "not-callable": _Reason(
        Message(
            "{name} cannot be called{place}, because it is of type {what}; was the name reassigned after the "
            "definition?"
        ),
        "name what file line",
        Message("it cannot be called"),
        final=True,
    ),
    "no-forward": _Reason(
        Message("an object of type {what} has no method forward(…) or __call__(…)"),
        "what",
        Message("it has no method forward(…) or __call__(…)"),
        final=True,
    ),
    # what it returns
    "type": _Reason(
        Message("the result is of type {type}; expected an array or a tensor"),
        "type",
        Message("the result is not an array or a tensor"),
    ),
    "dtype": _Reason(
        Message("the result has the data type {dtype}, which cannot be graded"),
        "dtype",
        Message("the result has a data type that cannot be graded"),
    ),
    "tensor": _Reason(Message("the result is not an ordinary CPU tensor ({what})"), "what"),
    "state": _Reason(
        Message("the step returned {type}; expected (output, state)"),
        "type",
        Message("the step did not return (output, state)"),
    ),
    "protocol": _fixed(TAMPERED),
    "nested": _fixed(Message("the result is nested too deeply")),
    "integer": _fixed(Message("the result contains an integer with hundreds of digits")),
    "keys": _fixed(Message("the result is a dict whose keys are not all strings")),
    "entries": _fixed(Message("the result has too many entries; expected an array")),
    "dimensions": _fixed(Message("the result has more than eight dimensions")),
}


def _unreadable(seen: Unreadable) -> Text:
    """What a public case says about a result that cannot be used."""
    reason = _REASONS.get(seen.reason, _UNKNOWN)
    names, detail = reason.names.split(), seen.detail
    given = dict.fromkeys(names, "") | dict(zip(names, detail, strict=False))
    values: dict[str, object] = {**given, "reason": seen.reason, "place": _place(given.get("file"), given.get("line"))}
    values |= {name: given[name].replace(",", ", ") for name in ("roles", "looked") if name in given}
    if "has" in given:
        held = detail[len(names) - 1 :]
        values["has"] = name_list(held) if held else Message("none")
    return reason.public.fill(**values)
