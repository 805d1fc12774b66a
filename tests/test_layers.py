"""The rules of ARCHITECTURE.md about who imports whom, held against the imports of every module."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from typing import TypeGuard

from tests import architecture
from tests.architecture import ALL, GRADER, REFERENCE, ROOMS, imports, room, tree

#: room: the rooms that it may import. Add an arrow only downwards, and run `make map` after it.
ARROWS: dict[str, set[str]] = {
    "core": set(),
    "formulas": {"core"},
    "submission": {"core"},
    "sandbox": {"core"},
    "course": {"core", "formulas", "submission"},
    "grading": {"core", "course", "sandbox", "submission"},
    "report": {"core", "course", "grading"},
    "authoring": {"core", "course", "grading", "report", "sandbox", "submission"},
    "learning": {"core", "course"},
    "classroom": {"authoring", "core", "course", "grading", "report", "sandbox", "submission"},
    "instructor": {"classroom", "core", "course", "grading", "report", "sandbox", "submission"},
    "web": {"classroom", "core", "course", "grading", "instructor", "learning", "report", "submission"},
    "commands": {
        "authoring",
        "classroom",
        "core",
        "course",
        "grading",
        "instructor",
        "learning",
        "report",
        "sandbox",
        "submission",
        "web",
    },
}

#: What runs beside learner code, or is copied by learners, needs these, the standard library and itself.
LIBRARIES = {"numpy", "torch"}
#: Formats that can run code, or allocate at will, when they are read.
UNSAFE_FORMATS = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}


def top(module: str) -> str:
    """The first name of a dotted one."""
    return module.partition(".")[0]


def test_rooms_import_only_what_lies_below_them() -> None:
    """The table has every room and no cycle; imports are those of the table, and each of its arrows is used."""
    assert set(ARROWS) == set(ROOMS)
    assert list(graphlib.TopologicalSorter(ARROWS).static_order())
    found = {(start, to): count for (start, to), count in architecture.arrows().items()}
    allowed = {(start, to) for start, targets in ARROWS.items() for to in targets}
    wrong = {
        f"{name} imports {target}"
        for name in GRADER
        for target in imports(name)
        if target in GRADER and room(name) and room(target) not in ("", room(name))
        if (room(name), room(target)) not in allowed
    }
    assert not wrong
    assert not allowed - found.keys(), "arrows that no import needs"


def test_few_files_lie_loose() -> None:
    """A module belongs to a room; only the package, its ``__main__`` and the front end of notebooks do not."""
    assert {name for name in GRADER if not room(name)} == {"grader", "grader.__main__", "grader.notebook"}


def test_modules_import_each_other_without_cycle() -> None:
    """No module needs itself, in whatever roundabout way."""
    graph = {name: {target for target in imports(name) if target in ALL and target != name} for name in ALL}
    assert list(graphlib.TopologicalSorter(graph).static_order())


def test_scheduling_and_recording_stay_apart() -> None:
    """What runs the tasks of a batch knows no gradebook, and what saves their results knows no processes."""
    for start, banned in (
        ("schedule", {"grader.classroom.gradebook", "grader.classroom.recorder", "sqlite3"}),
        ("recorder", {"grader.classroom.schedule", "grader.classroom.worker", "concurrent", "multiprocessing"}),
    ):
        seen, left = set[str](), [f"grader.classroom.{start}"]
        while left:
            name = left.pop()
            targets = {target for target in imports(name) if target != name}
            assert not {part for target in targets for part in (target, top(target))} & banned, name
            left += [target for target in targets - seen if target in GRADER and room(target) == "classroom"]
            seen |= targets
        assert "grader.classroom.task" in seen


def test_what_runs_in_the_child_needs_little() -> None:
    """References and ``inside`` import numpy, torch, the standard library and their own folder."""
    inside = [name for name in GRADER if name.startswith("grader.sandbox.inside")]
    assert inside and REFERENCE
    wrong = {
        f"{name} imports {target}"
        for own, names in (("grader.sandbox.inside", inside), ("reference", list(REFERENCE)))
        for name in names
        for target in imports(name)
        if target != own and not target.startswith(f"{own}.")
        if top(target) not in LIBRARIES | sys.stdlib_module_names
    }
    assert not wrong


def test_the_graders_process_stays_small_and_safe() -> None:
    """Outside ``inside`` nothing imports torch or the references, of the child's folder only ``frames`` is imported,

    nothing at the wall is pickled, and nothing runs text as a program.
    """
    for name in GRADER:
        if name.startswith("grader.sandbox.inside"):
            continue
        targets = set(imports(name))
        assert not {top(target) for target in targets} & {"torch", "reference"}, name
        shared = {target for target in targets if target.startswith("grader.sandbox.inside.")}
        assert shared <= {"grader.sandbox.inside.frames"}, name
        if room(name) == "sandbox":
            assert not {top(target) for target in targets} & UNSAFE_FORMATS, name
        run = [node.lineno for node in ast.walk(tree(name)) if isinstance(node, ast.Call) and _runs_text(node.func)]
        assert not run, f"{name} runs text as a program in line {run}"


def _runs_text(called: ast.expr) -> bool:
    match called:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="builtins"), attr=name):
            return name in {"eval", "exec", "compile"}
    return False


def test_the_map_is_the_one_of_today() -> None:
    """ARCHITECTURE.md shows the rooms and arrows that the code has; `make map` writes them."""
    assert architecture.BEGIN in architecture.PAGE.read_text("utf-8")
    assert architecture.page() == architecture.PAGE.read_text("utf-8"), "run `make map`"


def test_the_paths_name_what_exists() -> None:
    """Every function and class that ARCHITECTURE.md sends its readers to is where it says."""
    text = architecture.PAGE.read_text("utf-8").partition("## Three paths")[2].partition("\n## ")[0]
    named = re.findall(r"`(\w+)\.(\w+)`", text)
    assert len(named) > 15
    for place, name in named:
        found = [module for module in GRADER if module.split(".")[-1] == place]
        found += [module for module in GRADER if place in _names(tree(module).body)]
        bodies = [tree(module).body for module in found]
        bodies += [node.body for module in found for node in tree(module).body if _is_class(node, place)]
        assert any(name in _names(body) for body in bodies), f"{place}.{name}"


def _is_class(node: ast.stmt, name: str) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef) and node.name == name


def _names(body: list[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
