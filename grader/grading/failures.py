"""Verdicts on programs that did not return a value: every observation except ``Returned``."""

from __future__ import annotations

import builtins
from pathlib import PurePosixPath
from typing import Any, cast

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
from grader.core.tables import table, text_of
from grader.core.text import EMPTY, name_list


def failure_verdict(observations: tuple[Observation, ...], case: Case) -> Verdict | None:
    """The verdict on the first observation that is not ``Returned``; None if there is none."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    return verdict(failed, public=case.public) if failed else None


def reference_failure(observations: tuple[Observation, ...]) -> Verdict | None:
    """The verdict if the *reference* did not return, which is our error and costs the learner no points."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    text = Message("not graded: the course's own reference failed ({said})")
    return Verdict(Status.UNMARKED, text.fill(said=verdict(failed, public=True).message)) if failed else None


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
        case Unreadable():
            return _unreadable(observation, public)
        case NotRun(reason):
            return Verdict(Status.SKIPPED, text_of(_said()["not-run"][reason]))
        case Returned():
            raise ValueError("a program that returned has not failed")


def _place(file: str | None, line: str | None) -> Text:
    """File and line in parentheses; empty if they are not known."""
    place = Message(" ({file}, line {line})") if file and line else EMPTY
    return place.fill(file=_one_line(file or ""), line=line)


def _raised(seen: Raised, public: bool) -> Text:
    place = EMPTY if seen.file is None else _AT.fill(file=_one_line(seen.file), line=seen.line)
    # Nothing is known of the inputs while the file is loaded, so this text may always be shown.
    detail = f": {seen.text.removesuffix('.')}" if seen.text and (public or seen.during == "import") else ""
    when = Message("while the file was loaded, ") if seen.during == "import" else EMPTY
    if seen.type == "NotImplementedError":
        return _NOT_WRITTEN.fill(place=place)
    if seen.type == "EOFError":
        return text_of(_said()["advice"]["input"]).fill(when=when, place=place)
    text = Message("{when}it raised {type}{said}{place}").fill(
        when=when, type=exception_name(seen, public), said=_one_line(detail), place=place
    )
    advice = _advice(seen)
    return text if advice is None else text_of(_said()["advice"][advice]).fill(text=text)


def _advice(seen: Raised) -> str | None:
    """The name of what to do about an exception, for those whose usual cause is known."""
    if seen.during == "import" and "partially initialized module" in seen.text:
        own = PurePosixPath(seen.file or "").stem
        return "itself" if f"partially initialized module '{own}'" in seen.text else "circle"
    if seen.type == "ModuleNotFoundError":
        return "modules"
    return "memory" if seen.out_of_memory else None


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
    return text_of(_said()["timed-out"][clock]).fill(what=what, limit=limit)


def _died(seen: Died) -> Text:
    when = Message(" while the file was loaded") if seen.during == "import" else EMPTY
    if seen.signal is not None:
        row = _said()["signals"].get(seen.signal)
        why = text_of(row) if row else Text(f"signal {seen.signal}", f"信号 {seen.signal}")
        return Message("the program crashed{when}: {why}").fill(when=when, why=why)
    text = Message("the program exited{when} with exit code {code}")
    return text.fill(when=when, code=seen.code)


FORM = Message("the result does not have the required form")
FORBIDDEN = Message("the code called a library function that this exercise forbids")


def _unreadable(seen: Unreadable, public: bool) -> Verdict:
    """The verdict on a result that cannot be used. In a hidden case, it has no word that the code could choose."""
    rows = _said()["unreadable"]
    row = rows.get(seen.reason, rows["unknown"])
    if public:
        text = _with_detail(text_of(row["public"]), row.get("names", []), seen)
    elif seen.reason == "forbidden":
        text = FORBIDDEN
    else:
        text = text_of(row["hidden"]) if "hidden" in row else FORM
    return Verdict(Status.FAILED, text, final=row.get("final", False))


def _with_detail(text: Text, names: list[str], seen: Unreadable) -> Text:
    """``text`` with the parts of the detail, which have these ``names``, in their places."""
    given = dict.fromkeys(names, "") | dict(zip(names, seen.detail, strict=False))
    values: dict[str, object] = {**given, "reason": seen.reason, "place": _place(given.get("file"), given.get("line"))}
    values |= {name: given[name].replace(",", ", ") for name in ("roles", "looked") if name in given}
    if "has" in given:
        held = seen.detail[len(names) - 1 :]
        values["has"] = name_list(held) if held else Message("none")
    return text.fill(**values)


def _said() -> dict[str, Any]:
    return cast("dict[str, Any]", table(__file__, "failures.yaml"))
