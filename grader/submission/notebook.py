"""Converts a Jupyter notebook to Python: its code cells in order, without IPython syntax."""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import replace
from typing import Any

from grader.core.model import Notice, Part, Text
from grader.core.tables import texts
from grader.submission import messages as say
from grader.submission.files import MAX_SOURCE, RawFile, too_large
from grader.submission.messages import Unusable, listing, printable
from grader.submission.source import ParseBudget, SourceFacts, combine, future_imports, parse
from grader.submission.text import decode

MAX_CELLS = 2000
#: The most brackets in the JSON; each may become an object of a few hundred bytes.
MAX_BRACKETS = 1_000_000
_SHOWN = 40

#: Cell magics that leave the rest of the cell ordinary Python.
_AROUND_PYTHON = frozenset({"time", "timeit", "capture", "prun", "check"})
#: A line (without indentation, at the start of a statement) that only IPython understands.
_MAGIC = re.compile(
    r"""[%!?]                                     # %magic, !command, ?help
      | [\w.,\[\] *]+ = \s* [!%]                  # x = !command, x = %magic
      | [\w.*\[\]]+ \?{1,2} \s* $                 # help?
      | (?: pip3? | conda | mamba ) \s+ (?: install | uninstall | list | show ) \b""",
    re.VERBOSE,
)
#: The tokens that decide where statements start. An unfinished string ends with its line, so matching is linear.
_TOKEN = re.compile(
    r"""(?P<long>\"{3}|'{3})
      | (?P<skip>"(?:\\.|[^"\\])*(?:"|\\?$) | '(?:\\.|[^'\\])*(?:'|\\?$) | \#.*)
      | (?P<opening>[(\[{]) | (?P<closing>[)\]}]) | (?P<joined>\\$)""",
    re.VERBOSE,
)
_LONG_ENDS = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}") for quote in ('"""', "'''")}


#: The version of an older format. In a string of JSON, the quotes would have backslashes.
_OLD = re.compile(rb'"nbformat"\s*:\s*[123]\b')


def looks_old(raw: RawFile) -> bool:
    """Whether an ``.ipynb`` file says that it is in a format before 4; quick, and sure only once it is parsed."""
    return _OLD.search(raw.data) is not None


def scan(raw: RawFile, budget: ParseBudget) -> SourceFacts:
    """Reads an ``.ipynb`` file; cells that are not Python are left out with a notice.

    Raises Unusable, and OverBudget if the submission exceeds the limits of ``budget``.
    """
    cells, encoding = _code_cells(raw, budget)
    parsed: list[tuple[Part, ast.Module]] = []
    broken: list[Unusable] = []
    lines: list[Text] = []
    whole: list[Text] = []
    for number, text in enumerate(cells, 1):
        if not text.strip():
            continue
        budget.count_code(text)
        label = f"{raw.path} cell {number}"
        try:
            tree, text, dropped = parse_cell(text, label)
        except ForeignCell as magic:
            whole.append(say.WHOLE_CELL.fill(cell=number, text=str(magic)))
        except Unusable as problem:
            broken.append(problem)
        else:
            parsed.append((Part(label, without_future_imports(text, tree)), tree))
            lines += [say.MAGIC.fill(cell=number, line=line, text=what) for line, what in dropped]
    if not parsed:
        raise broken[0] if broken else Unusable(raw.path, say.NO_CODE_CELLS)
    notices: list[Notice] = []
    if whole:
        notices.append(Notice(raw.path, say.WHOLE_CELLS.fill(cells=listing(whole))))
    if lines:
        notices.append(Notice(raw.path, say.MAGICS.fill(lines=listing(lines))))
    return replace(combine(parsed, budget), broken=tuple(broken), notices=(*notices, *encoding))


def sources(raw: RawFile) -> list[str]:
    """The sources of the code cells in order, blank ones included. Raises Unusable."""
    return _code_cells(raw, ParseBudget(raw.path))[0]


def without_future_imports(text: str, tree: ast.Module) -> str:
    """``text`` with ``pass`` in place of each top-level import from ``__future__``; line numbers stay the same.

    In a notebook these imports may be in any cell and apply to all of them. ``tree`` is the syntax tree of ``text``.
    """
    lines = text.split("\n")
    for statement in reversed(future_imports(tree)):
        first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
        before = lines[first].encode()[: statement.col_offset].decode()
        after = lines[last].encode()[statement.end_col_offset :].decode()
        # ``pass`` goes where the statement ended, so that the code after it keeps its line.
        lines[first : last + 1] = [f"{before}pass{after}", *[""] * (last - first)]
    return "\n".join(lines)


class ForeignCell(Exception):
    """The cell starts with a cell magic that makes it something other than Python; holds that line."""


def _code_cells(raw: RawFile, budget: ParseBudget) -> tuple[list[str], tuple[Notice, ...]]:
    """The sources of the code cells in order, blank ones included, and notices about the encoding."""
    notebook, notices = _loaded(raw, budget)
    if (language := _language(notebook)) is not None:
        raise Unusable(raw.path, say.OTHER_LANGUAGE.fill(language=printable(language, _SHOWN)))
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise _malformed(raw, "no-cells")
    sources = [_source(raw, number, cell) for number, cell in enumerate(cells, 1) if not _is_prose(cell)]
    if len(sources) > MAX_CELLS:
        raise Unusable(raw.path, say.TOO_MANY_CELLS.fill(limit=MAX_CELLS))
    total = sum(map(len, sources))
    if total > MAX_SOURCE:
        raise Unusable(raw.path, too_large("cells", total, MAX_SOURCE))
    return sources, notices


