"""Exports of a gradebook or a course: one module per format, found by listing this folder.

Each module has

* ``ABOUT``, the first line of its docstring as a text: ``attncheck export --help`` shows it.
* ``ON_PAGE``, if it exports a gradebook: what the instructor's page of downloads says of it.
* ``SOURCE``: what it exports, ``gradebook`` or ``course``.
* ``OPTIONS``: the fields of ``ExportOptions`` that it uses; setting any other raises UsageError.
* ``write(source, options, out)``: writes ``source``, a ``results.Book`` or a ``model.Course``, to ``out``, as one file
  or as a folder. ``out.say`` shows a message to the instructor.

The name of a format is that of its module, with - for _. Learners' names, answers and messages may contain anything;
each module escapes them as its format requires.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import ModuleType

from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Course, Lang, Message
from grader.core.text import clean, name_list
from grader.instructor.export._pseudonyms import pseudonymized
from grader.instructor.export._target import ExportTarget

__all__ = ["ExportOptions", "ExportTarget", "export", "first_names", "format_module", "format_names"]


@dataclass(frozen=True, slots=True)
class ExportOptions:
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


#: The most names that a message lists; the rest are counted.
_MOST_NAMES = 30
#: Exports that also contain submissions that belong to nobody in the class.
_OF_EVERYBODY = frozenset({"json", "reports"})


@functools.cache
def format_names() -> tuple[str, ...]:
    """The names of all formats, without importing their modules."""
    found = (module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(sorted(name.replace("_", "-") for name in found))


def format_module(name: str) -> ModuleType:
    """The module of a format. Raises UsageError for an unknown name."""
    if name not in format_names():
        said = Message("There is no format “{name}”; available: {names}.")
        raise UsageError(said.fill(name=name, names=name_list(format_names())))
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def export(name: str, source: Book | Course, options: ExportOptions, out: ExportTarget) -> None:
    """Write the export ``name`` of ``source`` to ``out``. Raises UsageError for an option it does not use."""
    module = format_module(name)
    for field in dataclasses.fields(options):
        if field.name not in {"lang", "now", *module.OPTIONS} and getattr(options, field.name) != field.default:
            fitting = [other for other in format_names() if field.name in format_module(other).OPTIONS]
            said = Message("{field} cannot be used with {name}; it works with {fitting}.")
            raise UsageError(said.fill(field=flag(field.name), name=name, fitting=name_list(fitting)))
    if options.pseudonyms:
        assert isinstance(source, Book)
        source = pseudonymized(source)
    with out:
        module.write(source, options, out)
    if isinstance(source, Book) and name not in _OF_EVERYBODY and options.learner is None and not options.pseudonyms:
        _name_skipped(source, out)


def _name_skipped(source: Book, out: ExportTarget) -> None:
    """Report submissions that are not exported because they belong to nobody on the roster."""
    names = [f"{clean(mark.learner.id)} ({clean(mark.learner.name)})" for mark in source.unmatched()]
    if names:
        out.say(Message("Skipped, because they are not on the roster: {names}").fill(names=first_names(names)))


def first_names(names: Sequence[str]) -> str:
    """The first ``_MOST_NAMES`` of ``names``, and how many more there are."""
    more = f"; … (+{len(names) - _MOST_NAMES})" if len(names) > _MOST_NAMES else ""
    return "; ".join(names[:_MOST_NAMES]) + more


def flag(field: str) -> str:
    """The command-line option for a field of ``ExportOptions``."""
    return "-q" if field == "questions" else f"--{field.replace('_', '-')}"
