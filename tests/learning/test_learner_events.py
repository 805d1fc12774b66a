"""What grading leaves in the log."""

from __future__ import annotations

import pytest

from grader.core.model import ExerciseResult, QuestionResult, Report, Status, Text, WatchState
from grader.learning.learner_events import code_events, new_events, watch_events
from grader.learning.log import Coded
from tests.learner_logs import COURSE, START, code, hinted


def result(name: str, status: Status, misconception: str | None = None) -> ExerciseResult:
    """An exercise, graded."""
    return ExerciseResult(name, status, 0, 4, (), misconception=misconception)


def report(*results: ExerciseResult) -> Report:
    """A report on these exercises."""
    question = QuestionResult("Q3", Text("", ""), (), results)
    return Report("ada", Text("", ""), "digest", "public", (question,), (), False, (), 0.1)


@pytest.mark.parametrize("status", Status)
def test_what_was_tried_is_kept(status: Status) -> None:
    """What is missing, was not run, or could not be graded says nothing."""
    kept = code_events(COURSE, report(result("softmax", status, "no-scaling")), START)
    nothing = status in (Status.MISSING, Status.SKIPPED, Status.UNMARKED)
    assert kept == (() if nothing else (Coded(START, "attention", "softmax", status, "no-scaling"),))


def test_news_is_what_changed() -> None:
    """The last verdict on the same exercise counts."""
    log = (code("softmax", Status.FAILED), code("softmax"), hinted("softmax", 1), code("scaled_scores"))
    later = (code("softmax", hours=1), code("scaled_scores", Status.FAILED, 1), code("Heads", hours=1))
    assert new_events(later, log) == later[1:]
    assert new_events((code("softmax", Status.FAILED, misconception="no-scaling"),), (code("softmax", Status.FAILED),))


def test_a_page_of_watch() -> None:
    """Verdicts that changed, and a hint further up than any before."""
    failed = result("softmax", Status.FAILED)
    page = WatchState(report(failed), None, failed, 1, (2,), 0.1)
    assert watch_events(page, COURSE, (), START) == (code("softmax", Status.FAILED), hinted("softmax", 2))
    assert watch_events(page, COURSE, (code("softmax", Status.FAILED), hinted("softmax", 2)), START) == ()
    assert watch_events(WatchState(None, "half written", None, 0, (), 0.1), COURSE, (), START) == ()
