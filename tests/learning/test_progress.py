"""Events in, what is known out."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import pytest

from grader.core.model import ExerciseResult, QuestionResult, Report, Status, Text, WatchState
from grader.learning.log import Coded, Event, Explained, Skipped
from grader.learning.progress import code_events, hints_taken, new_events, progress_of, watch_events
from tests.learner_logs import COURSE, START, code, hinted, named, right, wrong


@pytest.mark.parametrize(
    ("events", "standing", "tries"),
    [
        ((), "new", 0),
        ((Skipped(START, "attention", "Q3.what"),), "new", 0),
        ((right("Q3.what"),), "right", 1),
        ((wrong("Q3.what", settled=False),), "begun", 1),
        ((wrong("Q3.what", settled=False), right("Q3.what", 1, attempt=2)), "right", 2),
        ((wrong("Q3.what"),), "wrong", 1),
        ((right("Q3.what"), wrong("Q3.what", 1)), "wrong", 1),
        ((right("Q3.what"), wrong("Q3.what", 1, settled=False)), "begun", 1),
        ((replace(right("Q3.what"), status=Status.PENDING, fraction=0.0),), "waiting", 1),
        ((replace(wrong("Q3.what"), status=Status.MISSING, value=""),), "wrong", 1),
        ((right("Q9.gone"),), "new", 0),
    ],
)
def test_an_item_stands_as_it_was_answered_last(events: tuple[Event, ...], standing: str, tries: int) -> None:
    """Not by the best answer: what is forgotten is not known."""
    item = progress_of(COURSE, events).question("Q3").items[0]
    assert (item.standing, item.tries) == (standing, tries)


def test_key_points_are_those_of_the_last_answer() -> None:
    """Ticked by the learner beside the model answer; a new answer has none yet."""
    pending = replace(right("Q3.what"), status=Status.PENDING, fraction=0.0)
    ticked = Explained(START, "attention", "Q3.what", ("a", "c"), 3)
    assert progress_of(COURSE, (pending, ticked)).question("Q3").items[0].made == (2, 3)
    assert progress_of(COURSE, (pending, ticked, pending)).question("Q3").items[0].made is None


@pytest.mark.parametrize(
    ("events", "standing", "hints", "practice"),
    [
        ((), "new", 0, 0),
        ((code("scaled_scores"),), "right", 0, 4),
        ((code("scaled_scores", Status.RAISED),), "wrong", 0, 0),
        ((code("scaled_scores"), code("scaled_scores", Status.FAILED, 1)), "wrong", 0, 0),
        ((hinted("scaled_scores", 2), hinted("scaled_scores", 1, 1), code("scaled_scores")), "right", 2, 2.56),
        ((hinted("scaled_scores", 9),), "new", 2, 0),
        ((hinted("softmax", 1),), "new", 0, 0),
    ],
)
def test_an_exercise_stands_as_it_was_graded_last(
    events: tuple[Event, ...], standing: str, hints: int, practice: float
) -> None:
    """With the highest hint taken, which costs practice points and nothing else."""
    exercise = progress_of(COURSE, events).question("Q3").exercises[0]
    assert (exercise.standing, exercise.hints, exercise.practice) == (standing, hints, practice)


@pytest.mark.parametrize(
    ("events", "still"),
    [
        ((wrong("Q3.what"),), True),
        ((wrong("Q3.what"), right("Q3.sum", 1)), True),
        ((wrong("Q3.what"), right("Q3.what", 1)), False),
        ((wrong("Q3.what"), right("Q3.why", 1)), False),  # what the misconception says to ask next
        ((wrong("Q3.what"), code("scaled_scores", hours=1)), False),  # it has a mistake of that name
        ((wrong("Q3.what"), code("softmax", hours=1)), True),
        ((wrong("Q3.what"), right("Q11.width", 1)), False),  # the same belief in another question
        ((right("Q3.what"), wrong("Q3.what", 1)), True),
        ((wrong("Q3.what"), right("Q3.what", 1), wrong("Q3.what", 2)), True),
        ((code("scaled_scores", Status.FAILED, misconception="no-scaling"),), True),
        ((code("softmax", Status.FAILED, misconception="no-scaling"), code("softmax")), False),
    ],
)
def test_a_misconception_is_open_until_something_about_it_is_right(events: tuple[Event, ...], still: bool) -> None:
    """Since the last time that it showed."""
    (belief,) = progress_of(COURSE, events).question("Q3").beliefs
    assert (belief.belief.id, belief.open) == ("no-scaling", still)


def test_misconceptions_are_counted_where_they_showed() -> None:
    """Each in its own question, the latest first; unknown ones are nobody's."""
    events = (
        wrong("Q11.width", 1),
        wrong("Q3.what", 2),
        wrong("Q3.what", 3),
        wrong("Q3.sum", 4, "sum-is-mean"),
        wrong("Q3.sum", 5, "never-heard-of"),
    )
    found = [(b.question.id, b.belief.id, b.times) for b in progress_of(COURSE, events).beliefs]
    assert found == [("Q3", "sum-is-mean", 1), ("Q3", "no-scaling", 2), ("Q11", "no-scaling", 1)]


def test_sums() -> None:
    """How many are right, and whether anything was done, even if only a hint was taken."""
    events = (named("old"), right("Q3.what"), code("softmax"), hinted("Heads", 1), named("ada"))
    progress = progress_of(COURSE, events)
    assert progress.learner == "ada"
    assert [(q.right, len(q.standings), q.begun) for q in progress.questions] == [(2, 5, True), (0, 2, True)]
    assert progress.begun and not progress_of(COURSE, ()).begun
    assert len(progress.items) == 4


def test_hints_taken() -> None:
    """The highest rung, of the exercise asked for."""
    assert hints_taken((hinted("softmax", 2), hinted("softmax", 1), hinted("scaled_scores", 3)), "softmax") == 2
    assert hints_taken((), "softmax") == 0


def test_the_fold_changes_nothing() -> None:
    """The same events give the same, as often as one likes."""
    events = (wrong("Q3.what"), code("softmax"), hinted("softmax", 1))
    assert dataclasses.asdict(progress_of(COURSE, events)) == dataclasses.asdict(progress_of(COURSE, events))


# -------------------------------------------------------------------------- what grading adds to the log


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
    page = WatchState(report(failed), None, failed, 1, (2,))
    assert watch_events(page, COURSE, (), START) == (code("softmax", Status.FAILED), hinted("softmax", 2))
    assert watch_events(page, COURSE, (code("softmax", Status.FAILED), hinted("softmax", 2)), START) == ()
    assert watch_events(WatchState(None, "half written", None, 0, ()), COURSE, (), START) == ()
