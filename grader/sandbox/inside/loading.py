"""Executing a submission's source files, and letting them import each other, without a file system."""

from __future__ import annotations
import __future__

import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import CodeType, ModuleType, TracebackType
from typing import Any


@dataclass(slots=True)
class Source:
    """One file: its module name, and the parts (label, text) that are executed in order.

    ``futures`` are names in ``__future__``, which hold for all parts.
    """

    module: str
    parts: list[tuple[str, str]]
    is_package: bool
    futures: Sequence[str] = ()
    failures: list[BaseException] = field(default_factory=list)


class Library(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder and loader over sources in memory; each is executed once."""

    def __init__(self, sources: list[Source]) -> None:
        self.sources = {source.module: source for source in sources}
        self.labels = {label for source in sources for label, _ in source.parts}
        paths = [name.split(".") for name in self.sources]
        above = {".".join(path[:depth]) for path in paths for depth in range(1, len(path))}
        self._folders = above - set(self.sources)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for the submission's own modules (and the folders they stand in), None for others."""
        source = self.sources.get(fullname)
        if source is None and fullname not in self._folders:
            return None
        is_package = source is None or source.is_package
        return importlib.util.spec_from_loader(fullname, self, is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """The default module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Executes the parts in order.

        A plain file stops at its first exception, as Python does. In a notebook (several parts) a cell
        that fails is remembered and the next one runs, as it would for somebody who works with it.
        """
        source = self.sources.get(module.__name__)
        vars(module).update(get_ipython=_Quiet, display=_Quiet)
        flags = _flags(source.futures) if source else 0
        for label, text in source.parts if source else ():
            linecache.cache[label] = (len(text), None, text.splitlines(True), label)
            try:
                exec(compile(text, label, "exec", flags, dont_inherit=True), module.__dict__)
            except BaseException as error:
                if len(source.parts) == 1:  # type: ignore[union-attr]
                    raise
                source.failures.append(error)  # type: ignore[union-attr]

    def get_code(self, fullname: str) -> CodeType | None:
        """None: nothing is stored as code."""
        return None


def _flags(futures: Sequence[str]) -> int:
    """For the compiler; names that ``__future__`` does not have are its own to complain about."""
    flags = 0
    for name in futures:
        flags |= getattr(getattr(__future__, name, None), "compiler_flag", 0)
    return flags


class _Quiet:
    """Stands in for what only a notebook has (``get_ipython().run_line_magic(…)``, ``display(…)``): does nothing."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Takes anything."""

    def __getattr__(self, name: str) -> Any:
        return _Quiet


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of the learner's, as plain words."""

    type: str
    bases: tuple[str, ...]
    text: str
    file: str | None
    line: int | None

    @classmethod
    def of(cls, error: BaseException, labels: set[str]) -> Failure:
        """What ``error`` says, and the last line of the submission that it passed through."""
        kinds = type(error).__mro__
        try:
            text = str(error)[:600]
        except BaseException:
            text = ""
        file, line = _place(error.__traceback__, labels)
        if isinstance(error, SyntaxError) and error.filename in labels:
            file, line = error.filename, error.lineno
        names = tuple(kind.__name__ for kind in kinds if kind.__module__ == "builtins")
        return cls(kinds[0].__name__, names, text, file, line)


def _place(trace: TracebackType | None, labels: set[str]) -> tuple[str | None, int | None]:
    place: tuple[str | None, int | None] = (None, None)
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name in labels:
            place = (name, trace.tb_lineno)
        trace = trace.tb_next
    return place


def namespace(library: Library, module: str) -> dict[str, Any]:
    """The names of ``module``, which is executed if nobody imported it before."""
    return importlib.import_module(module).__dict__ if module not in sys.modules else sys.modules[module].__dict__
