"""Results are shown only when nothing that their learner submits can count any more."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.classroom.gradebook import GradingRun, LearnerRow, Override, SubmissionRow
from grader.classroom.marks import GradedSubmission, Mark, Marking, marks, results_open
from grader.core.model import (
    Diagnosis,
    ExerciseResult,
    ItemResult,
    Notice,
    Outcome,
    QuestionResult,
    Report,
    Rules,
    Status,
    Text,
    Verdict,
)
from grader.core.score import AT_MOST_HALF, limited
from grader.instructor import mark_reports
from grader.instructor.mark_reports import visible_report, when_shown, withholds_results

DUE = datetime(2026, 11, 30, 15, 59, 59, tzinfo=UTC)
RUN = GradingRun(DUE, 0.1, "public", "c", (), (), False)
POSSIBLE = {"Q3": 10.0}
T = Text("t", "题")
Count = Literal["best", "last", "each"]

DAYS = st.floats(0, 12)
RULES = st.builds(
    Rules,
    due=st.sampled_from([None, DUE.isoformat(), "2026-12-01T00:00:00.5+08:00"]),
    late_percent=st.sampled_from([0.0, 7.0, 10.0, 30.0, 100 / 3, 50.0, 99.9, 100.0]),
    grace_hours=st.sampled_from([0.0, 1.0, 30.0, 50.5]),
    cut_off_days=st.sampled_from([None, 0.0, 0.1, 1.0, 2.5, 7.0]),
    attempts=st.sampled_from(get_args(Count)),
    attempt_percent=st.sampled_from([0.0, 20.0, 100.0]),
    hidden_results=st.sampled_from(["always", "after-due", "never"]),
)


def work(points: float, at: datetime | None, attempt: int) -> GradedSubmission:
    """A submission that earns ``points`` of ten before deductions."""
    item = ItemResult("Q3.a", "choice", Status.FAILED, points, 10.0)
    row = SubmissionRow(f"ada-{attempt}", "", ("ada",), f"d{attempt}", "ada", at, False, attempt)
    return GradedSubmission(row, ((QuestionResult("Q3", T, (item,), ()), RUN),))


def most(rules: Rules, ada: LearnerRow, *works: GradedSubmission) -> float:
    """What counts for her: the points that count, or all of them together if each attempt does."""
    return sum(mark.earned for mark in marks(ada, works, Marking(POSSIBLE, rules)) if mark.counts)


@given(
    RULES,
    st.sampled_from([0.0, -5.0, 0.5, 48.0]),
    st.lists(st.tuples(st.floats(0, 10), DAYS), max_size=3),
    DAYS,
    st.floats(0, 40),
    st.integers(1, 4),
)
@example(Rules(DUE.isoformat(), grace_hours=1.0, late_percent=10.0, hidden_results="after-due"), 0.0, [], 0.01, 0.0, 1)
def test_nothing_submitted_after_results_were_shown_adds_points(
    rules: Rules, extra: float, before: list[tuple[float, float]], seen: float, later: float, attempt: int
) -> None:
    """Whatever the due date, extra time, grace, lateness, cut-off, attempts and what was submitted before."""
    ada = LearnerRow("ada", "Ada", "", extra)
    start = DUE - timedelta(days=3)
    now = start + timedelta(days=seen)
    if rules.hidden_results == "always" or withholds_results(rules, ada, now):
        return
    times = sorted((min(start + timedelta(days=day), now), points) for points, day in before)
    works = [work(points, at, number) for number, (at, points) in enumerate(times, 1)]
    more = work(10.0, now + timedelta(days=later), len(works) + attempt)
    assert most(rules, ada, *works, more) <= most(rules, ada, *works)


@given(RULES, st.sampled_from([0.0, -5.0, 0.5, 48.0]))
def test_results_open_soon_after_that(rules: Rules, extra: float) -> None:
    """Six minutes before, a first submission still earned something; a course without an end never opens them."""
    ada, rules = LearnerRow("ada", "Ada", "", extra), replace(rules, hidden_results="after-due")
    opens = results_open(ada, rules)
    ends = rules.due is not None and (rules.cut_off_days is not None or rules.late_percent > 0)
    assert (opens is not None) == ends
    if opens is not None:
        assert most(rules, ada, work(10.0, opens - timedelta(minutes=6), 1)) > 0
        assert withholds_results(rules, ada, opens - timedelta(seconds=1)) and not withholds_results(rules, ada, opens)
        assert opens.strftime("%Y-%m-%d %H:%M") in when_shown(rules, ada).en


@pytest.mark.parametrize(
    ("rules", "en", "zh"),
    [
        (Rules(), "Results are shown as soon as a submission is graded.", "评分完成后立即公布结果。"),
        (Rules(hidden_results="never"), "This course does not show results here.", "本课程不在这里公布结果。"),
        (
            Rules(DUE.isoformat(), 50.0, 2.0, hidden_results="after-due"),
            "Results are shown from 2026-12-03 16:04 UTC on, when nothing that you submit counts any more.",
            "2026-12-03 16:04 UTC 起公布结果，那时再提交也不再计分。",
        ),
    ],
)
def test_a_learner_is_told_when(rules: Rules, en: str, zh: str) -> None:
    """With their extra time, in both languages."""
    found = when_shown(rules, LearnerRow("ada", "Ada", "", 48.0))
    assert (found.en, found.zh) == (en, zh)


def graded(*, right: bool) -> tuple[Report, Mark]:
    """A late submission whose answer, hidden case and points by hand are right, or wrong."""
    status, earned = (Status.PASSED, 1.0) if right else (Status.FAILED, 0.0)
    said = Text(f"told {right}", f"说了 {right}")
    verdict = Verdict(status, said, misconception=None if right else "secret")
    outcomes = (
        Outcome("values", "seen", "public", Verdict(Status.PASSED), 1, 1),
        Outcome("values", "unseen", "hidden", verdict, earned, 1),
        Outcome("dtype", "seen", "public", Verdict(Status.PASSED), 1, 1),
    )
    outcomes = outcomes if right else limited(outcomes)
    points_of_f = sum(outcome.earned for outcome in outcomes)
    code = ExerciseResult("f", status, points_of_f, 3, outcomes, said, verdict.misconception, "f.py", "torch", (said,))
    code = replace(code, diagnosis=(Diagnosis("mistake", said),), array_type="torch" if right else "numpy")
    by_hand = ExerciseResult("g", Status.PASSED, earned, 1, ())
    item = ItemResult("Q1.a", "choice", status, earned, 1, said, verdict.misconception, "x = 1")
    question = QuestionResult("Q1", T, (item,), (code, by_hand))
    override = [Override("ada", part, earned, "why", "staff", DUE) for part in ("f", "g")]
    row = SubmissionRow("k", "", ("ada",), "d", "ada", DUE)
    ada = LearnerRow("ada", "Ada")
    points = (("Q1", question.earned, question.possible),)
    mark = Mark(ada, GradedSubmission(row, ((question, RUN),)), points, 0.9, 60.0, overridden=tuple(override))
    notices = [Notice("", text) for text in (T, mark_reports.deduction(mark)) if text is not None]
    return Report("ada", T, "d", "s", (question,), (), False, (), 1.0, tuple(notices)), mark


def test_what_is_shown_before_does_not_depend_on_results() -> None:
    """Neither a report nor a summary says which answer, hidden case or points by hand there are; later both do."""
    rules = Rules(DUE.isoformat(), 10.0, hidden_results="after-due")
    for now, same in ((DUE + timedelta(hours=1), True), (DUE + timedelta(days=9, minutes=6), False)):
        shown = []
        for right in (True, False):
            report, mark = graded(right=right)
            text = repr((visible_report(report, mark, rules, now), mark_reports.summary(mark, "en", rules, now)))
            shown.append(text)
        assert (shown[0] == shown[1]) == same
        assert ("told" in shown[0]) != same
    public = visible_report(*graded(right=True), rules, DUE).questions[0].exercises[0].outcomes
    assert {outcome.case for outcome in public} == {"seen"}
    assert re.search("Results are shown from 2026-12-09 16:04", shown[0]) is None


@pytest.mark.parametrize("public", [Status.PASSED, Status.FAILED])
def test_the_limit_of_points_is_shown_before_if_public_cases_say_it(public: Status) -> None:
    """Points and remark; where only a hidden case is wrong, neither is there yet."""
    rules = Rules(DUE.isoformat(), 10.0, hidden_results="after-due")
    report, mark = graded(right=False)
    (question,) = report.questions
    first = replace(question.exercises[0].outcomes[0], verdict=Verdict(public))
    code = replace(
        question.exercises[0], outcomes=(first, *question.exercises[0].outcomes[1:]), remarks=(AT_MOST_HALF,)
    )
    report = replace(report, questions=(replace(question, exercises=(code,)),))
    (shown,) = visible_report(report, replace(mark, overridden=()), rules, DUE).questions[0].exercises
    told = public is Status.FAILED
    assert shown.remarks == ((AT_MOST_HALF,) if told else ())
    assert (shown.earned, shown.possible) == (1.0 if told else 2.0, 2.0)
