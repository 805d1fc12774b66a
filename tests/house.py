"""How large the house is, and how heavy its statements are: ``python -m tests.house``.

A *code line* is a line without blanks, comments and docstrings; a *token* is one of a code line; a *statement* is one
of the syntax tree. Functions count with their code lines and without ``self``. ``tests/test_house.py`` holds the
figures to bounds.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import architecture

ROOT = Path(__file__).parents[1]
#: Programs as learners write them, right and wrong; everything else in ``tests/`` is ours.
SAMPLES = ("solutions", "cheats", "unseen")
#: Tokens of a source file that are not code.
_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """The figures of one file: numbers of lines, tokens, statements and comments; one entry for each function."""

    code: int
    tokens: int
    statements: int
    comments: int
    lengths: tuple[int, ...]
    parameters: tuple[int, ...]


def measure(source: str) -> Module:
    """The figures of a file with the text ``source``."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    documented = _docstring_lines(nodes)
    lines, tokens, comments = set[int](), 0, 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments += 1
        elif token.type not in _LAYOUT:
            rows = set(range(token.start[0], token.end[0] + 1)) - documented
            tokens += bool(rows)
            lines |= rows
    functions = [node for node in nodes if isinstance(node, _Function)]
    return Module(
        code=len(lines),
        tokens=tokens,
        statements=sum(isinstance(node, ast.stmt) for node in nodes),
        comments=comments,
        lengths=tuple(len(lines & set(range(node.lineno, (node.end_lineno or 0) + 1))) for node in functions),
        parameters=tuple(len(_parameters(node)) for node in functions),
    )


def _docstring_lines(nodes: Iterable[ast.AST]) -> set[int]:
    lines: set[int] = set()
    for node in nodes:
        if isinstance(node, (ast.Module, ast.ClassDef, *_Function.__args__)) and ast.get_docstring(node, clean=False):
            first = node.body[0]
            lines |= set(range(first.lineno, (first.end_lineno or 0) + 1))
    return lines


def _parameters(function: _Function) -> list[str]:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [argument.arg for argument in named if argument.arg not in ("self", "cls")]


def percentile(values: Sequence[int], share: float) -> int:
    """The smallest of ``values`` that is not exceeded by ``share`` of them."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(frozen=True, slots=True)
class House:
    """The figures of ``grader/``, and the lines of ``tests/``."""

    modules: dict[str, Module]
    arrows: int
    samples: int
    tests: int

    @property
    def code(self) -> int:
        """Code lines of all modules."""
        return sum(module.code for module in self.modules.values())

    @property
    def rooms(self) -> dict[str, int]:
        """Code lines by room."""
        found = dict.fromkeys(architecture.ROOMS, 0)
        for name, module in self.modules.items():
            if architecture.room(name):
                found[architecture.room(name)] += module.code
        return found

    def figures(self) -> dict[str, float]:
        """Each figure that has a bound, by its name."""
        modules = self.modules.values()
        lengths = [length for module in modules for length in module.lengths]
        parameters = [count for module in modules for count in module.parameters]
        return {
            "code lines": self.code,
            "modules": len(self.modules),
            "tokens per statement": sum(m.tokens for m in modules) / sum(m.statements for m in modules),
            "comments per 100 code lines": 100 * sum(m.comments for m in modules) / self.code,
            "95 % of functions have at most so many lines": percentile(lengths, 0.95),
            "95 % of functions have at most so many parameters": percentile(parameters, 0.95),
            "share of the largest room, %": 100 * max(self.rooms.values()) / self.code,
            "arrows between rooms": self.arrows,
            "lines of sample code in tests": self.samples,
            "other lines in tests": self.tests,
        }


def house() -> House:
    """The figures of the house as it is."""
    modules = {name: measure(file.read_text("utf-8")) for name, file in architecture.GRADER.items()}
    samples = tests = 0
    for file in sorted(file for kind in ("*.py", "*.edits") for file in (ROOT / "tests").rglob(kind)):
        count = len(file.read_text("utf-8").splitlines())
        if file.relative_to(ROOT / "tests").parts[0] in SAMPLES:
            samples += count
        else:
            tests += count
    return House(modules, len(architecture.arrows()), samples, tests)


if __name__ == "__main__":
    for name, value in house().figures().items():
        print(f"{name:52} {value:10,.1f}".removesuffix(".0"))
    for name, lines in sorted(house().rooms.items(), key=lambda pair: -pair[1]):
        print(f"    {name:48} {lines:10,}")
