from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from grader.classroom.gradebook import GradingRun, LearnerRow, Override, SubmissionRow
from grader.classroom.marks import CoursePart, GradedSubmission, Mark, Marking, late_by, marks, remaining_share
from grader.core.model import ExerciseResult, ItemResult, Outcome, QuestionResult, Rules, Status, Text, Verdict

DUE = datetime(2026, 11, 30, 16, tzinfo=UTC)
RULES = Rules(due="2026-12-01T00:00:00+08:00", late_percent=10, grace_hours=1, cut_off_days=5)
ADA = LearnerRow("ada", "Ada")
RUN = GradingRun(DUE, 0.1, "public", "c", (), (), False)
POSSIBLE = {"Q3": 5.0, "Q5": 2.0}
PARTS = {
    part.name: part
    for part in (CoursePart("Q3.a", "Q3", 1.0), CoursePart("softmax", "Q3", 4.0), CoursePart("Q5.a", "Q5", 2.0))
}


def result(name: str = "Q3", item: float = 1.0, code: float = 4.0, status: Status = Status.PASSED) -> QuestionResult:
    """A question with an item of one point and an exercise of four."""
    outcome = Outcome("values", "basic", "public", Verdict(status), code, 4.0)
    exercise = ExerciseResult("softmax", status, code, 4.0, (outcome,))
    return QuestionResult(name, Text("t", "题"), (ItemResult("Q3.a", "choice", status, item, 1.0),), (exercise,))


def small(name: str = "Q5", points: float = 2.0) -> QuestionResult:
    """A question with one item."""
    return QuestionResult(name, Text("t", "题"), (ItemResult("Q5.a", "choice", Status.PASSED, points, 2.0),), ())


def work(*results: QuestionResult, hours: float = -1, attempt: int = 1, error: str | None = None) -> GradedSubmission:
    """A submission handed in so many hours after it was due."""
    row = SubmissionRow(f"ada-{attempt}", "", ("ada",), "d", "ada", DUE + timedelta(hours=hours), False, attempt, error)
    return GradedSubmission(row, tuple((each, RUN) for each in results))


def one(*works: GradedSubmission, rules: Rules = RULES, overrides: tuple[Override, ...] = ()) -> Mark:
    """The mark that counts."""
    (found,) = (mark for mark in marks(ADA, works, Marking(POSSIBLE, rules), overrides) if mark.counts)
    return found


@pytest.mark.parametrize(
    ("hours", "extra", "late"), [(-1, 0, 0), (0, 0, 0), (2, 0, 7200), (2, 24, 0), (30, 24, 6 * 3600)]
)
def test_late_is_after_what_is_due_for_the_learner(hours: float, extra: float, late: float) -> None:
    """Zones are heeded, and extra time is part of what is due."""
    assert late_by(work(hours=hours).row, LearnerRow("ada", "", "", extra), RULES) == late


@pytest.mark.parametrize(
    ("due", "extra", "late"), [("9999-12-31T23:59:59Z", 48.0, 0), ("2026-11-20T12:00:00Z", 1e300, 0)]
)
def test_due_at_the_end_of_the_calendar(due: str, extra: float, late: float) -> None:
    """What is due in the year 9999 is never due, and extra time changes nothing about it."""
    assert late_by(work(hours=99).row, LearnerRow("ada", "", "", extra), Rules(due=due)) == late


def test_without_a_date_or_a_time_nothing_is_late() -> None:
    """Nothing is guessed."""
    assert late_by(work(hours=99).row, ADA, Rules()) == 0
    assert late_by(SubmissionRow("ada", "", ("ada",), late=True), ADA, RULES) == 0