def _is_prose(cell: Any) -> bool:
    return isinstance(cell, dict) and cell.get("cell_type") != "code"


def _source(raw: RawFile, number: int, cell: Any) -> str:
    """The source of a code cell, with ``\\n`` line ends. Raises Unusable if it has none."""
    source = cell.get("source") if isinstance(cell, dict) else None
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise _malformed(raw, "odd-cell", number=number)
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _loaded(raw: RawFile, budget: ParseBudget) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    """The notebook in format 4, and notices about the encoding. Raises Unusable."""
    text, notices = decode(raw.data, raw.path, say.A_JUPYTER_NOTEBOOK)
    if not text.strip():
        raise Unusable(raw.path, say.EMPTY_FILE)
    if text.count("{") + text.count("[") > MAX_BRACKETS:
        raise Unusable(raw.path, say.TOO_INTRICATE.fill(limit=MAX_BRACKETS))
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unusable(raw.path, say.NOT_JSON.fill(line=error.lineno, reason=error.msg)) from None
    except (RecursionError, ValueError, MemoryError) as error:
        raise Unusable(raw.path, say.NOT_JSON.fill(line=1, reason=printable(str(error)))) from None
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if type(version) is not int or version < 1:
        raise _malformed(raw, "no-version")
    if version > 4:
        raise _malformed(raw, "newer", version=version)
    if version == 4:
        return notebook, notices
    budget.count_old(raw.path, len(raw.data))
    return _upgraded(raw, text), notices


def _malformed(raw: RawFile, problem: str, **values: object) -> Unusable:
    text = texts(__file__, "notebook.yaml")[problem].fill(**values)
    return Unusable(raw.path, say.NOT_A_NOTEBOOK.fill(reason=text))


def _upgraded(raw: RawFile, text: str) -> dict[str, Any]:
    """A notebook of an older format, converted to format 4."""
    import nbformat  # 0.15 s, and old formats are rare

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            upgraded: dict[str, Any] = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
            return upgraded
    except Exception as error:  # malformed notebooks raise all kinds of errors here
        reason = printable(f"{type(error).__name__}: {error}", 120)
        raise _malformed(raw, "conversion", reason=reason) from None


def _language(notebook: dict[str, Any]) -> str | None:
    """The language of the notebook, or None if it is Python or not given."""
    metadata = notebook.get("metadata")
    for section, key in (("kernelspec", "language"), ("language_info", "name")):
        about = metadata.get(section) if isinstance(metadata, dict) else None
        language = about.get(key) if isinstance(about, dict) else None
        if isinstance(language, str) and language:
            return None if language.lower().startswith(("python", "ipython")) else language
    return None


def parse_cell(text: str, label: str) -> tuple[ast.Module, str, list[tuple[int, str]]]:
    """The tree of a cell, the text parsed, and the (line, text) pairs removed from it."""
    try:
        return parse(text, label), text, []
    except Unusable:
        kept, dropped = _without_magics(text.split("\n"))
        if not dropped:
            raise
    text = "\n".join(kept)
    return parse(text, label), text, dropped


def _without_magics(lines: list[str]) -> tuple[list[str], list[tuple[int, str]]]:
    """The lines with IPython syntax replaced, so that the others keep their numbers; and what was replaced."""
    kept: list[str] = []
    dropped: list[tuple[int, str]] = []
    quote, depth, joined = "", 0, False
    leading, in_magic = True, False
    for number, line in enumerate(lines, 1):
        code = line.lstrip()
        if in_magic:
            kept.append("")
            in_magic = line.endswith("\\")
        elif leading and code.startswith("%%"):
            if (name := re.match(r"%%(\w*)", code)) and name[1] not in _AROUND_PYTHON:
                raise ForeignCell(printable(code.strip(), _SHOWN))
            kept.append("")
            dropped.append((number, printable(code.strip(), _SHOWN)))
        elif not (quote or depth or joined) and _MAGIC.match(code):
            kept.append(line[: len(line) - len(code)] + "pass")
            dropped.append((number, printable(code.strip(), _SHOWN)))
            in_magic, leading = line.endswith("\\"), False
        else:
            kept.append(line)
            quote, depth, joined = _state_after(line, quote, depth)
            leading = leading and not code
    return kept, dropped


def _state_after(line: str, quote: str, depth: int) -> tuple[str, int, bool]:
    """The open long quote, bracket depth and backslash that continue a statement after ``line``."""
    position = 0
    while True:
        if quote:
            end = _LONG_ENDS[quote].match(line, position)
            if end is None:
                return quote, depth, False
            quote, position = "", end.end()
        token = _TOKEN.search(line, position)
        if token is None:
            return "", depth, False
        position = token.end()
        match token.lastgroup:
            case "long":
                quote = token["long"]
            case "opening":
                depth += 1
            case "closing":
                depth = max(0, depth - 1)
            case "joined":
                return "", depth, True
