"""Verdicts on programs that did not return a value: every observation except ``Returned``."""

from __future__ import annotations

import builtins
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
    said = verdict(failed, public=True).message or EMPTY
    text = Message("not graded: the course's own reference failed ({said})")
    return Verdict(Status.UNMARKED, text.fill(said=said))


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
        case Unreadable(reason, detail):
            text = _unreadable(reason, detail) if public else _HIDDEN.get(reason, FORM)
            return Verdict(Status.FAILED, text, final=reason in _FINAL)
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
    said = f": {seen.text}" if seen.text and (public or seen.during == "import") else ""
    when = Message("while the file was loaded, ") if seen.during == "import" else EMPTY
    if seen.type == "NotImplementedError":
        return _NOT_WRITTEN.fill(place=place)
    text = Message("{when}it raised {type}{said}{place}").fill(
        when=when, type=exception_name(seen, public), said=_one_line(said), place=place
    )
    if seen.type == "EOFError":
        return Message(
            "{when}it called input(){place}, but nobody can type while code is graded: remove input() and use the "
            "function's arguments instead"
        ).fill(when=when, place=place)
    if seen.during == "import" and "partially initialized module" in seen.text:
        own = PurePosixPath(seen.file or "").stem
        if f"partially initialized module '{own}'" in seen.text:
            return Message(
                "{text}. The file has the same name as the module it imports, so it imports itself: rename the "
                "file, or remove this import"
            ).fill(text=text)
        return Message(
            "{text}. These files import each other in a circle: move what both need into a third file, or import it "
            "inside the function that uses it"
        ).fill(text=text)
    if seen.type == "ModuleNotFoundError":
        hint = Message(
            "{text}. Only the files you submitted, NumPy, torch, the standard library and packages that the "
            "course allows are available here"
        )
        return hint.fill(text=text)
    if seen.out_of_memory:
        return Message("{text}. A submission may use about 1 GB").fill(text=text)
    return text


_AT = Message(" at {file}, line {line}")
_NOT_WRITTEN = Message("not written yet{place}")


def not_written(file: str, line: int) -> Text:
    """The message about a stub at this place."""
    return _NOT_WRITTEN.fill(place=_AT.fill(file=_one_line(file), line=line))


def is_not_written(message: Text | None) -> bool:
    """Whether ``message`` is about a stub, or about code that raised ``NotImplementedError``."""
    return message is not None and message.en.startswith(_NOT_WRITTEN.fill(place="").en)


def exception_name(seen: Raised, public: bool) -> str:
    """The name of the exception; in a hidden case, that of its nearest built-in base."""
    if public or seen.during == "import":
        return _one_line(seen.type)
    known = (name for name in (seen.type, *seen.bases) if name in _BUILT_IN)
    return next(known, "Exception")


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
_NOT_FOUND = Message("some parameters were not found; a public case says which")
TAMPERED = Message("the code wrote to the pipe reserved for results and was stopped")
FORBIDDEN = Message("the code called a library function that this exercise forbids")
_KINDS = {
    "class": Message(
        "{name} is a class{place}, but this exercise asks for a function that returns the result: def {name}(…)"
    ),
    "function": Message(
        "{name} is not a class{place}, and calling it does not return an object with forward(…); this exercise asks "
        "for a class: class {name}"
    ),
    "not-callable": Message(
        "{name} cannot be called{place}, because it is of type {what}; was the name reassigned after the definition?"
    ),
    "no-forward": Message("an object of type {what} has no method forward(…) or __call__(…)"),
}
#: Reasons that calling the exercise in another form would not change.
_FINAL = frozenset({"forbidden", *_KINDS})
#: Messages about results of a valid type but an invalid form.
_FORMS = {
    "nested": Message("the result is nested too deeply"),
    "integer": Message("the result contains an integer with hundreds of digits"),
    "keys": Message("the result is a dict whose keys are not all strings"),
    "entries": Message("the result has too many entries; expected an array"),
    "dimensions": Message("the result has more than eight dimensions"),
}
#: Sentences for hidden cases. They contain no words that the learner's code could choose.
_HIDDEN = {
    "projections": _NOT_FOUND,
    "projection-shape": _NOT_FOUND,
    "table": _NOT_FOUND,
    "layer": _NOT_FOUND,
    "undefined": Message("it is no longer defined once the file is loaded"),
    "type": Message("the result is not an array or a tensor"),
    "dtype": Message("the result has a data type that cannot be graded"),
    "protocol": TAMPERED,
    "state": Message("the step did not return (output, state)"),
    "forbidden": FORBIDDEN,
    "class": Message("it is a class, but this exercise asks for a function"),
    "function": Message("it is not a class, but this exercise asks for a class"),
    "not-callable": Message("it cannot be called"),
    "no-forward": Message("it has no method forward(…) or __call__(…)"),
    **_FORMS,
}


#: For each reason, the message for a public case and names for the parts of its detail. ``has``, always the last name,
#: gets all remaining parts; ``file`` and ``line`` are combined to ``place``.
_PUBLIC: dict[str, tuple[Text, tuple[str, ...]]] = {
    "projections": (
        Message("no projection was found for {roles}; looked for attributes such as {looked}; your class has {has}"),
        ("roles", "looked", "has"),
    ),
    "projection-shape": (
        Message("{role} (found as {path}) maps {seen}; expected (d_in, d_out) = {expected}"),
        ("role", "path", "seen", "expected"),
    ),
    "table": (
        Message("no table of shape {expected} was found among the parameters; your class has {has}"),
        ("expected", "has"),
    ),
    "layer": (Message("no linear layer {sizes} was found for {role}; your class has {has}"), ("role", "sizes", "has")),
    "undefined": (Message("{name} is no longer defined once the file is loaded"), ("name",)),
    "type": (Message("the result is of type {type}; expected an array or a tensor"), ("type",)),
    "dtype": (Message("the result has the data type {dtype}, which cannot be graded"), ("dtype",)),
    "tensor": (Message("the result is not an ordinary CPU tensor ({what})"), ("what",)),
    "protocol": (TAMPERED, ()),
    "state": (Message("the step returned {type}; expected (output, state)"), ("type",)),
    "forbidden": (Message("it called {name}{place}, which this exercise forbids"), ("name", "file", "line")),
    "class": (_KINDS["class"], ("name", "file", "line")),
    "function": (_KINDS["function"], ("name", "file", "line")),
    "not-callable": (_KINDS["not-callable"], ("name", "what", "file", "line")),
    "no-forward": (_KINDS["no-forward"], ("what",)),
    **{reason: (text, ()) for reason, text in _FORMS.items()},
}
_UNREADABLE = Message("the result cannot be read ({reason})")


def _unreadable(reason: str, detail: tuple[str, ...]) -> Text:
    text, names = _PUBLIC.get(reason, (_UNREADABLE, ()))
    given = dict(zip(names, (*detail, *([""] * len(names))), strict=False))
    values: dict[str, object] = {**given, "reason": reason, "place": _place(given.get("file"), given.get("line"))}
    values |= {name: given[name].replace(",", ", ") for name in ("roles", "looked") if name in given}
    if "has" in given:
        held = detail[len(names) - 1 :]
        values["has"] = name_list(held) if held else Message("none")
    return text.fill(**values)