@pytest.mark.parametrize(
    ("hours", "attempt", "rules", "left"),
    [
        (0, 1, RULES, 1.0),
        (1, 1, RULES, 1.0),
        (1.1, 1, RULES, 0.9),
        (24, 1, RULES, 0.9),
        (24.1, 1, RULES, 0.8),
        (120, 1, RULES, 0.5),
        (120.1, 1, RULES, 0.0),
        (2000, 1, Rules(late_percent=10), 0.0),
        (2000, 1, Rules(), 1.0),
        (2, 1, Rules(cut_off_days=0), 0.0),
        (47, 1, Rules(late_percent=10, grace_hours=60, cut_off_days=2), 1.0),
        (59, 1, Rules(late_percent=10, grace_hours=60, cut_off_days=2), 0.0),
        (0, 3, Rules(attempt_percent=20), 0.6),
        (0, 9, Rules(attempt_percent=20), 0.0),
        (2, 2, Rules(late_percent=50, attempt_percent=50), 0.25),
    ],
)
def test_what_is_left_over(hours: float, attempt: int, rules: Rules, left: float) -> None:
    """A part of a day is a day; grace and the cut-off are counted from what is due; never less than nothing."""
    assert remaining_share(hours * 3600, attempt, rules) == pytest.approx(left)


def test_points_add_up() -> None:
    """Over questions, before and after what is taken off."""
    mark = one(work(result(code=2.0, status=Status.FAILED), small(), hours=30))
    assert mark.questions == (("Q3", 3.0, 5.0), ("Q5", 2.0, 2.0))
    assert (mark.factor, mark.earned, mark.possible) == (0.8, 4.0, 7.0)
    assert (mark.complete, mark.passed, mark.late_seconds) == (True, False, 30 * 3600)
    assert one(work(result(), small())).passed


def test_nothing_handed_in() -> None:
    """Is a mark, too: none of the points."""
    mark = one()
    assert (mark.work, mark.earned, mark.possible, mark.passed, mark.complete) == (None, 0.0, 7.0, False, True)


def test_what_could_not_be_graded_is_not_complete() -> None:
    """An unreadable file, a question that is still to be graded, a check that we could not make."""
    assert not one(work(error=Text("not Python", "不是 Python"))).complete
    assert one(work(error=Text("not Python", "不是 Python"))).earned == 0
    assert not one(work(result())).complete
    assert not one(work(result(status=Status.UNMARKED), small())).complete


@pytest.mark.parametrize(("count", "earned", "attempt"), [("best", 7.0, 1), ("last", 3.0, 3), ("each", None, None)])
def test_attempts(count: str, earned: float | None, attempt: int | None) -> None:
    """One of them counts, or each for itself; all stay to be seen."""
    rules = Rules(attempts=count)  # type: ignore[arg-type]
    works = [
        work(result(), small(), attempt=1),
        work(result(), small(), hours=-0.5, attempt=2, error=None),
        work(result(item=0.0, code=1.0), small(), hours=0, attempt=3),
    ]
    works[1] = work(result(code=0.0), small(points=1.0), attempt=2)
    found = marks(ADA, works, Marking(POSSIBLE, rules))
    assert len(found) == 3
    counting = [mark for mark in found if mark.counts]
    if earned is None:
        assert len(counting) == 3
    else:
        (mark,) = counting
        assert mark.work is not None
        assert (mark.earned, mark.work.row.attempt) == (earned, attempt)


def test_the_best_counts_what_it_costs() -> None:
    """A little better and much later is not better."""
    rules = Rules(due=RULES.due, late_percent=50, attempts="best")
    mark = one(work(result(code=3.0), small()), work(result(), small(), hours=10, attempt=2), rules=rules)
    assert mark.work is not None
    assert mark.work.row.attempt == 1


def test_overrides() -> None:
    """A person's points take the place of those earned, in every attempt of that learner, and lateness still counts."""
    given = Override("ada", "softmax", 3.5, "right idea", "P. Invented", DUE)
    others = (Override("bo", "softmax", 0.0, "", "", DUE), given, Override("ada", "Q3.a", 0.0, "copied", "", DUE))
    mark = one(work(result(code=0.0, status=Status.FAILED), small(), hours=20), overrides=others)
    assert mark.questions[0] == ("Q3", 3.5, 5.0)
    assert mark.earned == pytest.approx(0.9 * 5.5)
    assert [change.part for change in mark.overridden] == ["softmax", "Q3.a"]


