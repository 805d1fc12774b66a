"""The rooms of ``grader/`` and the imports between them, as the code has them.

``python -m tests.architecture --write`` puts the picture and the table into ARCHITECTURE.md (``make map``);
``tests/test_layers.py`` holds both the code and that page to the rules.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- map: written by `make map` -->", "<!-- end of map -->"


def modules(folder: str) -> dict[str, Path]:
    """Dotted name → file of every module below ``folder``."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return {".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): f for f in files}


GRADER = modules("grader")
REFERENCE = modules("reference")
ALL = GRADER | REFERENCE
ROOMS = tuple(sorted(path.name for path in (ROOT / "grader").iterdir() if (path / "__init__.py").exists()))


@functools.cache
def tree(name: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(ALL[name].read_bytes())


@functools.cache
def imports(name: str) -> tuple[str, ...]:
    """Every module that ``name`` imports, at the top, inside functions and for type checkers alike."""
    return tuple(_imports(name))


def _imports(name: str) -> Iterator[str]:
    package = name.split(".") if ALL[name].name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield f"{source}.{alias.name}" if f"{source}.{alias.name}" in ALL else source


def room(module: str) -> str:
    """The room of a module of ``grader``; "" for what lies loose in the folder."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else ""


def arrows() -> Counter[tuple[str, str]]:
    """(room, room that it imports) → how many imports."""
    pairs = ((room(name), room(target)) for name in GRADER for target in imports(name) if target in GRADER)
    return Counter(pair for pair in pairs if pair[0] != pair[1] and all(pair))


def layers() -> list[list[str]]:
    """The rooms from the bottom up: each imports only rooms of the layers before its own."""
    below: dict[str, set[str]] = {here: {to for start, to in arrows() if start == here} for here in ROOMS}
    found: list[list[str]] = []
    while below:
        ready = sorted(here for here, needs in below.items() if not needs & below.keys())
        if not ready:
            raise ValueError(f"rooms that import each other: {', '.join(sorted(below))}")
        found.append(ready)
        below = {here: needs for here, needs in below.items() if here not in ready}
    return found


def drawn() -> str:
    """The picture (Mermaid) and the table of the rooms."""
    stacked = layers()
    direct = _without_detours(set(arrows()))
    picture = ["```mermaid", "graph TD"]
    picture += [f"    {start} --> {to}" for start, to in sorted(direct)]
    picture.append("```")
    rows = ["| layer | room | imports | holds |", "|---|---|---|---|"]
    for number, rooms in enumerate(stacked, 1):
        for here in rooms:
            needs = ", ".join(f"`{to}`" for start, to in sorted(arrows()) if start == here) or "–"
            rows.append(f"| {number} | `{here}/` | {needs} | {_sentence(here)} |")
    return "\n".join([*picture, "", *rows])


def _without_detours(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows that no longer way replaces."""
    reach: dict[str, set[str]] = {}
    for rooms in layers():
        for here in rooms:
            near = {to for start, to in pairs if start == here}
            reach[here] = near.union(*(reach[to] for to in near))
    return {
        (start, to)
        for start, to in pairs
        if not any(to in reach[between] for other, between in pairs if other == start and between != to)
    }


def _sentence(here: str) -> str:
    """The first sentence of the room's docstring."""
    text = ast.get_docstring(tree(f"grader.{here}")) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("``", "`")


def page() -> str:
    """ARCHITECTURE.md with the map of today."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{drawn()}\n\n{END}{after}"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), "utf-8")
    else:
        print(drawn())
