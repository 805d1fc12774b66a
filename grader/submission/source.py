"""Extracts facts from Python source by its syntax tree alone: no learner code is imported or run.

Only ``ast.parse`` is used. The child, which has limits, compiles: bytecode can grow exponentially with the source
(every ``finally`` is compiled twice), a syntax tree cannot.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.core.model import Notice, Part, Text
from grader.core.tables import table, text_of
from grader.core.text import EMPTY
from grader.submission import messages as say
from grader.submission.files import MAX_CODE, RawFile
from grader.submission.messages import Unusable, printable
from grader.submission.text import decode

_WIDTH = 80

#: Further limits for one submission: top-level names, and steps that the parser spends on f-strings. Before Python
#: 3.12, the parser searches for each field from the start of the string, so 256 kB of ``{a}`` take seconds. Later
#: parsers are linear, and counting would cost more than it saves, because their first tokenizers are quadratic.
MAX_NAMES = 10_000
MAX_FIELD_STEPS = 100_000_000
SLOW_FIELDS = sys.version_info < (3, 12)
#: Up to this many steps, an upper bound is accurate enough.
_CHEAP_FIELD_STEPS = 1_000_000
#: The parser needs quadratic time and memory for dotted names: gigabytes for one of 250 kB.
MAX_DOTS = 500


class OverBudget(Unusable):
    """The submission as a whole is too large; leaving one file out would not help."""


@dataclass(slots=True)
class ParseBudget:
    """Counts what is parsed of one submission (called ``name``), before it is parsed.

    ``most_old`` is the limit on the bytes of all its notebooks in formats before 4, None if there is none.
    """

    name: str
    most_old: int | None = None
    old: int = 0
    code: int = 0
    names: int = 0
    field_steps: int = 0

    def count_code(self, text: str) -> None:
        """Counts a piece of code that is about to be parsed. Raises OverBudget."""
        self.code += len(text)
        if self.code > MAX_CODE:
            raise OverBudget(self.name, say.TOO_MUCH_CODE.fill(limit=say.size(MAX_CODE)))
        if not SLOW_FIELDS:
            return
        at_most = len(text) * text.count("{")
        if at_most > _CHEAP_FIELD_STEPS:  # only now does it matter which strings the braces are in
            at_most = _field_steps(text, MAX_FIELD_STEPS - self.field_steps)
        self.field_steps += at_most
        if self.field_steps > MAX_FIELD_STEPS:
            raise OverBudget(self.name, say.TOO_MANY_FIELDS)

    def count_old(self, path: str, size: int) -> None:
        """Counts a notebook in a format before 4 of ``size`` bytes. Raises OverBudget."""
        self.old += size
        if self.most_old is not None and self.old > self.most_old:
            raise OverBudget(path, say.OLD_TOO_LARGE.fill(found=say.size(self.old), limit=say.size(self.most_old)))

    def count_names(self, count: int) -> None:
        """Counts top-level names. Raises OverBudget."""
        self.names += count
        if self.names > MAX_NAMES:
            raise OverBudget(self.name, say.TOO_MANY_NAMES.fill(limit=MAX_NAMES))


def _field_steps(text: str, most: int) -> int:
    """The sum of length times number of fields over all f-strings; stops counting above ``most``."""
    steps = 0
    with contextlib.suppress(tokenize.TokenError, SyntaxError):  # the parser will stop there, too
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and "f" in token.string.partition(token.string[-1])[0].lower():
                steps += len(token.string) * token.string.count("{")
                if steps > most:
                    break
    return steps


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Facts from the syntax tree of a file.

    ``parts`` are its pieces of code (one, or one per cell of a notebook); ``defines`` are its top-level names with line
    numbers; ``imports`` are the top-level packages it imports, and ``relative`` is the deepest level of a relative
    import. ``guarded`` are the names defined only under ``if __name__ == "__main__":``, ``futures`` are the features
    imported from ``__future__``, ``broken`` are the parts that could not be parsed, and ``notices`` are about what was
    read in another way than usual.
    """

    parts: tuple[Part, ...]
    defines: tuple[tuple[str, int], ...]
    imports: frozenset[str]
    relative: int
    guarded: tuple[tuple[str, int], ...] = ()
    futures: tuple[str, ...] = ()
    broken: tuple[Unusable, ...] = ()
    notices: tuple[Notice, ...] = ()


def scan(raw: RawFile, budget: ParseBudget) -> SourceFacts:
    """Reads a ``.py`` file. Raises Unusable, and OverBudget if the submission exceeds the limits of ``budget``."""
    text, notices = decode(raw.data, raw.path, say.PYTHON_SOURCE, python=True)
    if not text.strip() and not raw.path.endswith("__init__.py"):
        raise Unusable(raw.path, say.EMPTY_FILE)
    if text.lstrip().startswith("{") and '"nbformat"' in text:
        advice = say.RENAME_IT.fill(suffix=".ipynb")
        raise Unusable(
            raw.path, say.LOOKS_LIKE.fill(expected=say.PYTHON_SOURCE, what=say.A_JUPYTER_NOTEBOOK, advice=advice)
        )
    budget.count_code(text)
    return replace(combine([(Part(raw.path, text), parse(text, raw.path))], budget), notices=notices)


