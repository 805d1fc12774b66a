"""``attncheck batch``: what is asked of the batch, and what is said of its result."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from grader import batch
from grader.batch import BatchProgress, BatchResult, Row
from grader.errors import SandboxUnavailable
from grader.inputs import Seed

Attncheck = Callable[..., object]

ADA = Row("ada", 25.0, 25.0, True, (("Q5", 12.0, 12.0),), "ada.json", 0.1, passed=True)
BO = Row("波", 12.5, 25.0, True, (), "波.json", 0.1, notes=("scaled_dot_product_attention: timed-out",) * 2)
CY = Row("cy\x1b[2J", 3.0, 25.0, False, (), "cy.json", 0.1)
DI = Row("di", 0.0, 25.0, False, (), "di.json", 0.0, error="q05.py: the file is empty\x1b[2J")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Takes the place of the batch: returns ``rows``, remembers what it was asked."""
    seen: dict[str, object] = {"rows": (ADA,)}

    signature = inspect.signature(batch.run)

    def run(folder: Path, out: Path, **others: object) -> BatchResult:
        signature.bind(folder, out, **others)
        seen.update(others, folder=folder, out=out)
        rows = seen["rows"]
        if isinstance(rows, Exception):
            raise rows
        assert isinstance(rows, tuple)
        for at, row in enumerate(rows, 1):
            others["progress"](BatchProgress(at, len(rows), row))  # type: ignore[operator]
        return BatchResult(rows, ("seccomp",))

    monkeypatch.setattr(batch, "run", run)
    return seen


def test_asks_for_what_the_options_say(attncheck: Attncheck, asked: dict[str, object], tmp_path: Path) -> None:
    """Every option arrives where it belongs; the seed is public unless a file is named."""
    seed = tmp_path / "seed"
    seed.write_text("0123456789abcdef" * 4)
    attncheck("batch", "in", "--out", "out", "--workers", "3", "--course", "c", "--lang", "zh")
    assert (asked["folder"], asked["out"], asked["course_folder"]) == (Path("in"), Path("out"), Path("c"))
    assert (asked["workers"], asked["lang"], asked["seed"]) == (3, "zh", Seed.public())
    attncheck("batch", "in", "--out", "out", "--seed-file", str(seed))
    assert asked["seed"] == Seed.from_file(seed)


@pytest.mark.parametrize(
    ("rows", "code"), [((ADA,), 0), ((ADA, BO), 0), ((ADA, CY), 5), ((ADA, DI), 5), (SandboxUnavailable("none"), 4)]
)
def test_exit_codes(rows: object, code: int, attncheck: Attncheck, asked: dict[str, object]) -> None:
    """0 when all could be graded, whatever the points; 5 when some could not; 4 when nothing may be run."""
    asked["rows"] = rows
    assert attncheck("batch", "in", "--out", "out").code == code


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        (
            "en",
            [
                "learner      points  status",
                "ada        25 of 25  everything right",
                "波       12.5 of 25  graded; scaled_dot_product_attention: timed-out; sc",
                "cy          3 of 25  in part",
                "di                –  not gradable, see below",
                "di: q05.py: the file is empty\n",
                "3 of 4 submissions graded. In out: class.csv",
            ],
        ),
        ("zh", ["学习者       得分  状态", "ada       25 / 25  全部正确", "4 份提交中已评分 3 份。out 中有"]),
    ],
)
def test_for_people(lang: str, fragments: list[str], attncheck: Attncheck, asked: dict[str, object]) -> None:
    """A table on 80 columns, then why some could not be graded, then where the results are."""
    asked["rows"] = (ADA, BO, CY, DI)
    ran = attncheck("batch", "in", "--out", "out", "--lang", lang)
    for fragment in fragments:
        assert fragment in ran.out
    assert max(map(cell_len, ran.out.splitlines())) <= 80
    assert "\x1b" not in ran.out
    assert ran.err == ""


def test_for_programs(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """The same as data."""
    asked["rows"] = (ADA, DI)
    data = json.loads(attncheck("batch", "in", "--out", "out", "--json").out)
    assert (data["format"], data["out"], data["layers"]) == (1, "out", ["seccomp"])
    ada, di = data["learners"]
    assert ada == {
        "learner": "ada",
        "earned": 25,
        "possible": 25,
        "complete": True,
        "passed": True,
        "error": None,
        "notes": [],
        "file": "ada.json",
        "seconds": 0.1,
    }
    assert di["error"] == "q05.py: the file is empty"


def test_progress_where_a_person_watches(
    attncheck: Attncheck, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal one line counts up, on stderr."""
    asked["rows"] = (ADA, BO)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = attncheck("batch", "in", "--out", "out", "--json")
    assert ran.err == "\r1 of 2 graded\r2 of 2 graded\n"
    assert json.loads(ran.out)
