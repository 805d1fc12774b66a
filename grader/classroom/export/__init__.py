"""What a gradebook or a course becomes elsewhere: one file for each format, found by walking this folder.

A kind's module has

* ``ABOUT``: a sentence for ``attncheck export --help``.
* ``OF``: what it is made from, a ``gradebook`` or a ``course``.
* ``OPTIONS``: the fields of ``Options`` that mean something to it; the others are refused.
* ``write(source, options, out)``: makes it. ``source`` is a ``results.Book`` or a ``model.Course``. What is made goes
  to ``out``, as one file or as a folder of files, and so does what the instructor should know (``out.say``).

A format is named like its module, with - for _. Names, answers and messages of learners may hold anything: each kind
escapes them as its format demands.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from grader.classroom.export._pseudonyms import masked
from grader.classroom.export._target import Out
from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.core.text import clean

if TYPE_CHECKING:
    from datetime import datetime

    from grader.core.model import Course, Lang

__all__ = ["Options", "Out", "export", "kind", "names"]


@dataclass(frozen=True, slots=True)
class Options:
    """How an export is made. ``questions`` are ids; ``learner`` is one id of the gradebook.

    ``now`` decides whether what is due is over; None: it is what the clock says.
    """

    lang: Lang = "en"
    learner: str | None = None
    pseudonyms: bool = False
    checks: bool = False
    bom: bool = False
    template: Path | None = None
    column: str | None = None
    roster: Path | None = None
    questions: tuple[str, ...] = ()
    graded: bool = False
    seed_file: Path | None = None
    unsafe_no_sandbox: bool = False
    now: datetime | None = None


#: Named in one message; others are counted.
_MOST_NAMES = 30


@functools.cache
def names() -> tuple[str, ...]:
    """All formats, without importing any."""
    found = (module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(sorted(name.replace("_", "-") for name in found))


def kind(name: str) -> ModuleType:
    """The module of a format."""
    if name not in names():
        raise UsageError(f"There is no format “{name}”. There are: {', '.join(names())}.")
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def export(name: str, source: Book | Course, options: Options, out: Out) -> None:
    """Makes the export ``name`` of ``source``. Raises UsageError for what does not go together."""
    module = kind(name)
    for field in dataclasses.fields(options):
        if field.name not in {"lang", "now", *module.OPTIONS} and getattr(options, field.name) != field.default:
            fitting = [other for other in names() if field.name in kind(other).OPTIONS]
            raise UsageError(f"{flag(field.name)} means nothing to {name}; it goes with {', '.join(fitting)}.")
    if options.pseudonyms:
        assert isinstance(source, Book)
        source = masked(source)
    with out:
        module.write(source, options, out)
    if module.OF == "gradebook" and name != "json" and options.learner is None and not options.pseudonyms:
        _tell_left_out(source, out)


def _tell_left_out(source: Book | Course, out: Out) -> None:
    """Says whose work is in the gradebook, but in no export of the class."""

    assert isinstance(source, Book)
    names = [f"{clean(mark.learner.id)} ({clean(mark.learner.name)})" for mark in source.unmatched()]
    if names:
        more = f"; … (+{len(names) - _MOST_NAMES})" if len(names) > _MOST_NAMES else ""
        said = Text("Left out, because it is nobody's in the class: {names}", "不属于班上任何人的提交没有计入：{names}")
        out.say(said.fill(names="; ".join(names[:_MOST_NAMES]) + more))


def flag(field: str) -> str:
    """What a field of ``Options`` is called on the command line."""
    return "-q" if field == "questions" else f"--{field.replace('_', '-')}"
