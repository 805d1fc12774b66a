"""The arrows of ARCHITECTURE.md, read from the imports: module level, inside functions and for type checkers alike."""

from __future__ import annotations

import ast
import functools
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: What is looked at in a file.
_LOOKED_AT = (ast.Import, ast.ImportFrom, ast.Call)

#: What everybody may import: types, our own faults, and the version.
COMMON = {"model", "errors", ""}

#: room: the other rooms that it may import (COMMON goes without saying, its own modules too).
ARROWS: dict[str, set[str]] = {
    "": set(),
    "model": set(),
    "errors": set(),
    "bounded": set(),
    # the bank
    "sizes": set(),
    "arithmetic": set(),
    "cache": set(),
    "files": set(),
    "faults": set(),
    "yaml_lines": {"faults"},
    "symbolic": set(),
    "items": {"arithmetic", "faults", "symbolic"},
    "edits": {"faults"},
    "crosscheck": {"edits", "faults", "items", "sizes"},
    "edge": {"crosscheck", "faults", "items", "sizes"},
    "assemble": {"crosscheck", "edge", "faults", "submission", "yaml_lines"},
    "course": {"assemble", "cache", "edge"},
    # the submission
    "submission": {"bounded", "yaml_lines"},
    # the wall
    "sandbox.inside": set(),
    "installed": set(),
    "sandbox": {"installed", "sandbox.inside"},
    # grading, which is given the sandbox as a function
    "inputs": {"sizes"},
    "calls": {"inputs"},
    "compare": set(),
    "budget": set(),
    "trouble": set(),
    "score": set(),
    "relations": {"calls", "compare", "inputs", "trouble"},
    "checks": {"calls", "compare", "inputs", "relations", "trouble"},
    "verdicts": {"checks", "inputs", "trouble"},
    "diagnose": set(),
    "forbidden": {"submission"},
    "grade": {"budget", "calls", "checks", "diagnose", "edits", "forbidden", "inputs", "items", "score", "submission"},
    "grade": {
        "calls",
        "checks",
        "diagnose",
        "edits",
        "forbidden",
        "inputs",
        "items",
        "score",
        "submission",
        "verdicts",
    },
    "forbidden": {"bounded", "submission"},
    "grade": {"bounded", "calls", "checks", "diagnose", "edits", "forbidden", "inputs", "items", "score", "submission"},
    # what people see, and the whole of it
    "figures": set(),
    "plots": {"calls", "figures", "inputs"},
    "picturing": {"calls", "compare", "grade", "plots", "trouble"},
    "report": {"figures", "links"},
    "stubs": {"items", "report"},
    "state": set(),
    "links": set(),
    "mapping": {"links"},
    "quiz": {"items", "links", "progress", "score", "state"},
    "progress": {"links", "score", "state"},
    "showing": {"calls", "compare", "grade", "inputs", "relations"},
    "report.html": {"items", "links", "report"},
    "report.progress": {"progress", "report", "score", "stubs"},
    "review": {"state"},
    "recording": {"progress", "state"},
    "picking": {"items"},
    "report.quiz": {"items", "picking", "quiz", "report"},
    "report.review": {"report", "review", "state", "stubs"},
    "keyboard": {"picking", "quiz", "report", "report.quiz"},
    "doctor": {"course", "inputs", "machine", "sandbox", "working"},
    "doctor": {"course", "installed", "sandbox"},
    "stored": {"grade", "sandbox"},
    "expectations": {"cache", "files", "inputs", "sandbox", "stored"},
    "publishing": {
        "checks",
        "course",
        "edits",
        "files",
        "grade",
        "inputs",
        "items",
        "links",
        "picturing",
        "plots",
        "showing",
        "stored",
        "yaml_lines",
    },
    "selfcheck": {"diagnose", "edits", "grade", "links", "stubs", "submission"},
    "watching": set(),
    # the class
    "records": set(),
    "gradebook": {"records"},
    "grades": {"gradebook", "score"},
    "statistics": {"grades"},
    "report.statistics": {"items", "report", "statistics"},
    "report.statistics_html": {"report", "report.html", "report.statistics", "statistics"},
    "similarity": {"bounded"},
    "comparing": {"bounded", "gradebook", "similarity", "stubs", "submission", "working"},
    "report.similarity": {"report", "similarity"},
    "report.similarity_html": {"report", "report.html", "report.similarity", "similarity"},
    "inbox": {"files", "submission"},
    "intake": {"inbox", "submission"},
    "roster": {"intake"},
    "collect": {"intake", "machine", "submission"},
    "template": set(),
    "debugging": {"calls", "inputs"},
    "mutate": {"edits", "expectations", "grade", "inputs", "sandbox"},
    "machine": set(),
    "working": {"course", "expectations", "grade", "inputs", "machine", "sandbox", "submission"},
    "cluster": {"cache", "expectations", "grade", "inputs", "machine", "sandbox", "submission", "working"},
    "batch": {
        "cluster",
        "machine",
        "collect",
        "course",
        "edits",
        "grade",
        "gradebook",
        "inputs",
        "intake",
        "items",
        "records",
        "roster",
        "sandbox",
        "submission",
        "working",
    },
    "results": {"files", "gradebook", "grades", "report"},
    "amending": {"batch", "course", "files", "gradebook", "grades", "regrading", "report", "results"},
    "replaying": {
        "amending",
        "batch",
        "calls",
        "compare",
        "course",
        "expectations",
        "grade",
        "gradebook",
        "grades",
        "inputs",
        "items",
        "regrading",
        "results",
        "submission",
        "trouble",
    },
    "report.replay": {"replaying", "report"},
    "regrading": {
        "batch",
        "course",
        "gradebook",
        "grades",
        "inputs",
        "records",
        "results",
        "score",
        "submission",
        "working",
    },
    "export": {
        "arithmetic",
        "cache",
        "files",
        "gradebook",
        "grades",
        "inputs",
        "installed",
        "intake",
        "items",
        "report",
        "report.html",
        "results",
        "roster",
        "score",
    },
    "export._autograding": {
        "course",
        "expectations",
        "export",
        "files",
        "grade",
        "gradebook",
        "grades",
        "inputs",
        "report",
        "sandbox",
        "submission",
    },
    "commands": {
        "machine",
        "amending",
        "batch",
        "budget",
        "comparing",
        "course",
        "debugging",
        "doctor",
        "expectations",
        "export",
        "figures",
        "files",
        "grade",
        "gradebook",
        "inbox",
        "inputs",
        "keyboard",
        "mapping",
        "mutate",
        "picturing",
        "plots",
        "progress",
        "publishing",
        "quiz",
        "recording",
        "regrading",
        "replaying",
        "report",
        "report.replay",
        "report.html",
        "report.progress",
        "report.quiz",
        "report.review",
        "report.similarity",
        "report.similarity_html",
        "report.statistics",
        "report.statistics_html",
        "results",
        "review",
        "sandbox",
        "selfcheck",
        "showing",
        "state",
        "statistics",
        "stubs",
        "submission",
        "template",
        "watching",
    },
    "__main__": {"commands"},
}