def combine(parsed: Sequence[tuple[Part, ast.Module]], budget: ParseBudget | None = None) -> SourceFacts:
    """The facts about parts that share one namespace. Of two definitions of a name, the later one counts."""
    defines: dict[str, int] = {}
    guarded: dict[str, int] = {}
    imports: set[str] = set()
    futures: set[str] = set()
    relative = 0
    for _, tree in parsed:
        for statement, runs in top_level(tree.body):
            names = defines if runs else guarded
            for name, line in bound_names(statement):
                names.pop(name, None)
                names[name] = line
        futures.update(alias.name for statement in future_imports(tree) for alias in statement.names)
        for module, level in _imports(tree):
            relative = max(relative, level)
            if not level:
                imports.add(module.partition(".")[0])
    if budget is not None:
        budget.count_names(len(defines))
    return SourceFacts(
        tuple(part for part, _ in parsed),
        tuple(defines.items()),
        frozenset(imports),
        relative,
        tuple((name, line) for name, line in guarded.items() if name not in defines),
        tuple(sorted(futures)),
    )


def future_imports(tree: ast.Module) -> list[ast.ImportFrom]:
    """The statements at top level that import from ``__future__``."""
    imports = (statement for statement in tree.body if isinstance(statement, ast.ImportFrom))
    return [statement for statement in imports if statement.module == "__future__"]


#: The characters of a dotted name, including line breaks within it.
_DOTTED = re.compile(r"[\s\\\w.]+")


def parse(text: str, where: str) -> ast.Module:
    """The syntax tree of ``text``. Raises Unusable with the parser's complaint, rewritten for people."""
    if any(found[0].count(".") >= MAX_DOTS for found in _DOTTED.finditer(text)):
        raise Unusable(where, say.GIVES_UP.fill(reason=f"a name with more than {MAX_DOTS} dots"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        raise Unusable(where, _complaint(error, text)) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        reason = printable(str(error) or type(error).__name__)
        raise Unusable(where, say.GIVES_UP.fill(reason=reason)) from None


def _complaint(error: SyntaxError, text: str) -> Text:
    lines = text.split("\n")
    number = min(max(error.lineno or 1, 1), len(lines))
    column = max(error.offset or 1, 1)
    line = lines[number - 1]
    hint = next((text_of(row) for row in table(__file__, "hints.yaml") if _applies(row, line, error.msg)), EMPTY)
    shown = printable(_around(line, column))
    source = say.QUOTED_LINE.fill(line=shown) if shown else EMPTY
    reason = printable(error.msg)
    return say.SYNTAX.fill(line=number, column=column, source=source, reason=reason, hint=hint)


def _applies(row: Mapping[str, Sequence[str]], line: str, message: str) -> bool:
    return line.startswith(tuple(row.get("starts", ()))) or any(words in message for words in row.get("when", ()))


def _around(line: str, column: int) -> str:
    """The part of a long line around a column."""
    if len(line) <= _WIDTH:
        return line.strip()
    start = max(0, min(column - 1 - _WIDTH // 2, len(line) - _WIDTH))
    end = start + _WIDTH
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


def top_level(body: Sequence[ast.AST]) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements at top level in order, also those inside ``if`` and ``try``, with whether importing runs them."""
    pending = [(node, True) for node in reversed(body)]
    while pending:
        node, runs = pending.pop()
        if isinstance(node, ast.stmt):
            yield node, runs
        nested: list[tuple[ast.AST, bool]] = []
        if isinstance(node, ast.If) and _is_main_guard(node.test):
            nested = [*((child, False) for child in node.body), *((child, runs) for child in node.orelse)]
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            fields = ("body", "handlers", "cases", "orelse", "finalbody")
            nested = [(child, runs) for field in fields for child in getattr(node, field, ())]
        pending += nested[::-1]


def bound_names(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    """The names that a definition or an assignment binds, with their lines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, statement.lineno
        case ast.Assign(targets=targets):
            yield from (found for target in targets for found in stored(target))
        case ast.AnnAssign(target=target, value=ast.expr()):
            yield from stored(target)


def stored(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that are assigned to in ``tree``, with their lines."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return ((node.id, node.lineno) for node in nodes if isinstance(node.ctx, ast.Store))


def imported_from(node: ast.ImportFrom, package: str) -> str:
    """The full name of what ``from … import`` imports from, in a module of ``package``."""
    names = package.split(".")
    above = names[: len(names) - node.level + 1] if node.level else []
    return ".".join([*filter(None, above), *filter(None, [node.module])])


def _is_main_guard(test: ast.expr) -> bool:
    """Whether a condition is ``__name__ == "__main__"``, so that its body does not run on import."""
    match test:
        case ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]):
            return True
        case ast.Compare(ast.Constant("__main__"), [ast.Eq()], [ast.Name("__name__")]):
            return True
    return False


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yields every imported module, also those inside functions, with the level of a relative import."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from ((alias.name, 0) for alias in node.names)
            case ast.ImportFrom():
                yield node.module or "", node.level
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="__import__" | "import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ) if not module.startswith("."):
                yield module, 0
