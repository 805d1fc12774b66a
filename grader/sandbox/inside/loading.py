"""Executes a submission's source files, which can import each other, without a file system.

If a module is not available, only code that uses it fails: the top-level statement that imports it is skipped, and a
placeholder (``NotAvailable``) is bound to each of its names.
"""

from __future__ import annotations
import __future__

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, ModuleType, TracebackType
from typing import Any

from .instrument import PROBE, Probes
from .probing import ProbeRecorder


@dataclass(slots=True)
class SourceModule:
    """One file: its module name, and the parts (label, text) that are executed in order.

    ``futures`` are names in ``__future__`` that apply to all parts.
    """

    module: str
    parts: list[tuple[str, str]]
    is_package: bool
    futures: Sequence[str] = ()
    failures: list[BaseException] = field(default_factory=list)


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder and loader for sources in memory. Each is executed once."""

    def __init__(self, sources: list[SourceModule], probes: Probes | None = None) -> None:
        """With ``probes``, functions are instrumented; see ``instrument``."""
        self.recorder = None if probes is None else ProbeRecorder(probes)
        self.sources = {source.module: source for source in sources}
        self.labels = {label for source in sources for label, _ in source.parts}
        self.absent: dict[str, Location] = {}
        self._defined: dict[tuple[str, str], Location] = {}
        paths = [name.split(".") for name in self.sources]
        above = {".".join(path[:depth]) for path in paths for depth in range(1, len(path))}
        self._folders = above - set(self.sources)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for the submission's own modules and the folders that contain them; None for others."""
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

        A plain file stops at its first exception, as in Python. In a notebook (several parts), a cell that fails is
        recorded and the next one runs, as it would for its author. In both, a statement that needs a module that is
        not available is skipped; see ``_skip``.
        """
        source = self.sources.get(module.__name__)
        vars(module).update(get_ipython=_Quiet, display=_Quiet)
        if self.recorder is not None:
            vars(module)[PROBE] = self.recorder.probe
        flags = _flags(source.futures) if source else 0
        if source and len(source.parts) == 1 and source.parts[0][0].endswith(".py"):
            # Python distinguishes a circular import from a missing name only if the module has a file.
            module.__file__ = source.parts[0][0]
        for label, text in source.parts if source else ():
            linecache.cache[label] = (len(text), None, text.splitlines(True), label)
            try:
                for statement in _statements(text, label):
                    if self.recorder is not None:
                        statement = self.recorder.probes.instrument(statement, label, text)
                    code = compile(ast.Module([statement], []), label, "exec", flags, dont_inherit=True)
                    flags |= code.co_flags & _ANNOTATIONS  # for the whole notebook, too
                    if not self._executed(code, module, statement, label):
                        flags |= _ANNOTATIONS  # they may use a name that is not available
            except BaseException as error:
                if len(source.parts) == 1:  # type: ignore[union-attr]
                    raise
                source.failures.append(error)  # type: ignore[union-attr]

    def _executed(self, code: CodeType, module: ModuleType, statement: ast.stmt, label: str) -> bool:
        """Executes one statement. False if a module that it needs is not available."""
        names, place = vars(module), (label, statement.lineno)
        before = {name: names.get(name) for name in _bound(statement)}
        self._defined |= {(module.__name__, name): place for name in before}
        try:
            exec(code, names)
        except ModuleNotFoundError as error:
            if not error.name:
                raise
            self._skip(error.name, place, names, before)
            return False
        return True

    def _skip(self, absent: str, place: Location, names: dict[str, Any], before: dict[str, Any]) -> None:
        """Binds a placeholder to every name that the statement should have bound but did not."""
        known = self.absent.setdefault(absent, place)
        for name, value in before.items():
            if names.get(name) is value:
                names[name] = NotAvailable(absent, *known)

    def defined(self, module: str, name: str) -> Location | None:
        """Where the top level of ``module`` last bound ``name``; None if it did not."""
        return self._defined.get((module, name))

    def get_code(self, fullname: str) -> CodeType | None:
        """None: no code objects are stored."""
        return None


def _flags(futures: Sequence[str]) -> int:
    """Compiler flags for names in ``__future__``. Unknown names are ignored; the compiler will report them."""
    flags = 0
    for name in futures:
        flags |= getattr(getattr(__future__, name, None), "compiler_flag", 0)
    return flags


#: A file's label, and a line in it.
Location = tuple[str, int]

#: Leaves annotations unevaluated.
_ANNOTATIONS = __future__.annotations.compiler_flag


def _statements(text: str, label: str) -> Iterator[ast.stmt]:
    """The top-level statements. An import of several modules becomes one statement for each."""
    for at, statement in enumerate(ast.parse(text, label).body):
        if isinstance(statement, ast.Import):
            yield from (ast.copy_location(ast.Import([alias]), statement) for alias in statement.names)
        elif not (at and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield statement  # constants are left out: compiled alone, one would become the module's docstring


_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in its own scope."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        match node := waiting.pop():
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Import() | ast.ImportFrom():
                names = (alias.asname or alias.name.partition(".")[0] for alias in node.names)
                yield from (name for name in names if name != "*")
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case _ if not isinstance(node, _SCOPES):
                waiting += ast.iter_child_nodes(node)


def _refuse(self: Any, *args: object, **kwargs: object) -> Any:
    raise ModuleNotFoundError(object.__getattribute__(self, "said"), name=object.__getattribute__(self, "module"))


class NotAvailable:
    """A placeholder for a name from a module that is not available. It can be passed around; using it raises."""

    __slots__ = ("module", "said")

    def __init__(self, module: str, file: str, line: int) -> None:
        """``file`` and ``line`` say where the module was imported."""
        object.__setattr__(self, "module", module)
        object.__setattr__(self, "said", f"{module} is not available here (imported in {file}, line {line})")

    def __getattribute__(self, name: str) -> Any:
        """Raises, except for the special methods of any object."""
        if name.startswith("__") and name.endswith("__"):
            return object.__getattribute__(self, name)
        return _refuse(self)


_OPERATORS = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "or", "xor"),
)
_USES = (
    *("call", "getitem", "setitem", "delitem", "setattr", "delattr", "contains", "len", "iter", "next"),
    *("enter", "exit"),
    *("float", "int", "index", "complex", "neg", "pos", "abs", "invert", "lt", "le", "gt", "ge"),
    *("mro_entries", "instancecheck", "subclasscheck", "array"),
)
for _name in (*_USES, *_OPERATORS, *(f"r{name}" for name in _OPERATORS)):
    setattr(NotAvailable, f"__{_name}__", _refuse)
NotAvailable.__bool__ = lambda self: True  # type: ignore[attr-defined]


class _Quiet:
    """Stands in for functions that only notebooks have (``get_ipython``, ``display``); does nothing."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Accepts any arguments."""

    def __getattr__(self, name: str) -> Any:
        return _Quiet


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception in learner code, as plain data."""

    type: str
    bases: tuple[str, ...]
    text: str
    file: str | None
    line: int | None

    @classmethod
    def of(cls, error: BaseException, labels: set[str]) -> Failure:
        """``error`` with its text and the last line of the submission in its traceback."""
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


def namespace(module: str) -> dict[str, Any]:
    """The names of ``module``, which is executed unless it was imported before."""
    return importlib.import_module(module).__dict__ if module not in sys.modules else sys.modules[module].__dict__
