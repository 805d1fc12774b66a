"""Reads source files and notebooks, and chooses the module name of each."""

from __future__ import annotations

import keyword
import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from grader.core.model import Notice, SourceFile, Text
from grader.submission import messages as say
from grader.submission import source
from grader.submission.files import FoundFiles, RawFile
from grader.submission.messages import Unusable
from grader.submission.source import OverBudget, ParseBudget, SourceFacts

_LIBRARIES = {"numpy": "NumPy", "torch": "PyTorch"}


@dataclass(frozen=True, slots=True)
class ModuleName:
    """The module name of one path; ``changed`` if it had to differ from the path."""

    module: str
    is_package: bool
    changed: bool


def read_sources(
    found: FoundFiles, most_old: int | None
) -> tuple[tuple[SourceFile, ...], list[Unusable], list[Notice]]:
    """The source files in ``found`` that can be used, problems with the others, and notices.

    Raises OverBudget if the submission as a whole is too large.

    ``most_old`` limits the bytes of all notebooks in formats before 4; None if there is no such limit.
    """
    code = [raw for raw in found.raws if raw.kind != "answers"]
    if most_old is not None:
        _refuse_old(code, ParseBudget(found.name, most_old))
    top = common_folder([raw.path for raw in code])
    scanned: list[tuple[str, SourceFacts]] = []
    problems: list[Unusable] = []
    notices: list[Notice] = []
    budget = ParseBudget(found.name, most_old)
    for raw in code:
        path = raw.path.removeprefix(top)
        try:
            facts = _scan(replace(raw, path=path), budget)
        except OverBudget:
            raise
        except Unusable as problem:
            problems.append(problem)
        else:
            scanned.append((path, facts))
            problems += facts.broken
            notices += facts.notices
    names = name_modules([path for path, _ in scanned], _package(scanned, top, found.stem))
    files = []
    for (path, facts), name in zip(scanned, names, strict=True):
        shadow = shadowed(path, name.module)
        if shadow is not None:
            problems.append(shadow)
        else:
            files.append(_source_file(path, facts, name))
    return tuple(sorted(files, key=lambda file: file.path)), problems, notices


def _scan(raw: RawFile, budget: ParseBudget) -> SourceFacts:
    if raw.kind != "notebook":
        return source.scan(raw, budget)
    from grader.submission import notebook  # needs json; not imported for source files alone

    return notebook.scan(raw, budget)


def _source_file(path: str, facts: SourceFacts, name: ModuleName) -> SourceFile:
    return SourceFile(
        path,
        name.module,
        facts.parts,
        facts.defines,
        "torch" in facts.imports,
        name.is_package,
        facts.guarded,
        facts.futures,
    )


def _refuse_old(code: Sequence[RawFile], budget: ParseBudget) -> None:
    """Raises OverBudget if notebooks in old formats are too large, before any of them is parsed."""
    for raw in code:
        if raw.kind == "notebook":
            from grader.submission import notebook

            if notebook.looks_old(raw):
                budget.count_old(raw.path, len(raw.data))


def _package(scanned: Sequence[tuple[str, SourceFacts]], top: str, stem: str) -> str:
    """The name of the folder around the files if they import each other through it, else empty."""
    name = identifier(top.rstrip("/").rpartition("/")[2] or stem)
    if is_reserved(name) or any(path.split("/")[0].partition(".")[0] == name for path, _ in scanned):
        return ""
    above = any(facts.relative > path.count("/") for path, facts in scanned)
    return name if above or any(name in facts.imports for _, facts in scanned) else ""


def identifier(stem: str) -> str:
    """``stem`` as an importable name; unchanged if it is one already."""
    name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", stem))
    if not name.isidentifier():
        name = f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name == "__main__" else name


def is_reserved(name: str) -> bool:
    """Whether ``name`` is a library of the course or a module of the standard library."""
    return name in _LIBRARIES or name in sys.stdlib_module_names


def common_folder(paths: Sequence[str]) -> str:
    """The folder, with a final slash, that all paths share; empty if there is none."""
    folders = [path.split("/")[:-1] for path in paths]
    if not folders:
        return ""
    pairs = zip(min(folders), max(folders), strict=False)
    return "".join(f"{name}/" for name, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def name_modules(paths: Sequence[str], package: str) -> list[ModuleName]:
    """A distinct module name for every path, inside ``package`` unless that is empty.

    If two paths need the same name, a ``.py`` file gets it before a notebook, and an unchanged name comes before a
    changed one.
    """
    result = [_propose(path, package) for path in paths]

    def rank(index: int) -> tuple[bool, bool, bool, str]:
        return _is_notebook(paths[index]), result[index].changed, not result[index].is_package, paths[index]

    taken: set[str] = set()
    for index in sorted(range(len(paths)), key=rank):
        name, count = result[index].module, 1
        while name in taken:
            count += 1
            name = f"{result[index].module}_{count}"
        taken.add(name)
        result[index] = replace(result[index], module=name)
    return result


def _is_notebook(path: str) -> bool:
    return path.lower().endswith(".ipynb")


def _propose(path: str, package: str) -> ModuleName:
    *folders, file = path.split("/")
    stem = file.rpartition(".")[0]
    is_package = stem == "__init__" and bool(folders or package) and not _is_notebook(path)
    given = folders if is_package else [*folders, stem]
    parts = [identifier(part) for part in given]
    if _is_notebook(path) and not folders and is_reserved(parts[0]):  # nobody imports a notebook by its name
        parts = [f"{parts[0]}_notebook"]
    return ModuleName(".".join([package, *parts] if package else parts), is_package, parts != given)


def shadowed(path: str, module: str) -> Unusable | None:
    """Why the file must not be used: its module would shadow a library or standard module. None if it may be."""
    top = module.partition(".")[0]
    if not is_reserved(top):
        return None
    library = _LIBRARIES.get(top)
    owner: Text = say.A_LIBRARY.fill(name=library) if library else say.A_STANDARD_MODULE
    return Unusable(path, say.SHADOWS.fill(name=top, owner=owner, new=f"my_{path}"))
