"""Cases have Chinese names; the English ones identify them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring.selfcheck import case_name_problems
from grader.core.model import Text
from grader.grading import courses
from tests import tiny

ROOT = Path(__file__).parents[2]
#: The file, what the case “basic” says itself, and the problems that `bank check` finds.
NAMES: list[tuple[str, str, list[str]]] = [
    ("", "", []),
    ("basic: 基本\nlong: 很长\nsquare: 方阵\n", "", []),
    ("long: 很长\n", "zh: 基本, ", ["case square: has no Chinese name, neither here (zh: …) nor in"]),
    ("long: 很长\nsquare: 很长\n", "zh: 基本, ", ["case long: another case", "case square: another case"]),
    ("longer: 更长\n", "", ["case-names.yaml: no case is called “longer”; remove it [unknown-case]"]),
]


@pytest.mark.parametrize(("names", "own", "found"), NAMES)
def test_what_bank_check_finds(names: str, own: str, found: list[str], tmp_path: Path) -> None:
    """Names that are missing where others have one, that two cases share, and that no case has."""
    folder = tiny.course(tmp_path)
    tiny.change(folder, "name: basic, ", f"name: basic, {own}")
    (folder / "questions/case-names.yaml").write_text(names or "{}", encoding="utf-8")
    course = courses.load(folder)
    problems = [str(problem) for problem in case_name_problems(course)]
    assert all(said in problem for said, problem in zip(found, problems, strict=True)), problems
    assert course.case_title("double", "basic") == Text("basic", "基本" if own or "basic" in names else "basic")
    assert course.case_title("double", "gone") == Text("gone", "gone")


@pytest.mark.parametrize("folder", [ROOT, ROOT / "examples" / "course"])
def test_every_case_of_our_courses(folder: Path) -> None:
    """Each has a Chinese name, and no other case of its exercise has the same; the file is sorted."""
    course = courses.load(folder)
    cases = [case for asked in course.questions for exercise in asked.exercises for case in exercise.cases]
    assert all(tiny.bilingual(case.title) for case in cases) and list(case_name_problems(course)) == []
    names = [line.split(": ")[0] for line in (folder / "questions/case-names.yaml").read_text("utf-8").splitlines()]
    assert names[1:] == sorted(names[1:])
