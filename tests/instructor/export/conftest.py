"""A small course and a gradebook in which everything that can happen to a mark has happened."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.classroom.gradebook import Gradebook, GradingRun, LearnerRow, Override, SubmissionRow, open_gradebook
from grader.classroom.results import ASKED, FILES, Book
from grader.classroom.task import pack
from grader.core.model import (
    Course,
    Difference,
    ExerciseResult,
    Item,
    ItemResult,
    Misconception,
    Notice,
    Outcome,
    Question,
    QuestionResult,
    Rules,
    Status,
    Text,
    Verdict,
)
from grader.course.items.choice import Option, Spec
from grader.course.items.number import Spec as NumberSpec
from grader.instructor.export import ExportOptions, ExportTarget, export
from tests.tiny import give

#: What somebody may be called who wants to do harm: a formula, markup, terminal control, text turned round.
HOSTILE = (
    '=HYPERLINK("http://evil.example","x")',
    "＝1+1",
    "@SUM(A1)",
    "</script><b onmouseover=alert(1)>&amp;",
    "\x1b[31mred\x1b[0m",
    "abc\u202edcba",
    "../../etc/passwd",
    "CON",
    'quote " and, comma; semicolon',
    "a\nb\r\nc",
    "]]> {~=#:} \\n",
    "波·李 🙂",
)

DUE = datetime(2026, 11, 20, 12, tzinfo=UTC)
RUN = GradingRun(
    DUE, 0.25, "public", "digest", (("torch", "2.13.0"), ("attncheck", "0.1.0")), ("seccomp", "rlimits"), False
)
NO_SCALING = Misconception("no-scaling", Text("Divide by √d_k.", "要除以 √d_k。"))
TITLE = Text("Attention & <output>", "注意力与输出")
ITEMS = (
    Item(
        "Q5.output",
        "choice",
        Text("What comes out?", "结果是什么？"),
        1,
        "graded",
        Spec(
            (Option("a", Text("Scores", "分数"), misconception="no-scaling"), Option("b", Text("Means", "平均"), True))
        ),
    ),
    Item(
        "Q5.size",
        "number",
        Text("How large for {d}?", "d 取 {d} 时有多大？"),
        1,
        "graded",
        NumberSpec("2 * d", {"d": (4, 8)}),
    ),
    Item("Q5.why", "text", Text("Why?", "为什么？"), 1, "graded", None),
)
COURSE = Course(
    Text("Attention", "注意力"),
    "test",
    (),
    (
        Question("Q5", TITLE, "self-attention", Text("Write.", "写。"), "q05.yaml", (), (NO_SCALING,), ITEMS),
        Question("Q6", Text("Lookup", "查找"), "self-attention", Text("Write.", "写。"), "q06.yaml"),
    ),
    (),
    (),
    "digest",
    "",
    Rules(due=DUE.isoformat(), late_percent=10, hidden_results="after-due"),
)
SECRET = Text("“my-own-words” is not what was asked.", "「my-own-words」不是所问的。")

#: A question with an item and an exercise, and another one like it.
CODE = "def double(x):\n    return 2 * x\n"
QUESTION = """
id: Q5
title: {en: Twice, zh: 两倍}
group: self-attention
prompt: {en: Write it., zh: 写出来。}
items:
  - id: Q5.output
    kind: choice
    ask: {en: What comes out?, zh: 结果是什么？}
    options:
      - {id: a, text: {en: Half, zh: 一半}}
      - {id: b, text: {en: Twice, zh: 两倍}, correct: true}
exercises:
  - function: double
    signature: (x)
    summary: {en: Twice x., zh: x 的两倍。}
    result: {en: as x, zh: 同 x}
    reference: twice.double
    points: 2
    cases:
      - {name: basic, public: true, args: {x: {normal: [3]}}}
      - {name: more, args: {x: {normal: [2, 3]}}}
    checks: [values]
