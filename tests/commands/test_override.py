"""``attncheck override`` and ``attncheck forget``: what is asked, shown, and done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from grader.classroom.gradebook import LearnerRow, Override, open_gradebook
from grader.classroom.marks import CoursePart
from grader.commands import forget
from grader.instructor import overrides
from grader.instructor.overrides import ForgetPlan, OverrideRequest, OverrideResult, Signed
from tests.tiny import give

Attncheck = Callable[..., object]

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CHANGE = Override("bo\x1b[2J", "double", 3.0, "nearly\nthere", "Prof. Invented", NOW)
LEAVING = ForgetPlan(
    learner=LearnerRow("bo", "Bo"),
    submissions=("bo.py",),
    overrides=1,
    removed=(Path("out/.intake/abc"), Path("out/bo.json")),
    shared=("team",),
    outside=(Path("/in/class.zip"),),
    others=(Path("out/mine.html"),),
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Replaces the gradebook; records what was asked, and whether something was removed."""
    seen: dict[str, object] = {"removed": None}

    def give_points(
        folder: Path, wish: OverrideRequest, now: datetime, course_folder: Path | None, lang: str
    ) -> tuple[OverrideResult, int]:
        seen["asked"] = folder, wish, course_folder, lang
        return OverrideResult(LearnerRow("bo", "Bo"), CoursePart("double", "Q1", 4.0), CHANGE, ()), 1

    def remove_override(
        folder: Path, which: tuple[str, str], by: Signed, course_folder: Path | None, lang: str
    ) -> tuple[OverrideResult, int]:
        seen["asked"] = folder, which, by.author, course_folder, lang
        return OverrideResult(LearnerRow("bo", "Bo"), CoursePart("double", "Q1", 4.0), None, ()), 2

    @contextmanager
    def forgetting(folder: Path, name: str, course_folder: Path | None) -> Iterator[object]:
        seen["asked"] = folder, name, course_folder
        yield LEAVING, lambda lang: seen.update(removed=lang)

    for function in (give_points, remove_override, forgetting):
        monkeypatch.setattr(overrides, function.__name__, function)
    monkeypatch.setattr(forget, "can_ask", lambda: True)
    monkeypatch.setattr("getpass.getuser", lambda: "me")
    return seen


def test_asks_for_what_the_options_say(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """Who gives the points is the one at the keyboard, unless it is said."""
    attncheck("override", "out", "bo", "double", "--points", "3", "--reason", "nearly")
    assert asked["asked"] == (Path("out"), OverrideRequest("bo", "double", 3.0, "nearly", "me"), None, "en")
    more = ["--author", "P", "--beyond", "--course", "c", "--lang", "zh"]
    attncheck("override", "out", "bo", "double", "--points", "-1", "--reason", "x", *more)
    assert asked["asked"] == (Path("out"), OverrideRequest("bo", "double", -1.0, "x", "P", True), Path("c"), "zh")
    attncheck("override", "out", "bo", "double", "--remove", "--course", "c")
    assert asked["asked"] == (Path("out"), ("bo", "double"), "me", Path("c"), "en")
    attncheck("forget", "out", "bo", "--yes", "--course", "c")
    assert asked["asked"] == (Path("out"), "bo", Path("c"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "override needs LEARNER and PART"),
        (["bo"], "override needs LEARNER and PART"),
        (["bo", "double"], "Give either --points P with --reason TEXT, or --remove"),
        (["bo", "double", "--remove", "--points", "1"], "Give either --points"),
        (["bo", "double", "--points", "many"], "not a valid float"),
        (["bo", "--list"], "with DIR only"),
        (["--list", "--remove"], "with DIR only"),
    ],
)
def test_what_does_not_go_together(
    options: list[str], said: str, attncheck: Attncheck, asked: dict[str, object]
) -> None:
    """Is told with what does."""
    ran = attncheck("override", "out", *options)
    assert (ran.code, said in ran.err, "asked" in asked) == (2, True, False)  # type: ignore[attr-defined]


