"""What people see of their progress."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.core.model import Course, Lang, Status
from grader.core.page import Page
from grader.learning import progress_view
from grader.learning.log import Event
from grader.learning.progress import Progress, progress_of
from tests.helpers import flat
from tests.learner_logs import COURSE, code, hinted, named, right, wrong

#: A little of everything.
EVENTS: tuple[Event, ...] = (
    named("ada"),
    right("Q3.what"),
    wrong("Q3.why", misconception=None, settled=False),
    wrong("Q3.sum", misconception="sum-is-mean"),
    replace(right("Q11.width"), status=Status.PENDING),
    code("scaled_scores", Status.FAILED, misconception="no-scaling"),
    hinted("softmax", 1),
    hinted("softmax", 2),
    code("softmax"),
)


def drawn(write: Callable[[Page], None], lang: Lang = "en", *, width: int = 80, colour: bool = False) -> str:
    """What ``write`` puts on a terminal."""
    out = io.StringIO()
    system = "truecolor" if colour else None
    write(Page(Console(file=out, width=width, color_system=system, force_terminal=colour, highlight=False), lang))
    return out.getvalue()


def overview(events: Sequence[Event], lang: Lang = "en", *, due: int = 0, course: Course = COURSE, **how: int) -> str:
    """The map of these events."""
    return drawn(lambda page: progress_view.overview(page, progress_of(course, events), course, due), lang, **how)  # type: ignore[arg-type]


def detail(events: Sequence[Event], name: str, lang: Lang = "en") -> str:
    """One question."""
    return drawn(lambda page: progress_view.detail(page, progress_of(COURSE, events), name), lang)


@pytest.mark.parametrize(
    "fragment",
    [
        "Progress of ada",
        "items 1/4 · code 1/3",
        "Scores items 1/3 · code 1/2 Q3 ✓~✗ [✗✓]",
        "Heads items 0/1 · code 0/1 Q11 ? [.]",
        "✓ correct ✗ incorrect ~ in progress ? not auto-graded . not started",
        "Open misconceptions (2)",
        "✗ Q3, “Why scale?” (seen once) → What grows? → Q3.why asks about exactly this: `attncheck quiz Q3.why`",
        "✗ Q3, “Why scale?” (seen once)",
        "attncheck quiz Q3 Also due for review: 3 (`attncheck review`).",
    ],
)
def test_the_map(fragment: str) -> None:
    """Groups, a mark for everything, what is believed wrongly, what comes next."""
    assert fragment in flat(overview(EVENTS, due=3))


RIGHT = [right(name) for name in ("Q3.what", "Q3.why", "Q3.sum", "Q11.width")]
PASSED = [code(name) for name in ("scaled_scores", "softmax", "Heads")]


@pytest.mark.parametrize("name", ["x" * 200, "名" * 200])
@pytest.mark.parametrize("width", [40, 80])
def test_long_names_wrap(name: str, width: int) -> None:
    """The heading has the whole name, on as many lines as it takes, none of them wider than the terminal."""
    text = overview([named(name), *EVENTS[1:]], width=width)
    assert name in "".join(text.split())
    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.parametrize(
    ("events", "due", "fragment"),
    [
        ((), 0, "Nothing is saved here yet. To begin: attncheck questions"),
        ((), 0, "attncheck grade q03.py grade it"),
        ((wrong("Q3.what", 0), wrong("Q3.what", 1)), 0, "Q3, “Why scale?” (seen 2 times)"),
        ((wrong("Q3.what"), right("Q3.what", 1)), 0, "Resolved (1): Q3, “Why scale?”"),
        ((wrong("Q3.what"), right("Q3.what", 1), wrong("Q3.why", 2)), 0, "attncheck quiz Q3"),
        ((*RIGHT[:3], wrong("Q11.width"), *PASSED[:2]), 0, "attncheck start Q11 work"),
        ((*RIGHT[:3], wrong("Q11.width"), *PASSED), 0, "attncheck quiz --again"),
        ((*RIGHT, *PASSED), 0, "Everything is correct"),
    ],
)
def test_what_is_said(events: tuple[Event, ...], due: int, fragment: str) -> None:
    """Each state of affairs has its sentence."""
    assert fragment in flat(overview(events, due=due))


def test_many_misconceptions_stay_on_the_page() -> None:
    """Five of each are named, the others counted."""
    names = [f"belief-{number}" for number in range(7)]
    q3 = COURSE.questions[0]
    beliefs = tuple(replace(q3.misconceptions[1], id=name) for name in names)
    course = replace(COURSE, questions=(replace(q3, misconceptions=beliefs), *COURSE.questions[1:]))
    events = [wrong("Q3.sum", hours, name) for hours, name in enumerate(names)]
    still = flat(overview(events, course=course))
    assert "Open misconceptions (7)" in still and still.count("✗ Q3, “") == 5
    assert "and 2 more; `attncheck progress Q…` shows those of one question" in still
    mended = flat(overview([*events, right("Q3.sum", 9)], course=course))
    assert "Resolved (7): Q3, “Why scale?” and others" in mended


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("events", [(), EVENTS], ids=["empty", "full"])
def test_the_map_fits(lang: Lang, width: int, events: tuple[Event, ...]) -> None:
    """No line is wider than the terminal, in either language."""
    assert max(map(cell_len, overview(events, lang, due=2, width=width).splitlines())) <= width


def test_24_questions_are_few_lines() -> None:
    """The map of a whole course fits on a screen; cells stand below each other."""
    q3 = COURSE.questions[0]
    questions = tuple(replace(q3, id=f"Q{number}", items=q3.items * 3) for number in range(1, 25))
    lines = overview(EVENTS[:2], course=replace(COURSE, questions=questions)).splitlines()
    rows = [line for line in lines if line.startswith("  Q")]
    assert len(rows) == 8
    assert {tuple(at for at, char in enumerate(row) if char == "Q") for row in rows} == {(2, 23, 44)}


def test_colour_is_an_extra() -> None:
    """What colours say, marks say."""
    styled, plain = overview(EVENTS, colour=True), overview(EVENTS)
    assert "\x1b[" in styled and "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", styled) == plain


def test_groups_that_the_course_does_not_name_come_last() -> None:
    """Under the name that the question gives."""
    course = replace(COURSE, groups=COURSE.groups[1:])
    text = overview(EVENTS, course=course)
    assert text.index("Heads") < text.index("scores")


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("Q3", "Q3 Why scale? items 1/3 · code 1/2"),
        ("Q3", "✓ Q3.what correct on the first attempt 2026-03-01"),
        ("Q3", "~ Q3.why in progress 2026-03-01"),
        ("Q3", "✗ Q3.sum incorrect 2026-03-01"),
        ("Q3", "✗ scaled_scores not correct yet 2026-03-01"),
        ("Q3", "✓ softmax passed; 2 of 2 hints used; practice points 2.56 of 4"),
        ("Q3", "Misconceptions found ✗ Q3, “Why scale?” (seen once) → What grows?"),
        ("Q11", "? Q11.width not auto-graded"),
        ("Q11", ". Heads not started"),
    ],
)
def test_a_question_in_detail(name: str, fragment: str) -> None:
    """Every item, exercise and misconception in a line or two."""
    assert fragment in flat(detail(EVENTS, name))


def test_tries_and_truths() -> None:
    """How many tries it took; what is true instead, once that is known."""
    events = (wrong("Q3.what"), right("Q3.what", 1, attempt=2), right("Q3.why", 1, attempt=3))
    text = flat(detail(events, "Q3"))
    assert "✓ Q3.what correct on the second attempt" in text and "✓ Q3.why correct on attempt 3" in text
    assert "✓ Q3, “Why scale?” (seen once) cleared up Divide by the root." in text
    chinese = flat(detail(events, "Q3", "zh"))
    assert "第二次答对" in chinese and "Q3“为什么要缩放？”（出现过 1 次） 已理清 要除以根号。" in chinese


@pytest.mark.parametrize(
    ("rung", "taken", "no_more", "fragments"),
    [
        (1, 1, False, ["softmax, hint 1 of 2: First hint.", "(3.2 of 4 left here); they never affect your grade"]),
        (2, 2, False, ["Second hint. This was the last hint for softmax.", "(2.56 of 4 left here)"]),
        (2, 2, True, ["There are no more hints for softmax; --rung N shows an earlier one again."]),
        (1, 2, False, ["First hint. Hints cost practice points only (2.56 of 4 left here)"]),
    ],
)
def test_a_hint(rung: int, taken: int, no_more: bool, fragments: list[str]) -> None:
    """The hint, what it costs, and whether it was the last."""
    exercise = COURSE.questions[0].exercises[1]
    text = flat(drawn(lambda page: progress_view.hint(page, exercise, rung, taken, no_more=no_more)))
    for fragment in fragments:
        assert fragment in text


def test_as_data() -> None:
    """The same for programs, in JSON."""
    progress: Progress = progress_of(COURSE, EVENTS)
    data = json.loads(json.dumps(progress_view.as_json(progress, 3)))
    assert (data["format"], data["learner"], data["due"]) == (1, "ada", 3)
    assert data["questions"][0]["items"][2] == {
        "id": "Q3.sum",
        "standing": "wrong",
        "tries": 1,
        "at": "2026-03-01T12:00:00Z",
        "made": None,
    }
    assert data["questions"][0]["exercises"][1] == {
        "function": "softmax",
        "standing": "right",
        "status": "passed",
        "hints": 2,
        "at": "2026-03-01T12:00:00Z",
    }
    assert data["questions"][0]["misconceptions"][0]["open"] is True
    assert data["questions"][1]["exercises"][0]["at"] is None


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles"])
def test_days_at_the_ends_of_the_calendar(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that was wrong when something was done does not hide the rest."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        assert progress_view._day(datetime.max.replace(tzinfo=UTC)) == "9999-12-31"
        assert progress_view._day(datetime.min.replace(tzinfo=UTC)) == "0001-01-01"
        assert progress_view._day(datetime(2026, 11, 21, 12, tzinfo=UTC)) == "2026-11-21"
    time.tzset()
