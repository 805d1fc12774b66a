"""The bank's self-check: every broken promise is found, and said with its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.model import Status, Verdict
from grader.grading import courses
from grader.grading.checks import Seen, values
from grader.grading.grade import Memo
from grader.grading.inputs import Seed
from grader.grading.selfcheck import check
from grader.sandbox import Sandbox
from grader.sandbox.memo import remembering
from tests import tiny
from tests.commands.test_bank import change, written

QUESTION, REFERENCE = "questions/q25_scaling.yaml", "reference/question_25.py"
MEMORY: dict[str, bytes] = {}


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A course that can be broken."""
    return written(tmp_path / "course")


def problems(folder: Path, sandbox: Sandbox) -> list[str]:
    """What the self-check says."""
    course = courses.load(folder)
    observe = remembering(sandbox.observe, MEMORY.get, MEMORY.__setitem__)
    return list(map(str, check(course, Memo(course, Seed.public(), observe), sandbox.observe)))


def test_nothing_wrong(bank: Path, sandbox: Sandbox) -> None:
    """A bank that keeps its promises has no problems, and every step is announced."""
    course = courses.load(bank)
    steps: list[str] = []
    assert list(check(course, Memo(course, Seed.public(), sandbox.observe), sandbox.observe, steps.append)) == []
    assert steps == ["Q25", "scaled_by_25"]


def test_a_judge_that_breaks(bank: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that cannot cope with what a mistake returns is a fault, though the mistake fails it as declared."""
    honest = values.judge

    def judge(seen: Seen) -> Verdict:
        found = honest(seen)
        if found.status is Status.FAILED:
            raise OverflowError
        return found

    monkeypatch.setattr(values, "judge", judge)
    found = problems(bank, sandbox)
    assert found
    assert [each for each in found if "raises an exception on the result" not in each] == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (REFERENCE, "return x * factor  #", "return (x * factor).float()  #", "does not pass: dtype"),
        (
            QUESTION,
            'with: "x / factor", fails: [values]',
            'with: "x / factor", fails: [repeatable]',
            "not fail repeatable",
        ),
        (QUESTION, 'with: "x * 2.0", fails: [values]', 'with: "factor * x", fails: [values]', "passes everything"),
        (
            QUESTION,
            'with: "x * 2.0", fails: [values]',
            'with: "factor + x", fails: [values]',
            "no check distinguishes adds-instead",
        ),
        (QUESTION, "divides-instead, replace", "adds-instead, replace", None),
        (QUESTION, ", factor: 3.0", ", factor: 0.5", ""),
        (QUESTION, "    checks:", "    forbids: [torch.softmax]\n    checks:", ""),
        (QUESTION, "    checks:", "    forbids: [torch.soft_max]\n    checks:", "there is no torch.soft_max"),
        (QUESTION, "    checks:", "    forbids: [torch.mul]\n    checks:", "does not pass: values"),
    ],
)
def test_code(bank: Path, sandbox: Sandbox, file: str, old: str, new: str, said: str | None) -> None:
    """References that fail, mistakes that pass or fail elsewhere, and names that are not kept away, are problems."""
    change(bank, old, new, file)
    if said is None:  # two mistakes with one misconception: the loader refuses already
        with pytest.raises(Exception, match="misconception"):
            problems(bank, sandbox)
        return
    found = problems(bank, sandbox)
    assert any(said in problem for problem in found) if said else found == []


def test_a_check_without_bite(bank: Path, sandbox: Sandbox) -> None:
    """A stub that earns points shows a check that checks nothing."""
    change(bank, "    return x * factor  # (..., n)", "    raise ValueError(factor)", REFERENCE)
    text = (bank / QUESTION).read_text(encoding="utf-8")
    start, end = text.index("    cases:"), text.index("    checks:")
    case = "    cases:\n      - {name: never, public: true, raises: NotImplementedError, args: {x: 1.0}}\n"
    tail = "    checks: [raises]\n    mistakes: []\n"
    (bank / QUESTION).write_text(text[:start] + case + tail if end else "", encoding="utf-8")
    assert any(
        "the stub of scaled_by_25" in problem and "passes raises" in problem for problem in problems(bank, sandbox)
    )


def test_a_name_that_is_not_kept_away(tmp_path: Path, sandbox: Sandbox) -> None:
    """What is written in C outside of torch can be kept before it is closed: forbidding it is a problem."""
    folder = tiny.course(tmp_path)
    tiny.change(folder, "    checks: [values", "    forbids: [operator.abs]\n    checks: [values")
    place = folder / "reference" / "bank.py"
    place.write_text(place.read_text("utf-8").replace("return x + x", "return x.abs()"), encoding="utf-8")
    tiny.change(folder, "replace: x + x, with: x * x", "replace: x.abs(), with: x * x")
    found = problems(folder, sandbox)
    assert any("operator.abs itself, under the name of the exercise, passes dtype, values" in said for said in found)


def test_counts(bank: Path, sandbox: Sandbox) -> None:
    """Too few items, hints and mistakes, one-sided cases, stray files, idle misconceptions: each is a problem."""
    path = bank / QUESTION
    text = path.read_text(encoding="utf-8").replace("public: true, ", "")
    text = text[: text.index("items:")] + "items: []\n" + text[text.index("\nexercises:") :]
    dropped = ("One multiplication", "squares-input, replace", "What becomes of a negative entry")
    lines = [line for line in text.splitlines() if not any(word in line for word in dropped)]
    path.write_text("\n".join(lines), encoding="utf-8")
    (bank / "questions" / "notes.txt").write_text("x")
    found = problems(bank, sandbox)
    for said in (
        *("this file is not read", "0 items", "1 hints", "3 mistakes"),
        *("no item and no mistake refers to it", "no guiding question", "no public case"),
    ):
        assert any(said in problem for problem in found), (said, found)
