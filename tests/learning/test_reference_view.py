"""References are shown when the course says so, and not before."""

from __future__ import annotations

import ast
from dataclasses import replace
from datetime import UTC, datetime

from grader.core.marks import bare, plain
from grader.core.model import Course, Edition, ExerciseResult, QuestionResult, Report, Rules, Status
from grader.learning.log import Coded, Event
from grader.learning.progress import progress_of
from grader.learning.reference_view import offers, refusal, show, source
from tests.helpers import WORDS, flat
from tests.learning.test_progress_view import drawn

NOW = datetime(2026, 11, 23, tzinfo=UTC)
LATER, EARLIER = "2026-11-30T00:00:00+00:00", "2026-11-01T00:00:00+08:00"


def passed(course: Course, *names: str, status: Status = Status.PASSED) -> list[Event]:
    """These exercises have this result."""
    return [Coded(NOW, course.public_id, name, status, None) for name in names]


def said(course: Course, events: list[Event], question: str = "Q3", **rules: str) -> str | None:
    """Why nothing is shown; None if it is."""
    ruled = replace(course, rules=Rules(**rules))  # type: ignore[arg-type]
    asked = ruled.question(question)
    assert asked is not None
    found = refusal(ruled, asked, progress_of(ruled, events), NOW)
    assert found is None or found.zh != found.en
    return None if found is None else found.en


def test_after_passing(course: Course) -> None:
    """All exercises of the question have to pass; the last result counts."""
    question = course.question("Q3")
    assert question is not None
    names = [exercise.name for exercise in question.exercises]
    assert "not yet: " + ", ".join(names[:-1]) in (said(course, []) or "")
    assert names[-1] in (said(course, passed(course, *names[:-1])) or "")
    assert said(course, passed(course, *names)) is None
    again = [*passed(course, *names), *passed(course, names[0], status=Status.FAILED)]
    assert (said(course, again) or "").endswith(f"not yet: {names[0]}.")


def test_other_rules(course: Course) -> None:
    """Never, and after the due date, whoever has passed; an edition has none."""
    question = course.question("Q3")
    assert question is not None
    done = passed(course, *(exercise.name for exercise in question.exercises))
    assert "does not show" in (said(course, done, show_reference="never") or "")
    assert "after 2026-11-30 00:00 UTC" in (said(course, done, show_reference="after-due", due=LATER) or "")
    late = said(course, done, show_reference="after-due", due=EARLIER, cut_off_days=60)
    assert "after 2026-12-31 00:00" in (late or ""), "late work still counts"
    assert said(course, [], show_reference="after-due", due=EARLIER) is None
    assert "has none" in (said(course, done, show_reference="after-due") or "")
    edition = replace(course, edition=Edition("digest", "1"))
    assert "edition" in (said(edition, done) or "")


def test_every_reference_is_found(course: Course) -> None:
    """Whole, as it is written; with nothing of what is hidden."""
    for question in course.questions:
        for exercise in question.exercises:
            (node,) = ast.parse(source(course, exercise)).body
            assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if question.exercises:
            text = drawn(lambda page, asked=question: show(page, course, asked, asked.exercises), "zh")
            assert all(exercise.name in text for exercise in question.exercises)
            assert "参考实现" in text


def test_the_offer_after_the_last_point(course: Course) -> None:
    """`grade` and `watch` say how to see the reference: once all of a question has passed, and the course shows it."""
    question = course.question("Q3")
    assert question is not None
    names = [exercise.name for exercise in question.exercises]
    results = tuple(ExerciseResult(name, Status.PASSED, 1.0, 1.0, outcomes=()) for name in names)
    graded = QuestionResult(question.id, question.title, exercises=results, items=())
    report = Report("ada", WORDS, "", "public", (graded,), (), False, (), 0.1)

    def offered(events: list[Event], **rules: str) -> list[str]:
        ruled = replace(course, rules=Rules(**rules))  # type: ignore[arg-type]
        return list(offers(ruled, report, progress_of(ruled, events), NOW, "en"))

    assert offered(passed(course, *names[:-1])) == []
    (line,) = offered(passed(course, *names))
    assert plain(line).endswith("`attncheck show Q3 --reference`")
    assert offered(passed(course, *names), show_reference="never") == []
    assert offered([], show_reference="after-due", due=EARLIER) == []


def test_alternatives_come_with_the_reference(course: Course) -> None:
    """Each with its note; every one is found as it is written."""
    question = course.question("Q3")
    assert question is not None
    text = drawn(lambda page: show(page, course, question, question.exercises[:1]), width=100)
    for each in question.exercises[0].alternatives:
        assert f"Another way to write softmax: {bare(each.note.en)}" in flat(text).replace("`", "")
        assert source(course, question.exercises[0], each) in text
