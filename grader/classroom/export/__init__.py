"""Exports of a gradebook or a course: one module per format, found by listing this folder.

The module of a format has

* ``ABOUT``: the sentence that ``attncheck export --help`` shows.
* ``OF``: its source, ``gradebook`` or ``course``.
* ``OPTIONS``: the fields of ``Options`` that it uses; setting any other raises UsageError.
* ``write(source, options, out)``: writes ``source``, a ``results.Book`` or a ``model.Course``, to ``out``, as one file
  or as a folder of files. ``out.say`` tells the instructor what is worth knowing.

A format has the name of its module, with - for _. Learners' names, answers and messages may contain anything: each
module escapes them as its format requires.
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

from grader.classroom.export._pseudonyms import pseudonymized
from grader.classroom.export._target import ExportTarget
from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.core.text import clean

if TYPE_CHECKING:
    from datetime import datetime

    from grader.core.model import Course, Lang

__all__ = ["ExportTarget", "Options", "export", "kind", "names"]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an export. ``questions`` are ids; ``learner`` is an id in the gradebook.

    ``now`` is compared with due dates; None means the current time.
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


#: Exports that also contain what belongs to nobody in the class.
_OF_EVERYBODY = frozenset({"json", "reports"})
#: How many names one message lists; the rest are counted.
_MOST_NAMES = 30


@functools.cache
def names() -> tuple[str, ...]:
    """The names of all formats, without importing their modules."""
    found = (module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(sorted(name.replace("_", "-") for name in found))


def kind(name: str) -> ModuleType:
    """The module of a format. Raises UsageError if there is none of that name."""
    if name not in names():
        raise UsageError(f"There is no format “{name}”. There are: {', '.join(names())}.")
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def export(name: str, source: Book | Course, options: Options, out: ExportTarget) -> None:
    """Write the export ``name`` of ``source`` to ``out``. Raises UsageError for an option it does not use."""
    module = kind(name)
    for field in dataclasses.fields(options):
        if field.name not in {"lang", "now", *module.OPTIONS} and getattr(options, field.name) != field.default:
            fitting = [other for other in names() if field.name in kind(other).OPTIONS]
            raise UsageError(f"{flag(field.name)} cannot be used with {name}; it works with {', '.join(fitting)}.")
    if options.pseudonyms:
        assert isinstance(source, Book)
        source = pseudonymized(source)
    with out:
        module.write(source, options, out)
    if module.OF == "gradebook" and name not in _OF_EVERYBODY and options.learner is None and not options.pseudonyms:
        _name_skipped(source, out)


def _name_skipped(source: Book | Course, out: ExportTarget) -> None:
    """Name the submissions that are in the gradebook, but not on the roster and so in no export of the class."""
    assert isinstance(source, Book)
    names = [f"{clean(mark.learner.id)} ({clean(mark.learner.name)})" for mark in source.unmatched()]
    if names:
        more = f"; … (+{len(names) - _MOST_NAMES})" if len(names) > _MOST_NAMES else ""
        said = Text("Skipped, because they are not on the roster: {names}", "不属于班上任何人的提交没有计入：{names}")
        out.say(said.fill(names="; ".join(names[:_MOST_NAMES]) + more))


def flag(field: str) -> str:
    """The command-line option for a field of ``Options``."""
    return "-q" if field == "questions" else f"--{field.replace('_', '-')}"