#: Runs beside learner code, or is copied by learners: nothing but these, the standard library and itself.
LIBRARIES = {"numpy", "torch"}


def modules(folder: str) -> dict[str, Path]:
    """Dotted name → file of every module below ``folder``."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return {".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): f for f in files}


GRADER = modules("grader")
REFERENCE = modules("reference")
ALL = GRADER | REFERENCE


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """What a file of Python consists of."""
    return tuple(node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, _LOOKED_AT))


def imports(name: str) -> Iterator[str]:
    """Every module that ``name`` imports, ours as precisely as the import says."""
    path = ALL[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield f"{source}.{alias.name}" if f"{source}.{alias.name}" in ALL else source


def room(module: str) -> str:
    """The room of a module of grader: the longest name in the table that it lies under, else its own name."""
    inner = name = module.removeprefix("grader").removeprefix(".")
    while inner not in ARROWS:
        if "." not in inner:
            return name
        inner = inner.rpartition(".")[0]
    return inner


def of(here: str) -> list[str]:
    """The modules of a room."""
    names = [name for name in GRADER if room(name) == here]
    assert names
    return names


def top(module: str) -> str:
    """The first name of a dotted one."""
    return module.partition(".")[0]


def calls(name: str) -> Iterator[tuple[str, int]]:
    """Every call of a plain name, or of an attribute of ``builtins``, with its line."""
    for node in nodes(ALL[name]):
        match node:
            case ast.Call(func=ast.Name(id=called)):
                yield called, node.lineno
            case ast.Call(func=ast.Attribute(value=ast.Name(id="builtins"), attr=called)):
                yield called, node.lineno


def test_the_table_has_no_cycle() -> None:
    """Rooms can be built one after the other."""
    assert list(graphlib.TopologicalSorter(ARROWS).static_order())


def test_every_module_has_its_row() -> None:
    """Whoever reads ARCHITECTURE.md has read of every file and folder of ``grader``."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    places = {path.name for path in (ROOT / "grader").glob("[!_]*.py")}
    places |= {f"{path.parent.name}/" for path in (ROOT / "grader").glob("*/__init__.py")}
    assert not {place for place in places if f"`{place}" not in text}


