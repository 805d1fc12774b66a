"""``attncheck regrade``: what is asked, shown, and put down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len

from grader.classroom.batch import BatchProgress
from grader.commands import regrade as regrading
from grader.core.model import Text
from grader.grading.inputs import Seed
from grader.instructor import regrade
from grader.instructor.regrade import PointsChange, RegradeRequest, RegradeResult

Attncheck = Callable[..., object]

ADA = PointsChange("ada", "Q1", (4.0, 5.0), (5.0, 5.0))
BO = PointsChange("波\x1b[2J", None, (4.5, 5.0), (2.25, 6.0))
FOUND = RegradeResult((ADA, BO), ("Q1",), 3, (), True, ("seccomp",))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Replaces the grading: ``found`` is its result; records what it was asked, and ``written``."""
    seen: dict[str, object] = {"found": FOUND, "written": None}

    @contextmanager
    def regraded(asked: RegradeRequest, progress: Callable[[BatchProgress], None], *, dry: bool) -> Iterator[object]:
        seen["asked"], seen["dry"] = asked, dry
        yield seen["found"], lambda lang: seen.update(written=lang)

    monkeypatch.setattr(regrade, "regraded", regraded)
    monkeypatch.setattr(regrade, "seed_of", lambda folder, course_folder: Seed.public())
    monkeypatch.setattr(regrading, "can_ask", lambda: True)
    return seen


def test_asks_for_what_the_options_say(attncheck: Attncheck, asked: dict[str, object], tmp_path: Path) -> None:
    """Every option arrives where it belongs."""
    seed = tmp_path / "seed"
    seed.write_text("0123456789abcdef" * 4)
    attncheck("regrade", "out", "--dry-run")
    assert (asked["asked"], asked["dry"]) == (RegradeRequest(Path("out"), Seed.public()), True)
    attncheck(*f"regrade out --yes --course c --workers 2 --seed-file {seed}".split())
    assert (asked["asked"], asked["dry"]) == (RegradeRequest(Path("out"), Seed.from_file(seed), Path("c"), 2), False)


@pytest.mark.parametrize(
    ("options", "answer", "found", "code", "written"),
    [
        (["--dry-run"], None, FOUND, 0, False),
        (["--yes"], None, FOUND, 0, True),
        ([], True, FOUND, 0, True),
        ([], False, FOUND, 1, False),
        (["--yes"], None, RegradeResult((), (), 0, (), False, ()), 0, True),
        ([], None, RegradeResult((), (), 0, (), False, ()), 0, False),
        (["--yes"], None, RegradeResult((), ("Q1",), 3, (("cy", Text("a bug", "程序错误")),), True, ()), 5, True),
        (["--dry-run", "--yes"], None, FOUND, 0, False),
    ],
)
def test_what_is_put_down(
    options: list[str],
    answer: bool | None,
    found: RegradeResult,
    code: int,
    written: bool,
    attncheck: Attncheck,
    asked: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only what a person agreed to, or --yes; and where there is nothing new, nobody is asked."""
    said: list[str] = []

    def confirm(text: str) -> bool:
        said.append(text)
        assert answer is not None
        return answer

    monkeypatch.setattr(regrading.click, "confirm", confirm)
    asked["found"] = found
    ran = attncheck("regrade", "out", "--lang", "zh", *options)
    assert ran.code == code  # type: ignore[attr-defined]
    assert (asked["written"] == "zh") == written
    assert said == ([] if answer is None else ["写入这些结果吗？"])


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nobody_can_be_asked(
    options: list[str], attncheck: Attncheck, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it must be said beforehand, and nothing is graded in vain."""
    monkeypatch.setattr(regrading, "can_ask", lambda: bool(options))
    ran = attncheck("regrade", "out", *options)
    assert (ran.code, "give --yes or --dry-run" in ran.err, "asked" in asked) == (2, True, False)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lang", "found", "fragments"),
    [
        (
            "en",
            FOUND,
            [
                "learner  question    before        now  difference\n",
                "ada      Q1          4 of 5     5 of 5          +1\n",
                "波       total     4.5 of 5  2.25 of 6       -2.25\n",
                "Questions that have changed: Q1. Submissions graded again: 3. Learners whose",
                "points change: 2.",
                "Nothing was saved.",
            ],
        ),
        ("zh", FOUND, ["学生  题目", "评分之后有变动的题目：Q1。", "没有写入任何内容。"]),
        (
            "en",
            RegradeResult((), ("Q1",), 1, (("cy\x1b[2J", Text("a bug", "程序错误")),), True, ()),
            ["cy: a bug\n", "points change: 0."],
        ),
        ("en", RegradeResult((), (), 0, (), False, ()), ["Nothing has changed since out was graded.\n"]),
        ("en", RegradeResult((ADA,) * 300, ("Q1",), 300, (), True, ()), ["… and 100 more (--json has them all)"]),
    ],
)
def test_for_people(
    lang: str, found: RegradeResult, fragments: list[str], attncheck: Attncheck, asked: dict[str, object]
) -> None:
    """A table on 80 columns, and what it is about."""
    asked["found"] = found
    out = attncheck("regrade", "out", "--dry-run", "--lang", lang).out  # type: ignore[attr-defined]
    for fragment in fragments:
        assert fragment in out
    assert max(map(cell_len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_for_programs(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """The same as data."""
    asked["found"] = RegradeResult((ADA,), ("Q1",), 3, (("cy", Text("x", "错")),), True, ("seccomp",))
    assert json.loads(attncheck("regrade", "out", "--yes", "--json").out) == {  # type: ignore[attr-defined]
        "format": 1,
        "out": "out",
        "questions": ["Q1"],
        "graded": 3,
        "differences": [
            {
                "learner": "ada",
                "question": "Q1",
                "before": {"earned": 4, "possible": 5},
                "after": {"earned": 5, "possible": 5},
            }
        ],
        "refused": [{"submission": "cy", "error": "x"}],
        "layers": ["seccomp"],
        "written": True,
    }
