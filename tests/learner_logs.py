"""A small course, and events about it, for tests of what a learner knows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from grader.core.model import Case, Course, Exercise, Item, Misconception, Mistake, Parameter, Question, Status, Text
from grader.course.items.choice import Option, Spec
from grader.learning.log import Answered, Coded, Hinted, Named, Rating, Reviewed

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def at(hours: float) -> datetime:
    """So many hours after the start."""
    return START + timedelta(hours=hours)


def _item(name: str, misconception: str | None = None) -> Item:
    options = (
        Option("a", Text("Right", "对"), correct=True),
        Option("b", Text("Wrong", "错"), misconception=misconception),
        Option("c", Text("Neither", "都不是")),
    )
    return Item(name, "choice", Text(f"Ask {name}?", f"问 {name}？"), 1, "graded", Spec(options))


def _exercise(name: str, *, kind: str = "function", mistakes: tuple[Mistake, ...] = ()) -> Exercise:
    return Exercise(
        name=name,
        kind=kind,  # type: ignore[arg-type]
        signature=f"{name}(q, k)",
        parameters=(Parameter("q", True), Parameter("k", True)),
        summary=Text(f"What {name} does.", f"{name} 的作用。"),
        result=Text("(n, n)", "(n, n)"),
        reference=f"attention.{name}",
        points=4,
        cases=(Case("basic", True, ()),),
        checks=(),
        hints=(Text("First hint.", "第一条提示。"), Text("Second hint.", "第二条提示。")),
        mistakes=mistakes,
    )


NO_SCALING = Misconception(
    "no-scaling", Text("Divide by the root.", "要除以根号。"), Text("What grows?", "什么在变大？"), "Q3.why"
)
COURSE = Course(
    title=Text("Attention", "注意力"),
    public_id="attention",
    groups=(
        ("scores", Text("Scores", "得分")),
        ("heads", Text("Heads", "多头")),
        ("empty", Text("Nothing here", "空")),
    ),
    questions=(
        Question(
            "Q3",
            Text("Why scale?", "为什么要缩放？"),
            "scores",
            Text("Think.", "想一想。"),
            "q03.yaml",
            misconceptions=(NO_SCALING, Misconception("sum-is-mean", Text("It is a sum.", "它是和。"))),
            items=(_item("Q3.what", "no-scaling"), _item("Q3.why"), _item("Q3.sum", "sum-is-mean")),
            exercises=(_exercise("scaled_scores", mistakes=(Mistake("no-scaling", (), ()),)), _exercise("softmax")),
        ),
        Question(
            "Q11",
            Text("Why heads?", "为什么要多头？"),
            "heads",
            Text("Write.", "写。"),
            "q11.yaml",
            misconceptions=(Misconception("no-scaling", Text("Each head divides, too.", "每个头也要除。")),),
            items=(_item("Q11.width", "no-scaling"),),
            exercises=(_exercise("Heads", kind="class"),),
        ),
    ),
    sources=(),
    reference=(),
    digest="digest",
    folder="",
)


def right(item: str, hours: float = 0, attempt: int = 1) -> Answered:
    """A right answer."""
    return Answered(at(hours), "attention", item, "a", 1.0, Status.PASSED, None, attempt, True)


def wrong(
    item: str, hours: float = 0, misconception: str | None = "no-scaling", *, attempt: int = 1, settled: bool = True
) -> Answered:
    """A wrong answer."""
    return Answered(at(hours), "attention", item, "b", 0.0, Status.FAILED, misconception, attempt, settled)


def code(exercise: str, status: Status = Status.PASSED, hours: float = 0, misconception: str | None = None) -> Coded:
    """A verdict on code."""
    return Coded(at(hours), "attention", exercise, status, misconception)


def hinted(exercise: str, rung: int, hours: float = 0) -> Hinted:
    """A hint that was shown."""
    return Hinted(at(hours), "attention", exercise, rung)


def reviewed(card: str, rating: Rating, hours: float = 0) -> Reviewed:
    """A review."""
    return Reviewed(at(hours), "attention", card, rating)


def named(learner: str) -> Named:
    """A name."""
    return Named(START, "attention", learner)