def test_imports_follow_the_arrows() -> None:
    """A module imports its own room, the common ones, and the rooms that the table names."""
    wrong = []
    for name in GRADER:
        here = room(name)
        assert here in ARROWS, f"{name} stands in no room: add it to ARROWS in tests/test_layers.py"
        allowed = ARROWS[here] | {here}
        if here not in COMMON and here != "sandbox.inside":
            allowed = allowed | COMMON
        wrong += [
            f"{name} may not import {target}"
            for target in imports(name)
            if top(target) == "grader" and room(target) not in allowed
        ]
    assert not wrong


def test_modules_import_each_other_without_cycle() -> None:
    """No module needs itself, in whatever roundabout way."""
    graph = {name: {target for target in imports(name) if target in ALL and target != name} for name in ALL}
    assert list(graphlib.TopologicalSorter(graph).static_order())


def test_what_runs_in_the_child_needs_little() -> None:
    """References and ``inside`` import numpy, torch, the standard library, and their own folder."""
    wrong = []
    for own, names in (("grader.sandbox.inside", of("sandbox.inside")), ("reference", list(REFERENCE))):
        wrong += [
            f"{name} may not import {target}"
            for name in names
            for target in imports(name)
            if target != own
            and not target.startswith(f"{own}.")
            and top(target) not in LIBRARIES | sys.stdlib_module_names
        ]
    assert not wrong


def test_the_grader_process_stays_small_and_safe() -> None:
    """Outside ``inside`` nothing imports torch or the references, and nothing runs text as a program."""
    outside = [name for name in GRADER if room(name) != "sandbox.inside"]
    assert outside
    assert not [name for name in outside if {top(target) for target in imports(name)} & {"torch", "reference"}]
    runs = {"eval", "exec", "compile"}
    assert not [f"{name}, line {line}: {called}" for name in outside for called, line in calls(name) if called in runs]


def test_nothing_is_pickled_at_the_wall() -> None:
    """What crosses the process boundary is frames, never a format that can run or allocate at will."""
    wall = of("sandbox") + of("sandbox.inside")
    pickles = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
    assert not [name for name in wall if {top(target) for target in imports(name)} & pickles]


def test_the_parent_shares_only_the_wire_format() -> None:
    """Of the child's folder, the grader's half of the sandbox imports ``frames`` and nothing else."""
    inside = {target for name in of("sandbox") for target in imports(name) if room(target) == "sandbox.inside"}
    assert inside == {"grader.sandbox.inside.frames"}


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("import torch.nn", {"torch.nn"}),
        ("def later():\n    from grader.classroom.batch import run", {"grader.classroom.batch"}),
        ("from grader.classroom import batch", {"grader.classroom.batch"}),
        ("from ..score import points", {"grader.core.score"}),
        ("from . import values", {"grader.grading.checks.values"}),
        ("if TYPE_CHECKING:\n    from grader.classroom.dask import Cluster", {"grader.classroom.dask"}),
    ],
)
def test_an_import_is_seen(line: str, seen: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is written, and wherever in the file; else the tests above would find nothing wrong in anything."""
    (tmp_path / "new.py").write_text(line)
    monkeypatch.setitem(ALL, "grader.grading.checks.new", tmp_path / "new.py")
    assert set(imports("grader.grading.checks.new")) == seen