@pytest.mark.parametrize("works", [[], [work(error=Text("not Python", "不是 Python"))]])
def test_a_person_can_give_points_for_what_could_not_be_graded(works: list[GradedSubmission]) -> None:
    """Where the part's question is known."""
    given = (Override("ada", "Q5.a", 1.5, "on paper", "Prof. Invented", DUE),)
    (found,) = marks(ADA, works, Marking(POSSIBLE, RULES, PARTS), given)
    assert found.questions == (("Q3", 0.0, 5.0), ("Q5", 1.5, 2.0))
    assert (found.earned, found.overridden) == (1.5, given)


def given(part: str, points: float) -> Override:
    """Points that a person gave Ada."""
    return Override("ada", part, points, "on paper", "P. Invented", DUE)


@pytest.mark.parametrize(
    ("points", "question", "passed"), [(4.0, ("Q3", 5.0, 5.0), True), (1.0, ("Q3", 2.0, 5.0), False)]
)
def test_points_by_hand_settle_what_we_could_not_mark(
    points: float, question: tuple[str, float, float], passed: bool
) -> None:
    """All points of the part could be earned, whatever our fault took out; then nothing waits for us."""
    item = result().items
    outcome = Outcome("values", "basic", "public", Verdict(Status.UNMARKED), 0.0, 0.0)
    code = ExerciseResult("softmax", Status.UNMARKED, 0.0, 0.0, (outcome,))
    unmarked = work(QuestionResult("Q3", Text("t", "题"), item, (code,)), small())
    (before,) = marks(ADA, [unmarked], Marking(POSSIBLE, RULES, PARTS))
    assert (before.questions[0], before.complete, before.passed) == (("Q3", 1.0, 1.0), False, False)
    (after,) = marks(ADA, [unmarked], Marking(POSSIBLE, RULES, PARTS), (given("softmax", points),))
    assert (after.questions[0], after.complete, after.passed) == (question, True, passed)


def test_points_by_hand_for_everything_make_a_mark_complete() -> None:
    """Where a submission could not be graded, a person may do it; with only some of it done it is not whole."""
    unreadable = [work(error=Text("not Python", "不是 Python"))]
    every = [given(part, 0.5) for part in PARTS]
    (half,) = marks(ADA, unreadable, Marking(POSSIBLE, RULES, PARTS), every[:2])
    (whole,) = marks(ADA, unreadable, Marking(POSSIBLE, RULES, PARTS), every)
    assert (half.complete, half.earned, whole.complete, whole.earned) == (False, 1.0, True, 1.5)


@pytest.mark.parametrize("attempts", ["last", "each"])
def test_the_last_is_the_last_that_was_handed_in(attempts: str) -> None:
    """Whatever order names have: submission_100 comes before submission_99 in the gradebook."""
    later = work(small(), attempt=2)
    later = replace(later, row=replace(later.row, key="submission_100"))
    earlier = work(small())
    found = marks(ADA, [later, earlier], Marking(POSSIBLE, Rules(attempts=attempts)))  # type: ignore[arg-type]
    last = [mark.work for mark in found if mark.counts][-1]
    assert [mark.work for mark in found] == [earlier, later]
    assert last == later


@pytest.mark.parametrize("attempts", ["last", "best"])
def test_what_comes_too_late_replaces_nothing(attempts: str) -> None:
    """A submission after the cut-off leaves the mark as it was; it counts only if there is no other."""
    rules = Rules(due=DUE.isoformat(), cut_off_days=2, attempts=attempts)  # type: ignore[arg-type]
    times = [DUE - timedelta(hours=1), DUE + timedelta(hours=1), DUE + timedelta(days=3)]
    works = [work(small(), attempt=number) for number in (1, 2, 3)]
    works = [replace(each, row=replace(each.row, at=at)) for each, at in zip(works, times, strict=True)]
    assert [mark.counts for mark in marks(ADA, works, Marking(POSSIBLE, rules))] == [False, True, False]
    (alone,) = marks(ADA, works[2:], Marking(POSSIBLE, rules))
    assert alone.counts and alone.earned == 0