"""
OTHER = QUESTION.replace("Q5", "Q6").replace("double", "twofold")


def results(right: bool = True, said: str = "x") -> tuple[QuestionResult, QuestionResult]:
    """Two questions: three items and an exercise with a public and a hidden case; one exercise that is missing."""
    status = Status.PASSED if right else Status.FAILED
    message = None if right else Text(f"raised ValueError: {said}", f"抛出 ValueError：{said}")
    difference = None if right else Difference((0,), "0.123456", "0.654321", 1, 2)
    outcomes = (
        Outcome("values", "basic", "public", Verdict(status, message, difference), 2.0 * right, 2),
        Outcome(
            "values",
            "more keys",
            "hidden",
            Verdict(status, message, difference, None, None if right else "no-scaling"),
            2.0 * right,
            2,
        ),
        Outcome("gradients", "basic", "public", Verdict(Status.SKIPPED, applies=False), 0, 0),
    )
    attention = ExerciseResult(
        "attention", status, 4.0 * right, 4, outcomes, message, None if right else "no-scaling", f"{said}.py", "torch"
    )
    items = (
        ItemResult("Q5.output", "choice", status, 1.0 * right, 1, None, None if right else "no-scaling"),
        ItemResult("Q5.size", "number", Status.MISSING, 0, 1, None if right else SECRET),
        ItemResult("Q5.why", "text", Status.PENDING, 0, 1),
    )
    missing = ExerciseResult("lookup", Status.MISSING, 0, 3, (), Text("Not defined anywhere.", "没有定义。"))
    return (
        QuestionResult("Q5", TITLE, items, (attention,)),
        QuestionResult("Q6", Text("Lookup", "查找"), (), (missing,)),
    )


def _hurry(book: Gradebook) -> None:
    """Nobody pulls the plug here."""
    book._connection.execute("PRAGMA synchronous = OFF")
    book._connection.execute("PRAGMA journal_mode = MEMORY")


@dataclass(slots=True)
class Made:
    """A folder with a gradebook, and what exporting it says."""

    folder: Path
    course: Course = COURSE
    said: list[Text] = field(default_factory=list)

    def fill(self, *people: tuple[LearnerRow, str | None, bool, float]) -> None:
        """Each as (who, key of the submission or None, right, hours late)."""
        with closing(open_gradebook(self.folder, create=True)) as book:
            book.remember("versions", {"Q5": "v", "Q6": "v"})
            book.remember_all({"questions": {"Q5": 7.0, "Q6": 3.0}, ASKED: ["Q5", "Q6"], FILES: True})
            book.enrol([who for who, *_ in people])
            handed = [
                SubmissionRow(key, f"/work/in/{key}", (who.id,), f"d{at}", who.id, DUE + timedelta(hours=late))
                for at, (who, key, _, late) in enumerate(people)
                if key is not None
            ]
            book.save_collection(handed)
            rights = {key: (right, who.id) for who, key, right, _ in people}
            for row in handed:
                right, name = rights[row.key]
                notices = () if right else (Notice(f"{name}.txt", Text("not read", "未读取")),)
                units = [("v", each) for each in results(right, name)]
                book.record(row, RUN, units, {"Q5.why": f"because {name}"}, notices)

    def change(self, edit: Callable[[Book], None]) -> None:
        """Does something to the book."""
        with closing(open_gradebook(self.folder)) as book:
            edit(Book.of(book, self.course))

    def reword(self, old: str, new: str) -> None:
        """Replace a word in everything that was graded."""
        with closing(open_gradebook(self.folder)) as book:
            connection = book._connection
            for number, body in connection.execute("SELECT id, body FROM result").fetchall():
                text = zlib.decompress(body).decode().replace(old, new)
                connection.execute("UPDATE result SET body = ? WHERE id = ?", (pack(text), number))

    def export(self, name: str, to: Path, *, force: bool = False, **options: object) -> Path:
        """Makes an export of it."""
        options.setdefault("now", DUE + timedelta(days=30))
        with closing(open_gradebook(self.folder)) as book:
            out = ExportTarget(to, self.said.append, force=force)
            export(name, Book.of(book, self.course), ExportOptions(**options), out)  # type: ignore[arg-type]
        return to

    @property
    def told(self) -> str:
        """All that was said, in English."""
        return "\n".join(text.en for text in self.said)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """An empty folder."""
    folder = tmp_path / "results"
    folder.mkdir()
    return Made(folder)


@pytest.fixture(scope="session")
def _small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Made(tmp_path_factory.mktemp("small"))
    made.fill(
        (LearnerRow("ada", "Ada Lovelace", "A", 0.0), "canvas-11", True, 3.0),
        (LearnerRow("bo", "Bo Bø"), "canvas-12", False, -1.0),
        (LearnerRow("cy", "Cy"), None, False, 0.0),
        (LearnerRow("dee", "Dee"), "canvas-14", False, -1.0),
    )

    def edit(book: Book) -> None:
        dee = next(row for row in book.gradebook.submissions() if row.key == "canvas-14")
        book.gradebook.refuse(dee, Text(f"{dee.path}: not Python", f"{dee.path}：不是 Python"))
        connection = book.gradebook._connection
        connection.execute("DELETE FROM unit WHERE content = (SELECT id FROM content WHERE digest = ?)", (dee.digest,))
        connection.execute("UPDATE submission SET answers = '{}', notices = '[]' WHERE key = 'canvas-14'")
        give(book.gradebook, Override("ada", "Q5.size", 1.0, "=my reason", "Prof. Invented", DUE))

    made.change(edit)
    return made.folder


@pytest.fixture
def small(made: Made, _small: Path) -> Made:
    """Ada is right and late (and was given a point), Bo wrong; Cy handed in nothing, Dee something unreadable."""
    shutil.copytree(_small, made.folder, dirs_exist_ok=True)
    return made


@pytest.fixture
def by_hand(small: Made) -> Made:
    """The same, but that Cy and Dee were given points for an item by hand."""

    def edit(book: Book) -> None:
        for name in ("cy", "dee"):
            give(book.gradebook, Override(name, "Q5.why", 0.5, "told me", "Prof. Invented", DUE))

    small.change(edit)
    return small


@pytest.fixture(scope="session")
def _hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Made(tmp_path_factory.mktemp("hostile"))
    made.fill(*((LearnerRow(name, name), f"key-{at}", False, -1.0) for at, name in enumerate(HOSTILE)))
    return made.folder


@pytest.fixture
def hostile(made: Made, _hostile: Path) -> Made:
    """A class in which everybody has a name that should do harm; what they handed in is wrong."""
    shutil.copytree(_hostile, made.folder, dirs_exist_ok=True)
    return made


@pytest.fixture
def names() -> tuple[str, ...]:
    """The hostile names."""
    return HOSTILE


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two questions, of which Q5 counts."""
    made = tmp_path_factory.mktemp("course")
    (made / "questions").mkdir()
    (made / "reference").mkdir()
    (made / "questions" / "q05.yaml").write_text(QUESTION, encoding="utf-8")
    (made / "questions" / "q06.yaml").write_text(OTHER, encoding="utf-8")
    (made / "questions" / "sources.yaml").write_text("{}\n", encoding="utf-8")
    (made / "reference" / "twice.py").write_text(CODE + CODE.replace("double", "twofold"), encoding="utf-8")
    return made