def test_nobody_at_the_keyboard(attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without login names needs --author."""

    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    ran = attncheck("override", "out", "bo", "double", "--points", "1", "--reason", "x")
    assert (ran.code, "give --author NAME" in ran.err) == (2, True)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lang", "options", "said"),
    [
        (
            "en",
            ["--points", "3", "--reason", "x"],
            "bo, double: 3 of 4 points, given by Prof. Invented: nearly there\n",
        ),
        ("zh", ["--points", "3", "--reason", "x"], "bo，double：3 / 4 分，由 Prof. Invented 给出：nearly there\n"),
        ("en", ["--remove"], "bo, double: the override was removed"),
        ("zh", ["--remove"], "bo，double：已撤销人工给分"),
    ],
)
def test_what_was_done(
    lang: str, options: list[str], said: str, attncheck: Attncheck, asked: dict[str, object]
) -> None:
    """In both languages, and as data."""
    command = ["override", "out", "bo", "double", *options]
    ran = attncheck(*command, "--lang", lang)
    assert (ran.code, said in ran.out) == (0, True)  # type: ignore[attr-defined]
    data = json.loads(attncheck(*command, "--json").out)  # type: ignore[attr-defined]
    assert (data["learner"], data["part"], data["marks"]) == ("bo", "double", [])
    assert (data["override"] is None) == ("--remove" in options)


def test_the_list(attncheck: Attncheck, tmp_path: Path) -> None:
    """Everything that was given, by whom and why; nothing that could move the cursor."""
    with closing(open_gradebook(tmp_path, create=True)) as book:
        assert "no overrides" in attncheck("override", str(tmp_path), "--list", "--lang", "en").out  # type: ignore[attr-defined]
        give(book, CHANGE)
    out = attncheck("override", str(tmp_path), "--list", "--lang", "en").out  # type: ignore[attr-defined]
    assert "bo       double       3  Prof. Invented  2026-11-21  nearly there\n" in out
    (found,) = json.loads(attncheck("override", str(tmp_path), "--list", "--json").out)["overrides"]  # type: ignore[attr-defined]
    assert found == {
        "learner": "bo",
        "part": "double",
        "points": 3,
        "reason": "nearly there",
        "author": "Prof. Invented",
        "at": "2026-11-21T12:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        (
            "en",
            [
                "This will delete bo’s submissions in the gradebook with all their points (1),",
                "  .intake/abc\n  bo.json\n",
                "Kept, because others share it",
                "team\n",
                "Not deleted, because it is elsewhere (grading it again would bring bo back):\n/in/class.zip\n",
                "out/mine.html\n",
            ],
        ),
        ("zh", ["将删除 bo 的以下内容：", "位于别处，不会改动", "/in/class.zip"]),
    ],
)
@pytest.mark.parametrize("agreed", [True, False])
def test_forgetting(
    agreed: bool,
    lang: str,
    fragments: list[str],
    attncheck: Attncheck,
    asked: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A person sees what goes and what stays, and decides."""
    monkeypatch.setattr("click.confirm", lambda text: agreed)
    ran = attncheck("forget", "out", "bo", "--lang", lang)
    for fragment in fragments:
        assert fragment in ran.out  # type: ignore[attr-defined]
    assert max(map(cell_len, ran.out.splitlines())) <= 80  # type: ignore[attr-defined]
    assert (ran.code, asked["removed"]) == ((0, lang) if agreed else (1, None))  # type: ignore[attr-defined]


def test_forgetting_for_programs(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """The same as data; nobody is asked."""
    data = json.loads(attncheck("forget", "out", "bo", "--yes", "--json").out)  # type: ignore[attr-defined]
    assert data == {
        "format": 1,
        "learner": "bo",
        "submissions": ["bo.py"],
        "overrides": 1,
        "requests": 0,
        "removed": ["out/.intake/abc", "out/bo.json"],
        "shared": ["team"],
        "outside": ["/in/class.zip"],
        "others": ["out/mine.html"],
    }
    assert asked["removed"] == "en"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nobody_can_be_asked(
    options: list[str], attncheck: Attncheck, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is deleted without an answer."""
    monkeypatch.setattr(forget, "can_ask", lambda: bool(options))
    ran = attncheck("forget", "out", "bo", *options)
    assert (ran.code, "nobody can answer here; give --yes" in ran.err) == (2, True)  # type: ignore[attr-defined]
    assert "asked" not in asked
