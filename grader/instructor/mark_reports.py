"""Marks for exports and pages: those that count, their reports with overrides, as learners may see them, summaries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from grader.classroom.gradebook import LearnerRow
from grader.classroom.marks import Mark, PartResult, results_open, with_overrides
from grader.classroom.results import Book, parts
from grader.core.cache import cached_by_identity
from grader.core.errors import UsageError
from grader.core.model import (
    ExerciseResult,
    Lang,
    Message,
    Notice,
    Outcome,
    QuestionResult,
    Report,
    Rules,
    Status,
    Text,
)
from grader.core.score import AT_MOST_HALF, limited, overall, tidy
from grader.core.text import LABELED, OF_POINTS, STATUS, clean, points, timestamp
from grader.report import words

TAKEN_OFF = Message(
    "{before} points; after deductions for lateness and further attempts, {percent} % of them count: {earned}."
)
GIVEN = Message("Points given by the instructor: {points}.")
NOT_SHOWN = Message("Their results are not shown.")
_FROM = Message("Results are shown from {time} on, when nothing that you submit counts any more.")
_NEVER = Message("This course does not show results here.")
_PUBLIC_ONLY = Message("Only public cases and their points are shown here. {when}")
UNREADABLE = Message("This submission could not be graded: {error}")


def marks_that_count(book: Book, learner: str | None = None) -> Iterator[Mark]:
    """The marks that count, of the class or of ``learner``. Raises UsageError for an unknown learner."""
    found = False
    for mark in book.marks():
        if learner in (None, mark.learner.id):
            found = True
            if mark.counts:
                yield mark
    if learner is not None and not found:
        said = Message("There is no learner “{learner}” in the gradebook.").with_advice(
            Message("`attncheck export csv` lists them.")
        )
        raise UsageError(said.fill(learner=clean(learner)))


def mark_of(book: Book, learner: str) -> Mark:
    """The mark of ``learner``; if every attempt counts, the last one. Raises UsageError if there is none."""
    found = [mark for mark in marks_that_count(book, learner) if has_points(mark)]
    if not found:
        said = Message("{learner} has not submitted anything, so there is nothing to export.")
        raise UsageError(said.fill(learner=clean(learner)))
    return found[-1]


def has_points(mark: Mark) -> bool:
    """Whether there is anything to export: a submission, or an override without one."""
    return mark.work is not None or bool(mark.overridden)


def report_with_overrides(book: Book, mark: Mark) -> Report | None:
    """The report behind a mark, with overrides in place of the earned points; None without a graded submission."""
    report = book.report(mark)
    if report is None:
        return None
    given = {change.part: change for change in mark.overridden}
    known = parts(book.course)

    def part(result: PartResult) -> PartResult:
        if result.name not in given:
            return result
        said = GIVEN.fill(points=points(result.earned))
        if isinstance(result, ExerciseResult):
            return replace(result, remarks=(*result.remarks, said))
        status = Status.PASSED if result.earned >= result.possible else Status.FAILED
        return replace(result, status=status, message=said)

    def question(result: QuestionResult) -> QuestionResult:
        changed = with_overrides(result, given, known)
        return replace(changed, items=tuple(map(part, changed.items)), exercises=tuple(map(part, changed.exercises)))

    # Without overrides, keep the same objects, because what was computed from them is cached by identity.
    questions = tuple(map(question, report.questions)) if given else report.questions
    taken = deduction(mark)
    return replace(report, questions=questions, notices=(*report.notices, *([Notice("", taken)] if taken else [])))


def learner_report(book: Book, mark: Mark, now: datetime | None = None) -> Report | None:
    """The report behind a mark, with overrides, as its learner may see it; None without a graded submission."""
    report = report_with_overrides(book, mark)
    return None if report is None else visible_report(report, mark, book.course.rules, now)


#: The voices of diagnoses that use public cases only.
_FROM_PUBLIC = ("place", "relation", "dependency")


def visible_report(report: Report, mark: Mark, rules: Rules, now: datetime | None = None) -> Report:
    """The report as its learner may see it at ``now`` (default: the current time).

    It lacks the digest of the course, which would tell whether a guessed key is right, and hidden cases that the course
    never shows. As long as results are withheld because work can still count, it has nothing but public cases and their
    points: points given for the rest would tell which answers are correct.
    """
    now, report = now or datetime.now(UTC), replace(report, course_digest="")
    if not withholds_results(rules, mark.learner, now):
        return report
    if not is_still_open(rules, mark.learner, now):
        return replace(report, questions=tuple(map(_visible, report.questions)))
    taken = deduction(mark)
    kept = tuple(notice for notice in report.notices if notice.text != taken)
    said = _PUBLIC_ONLY.fill(when=when_shown(rules, mark.learner))
    questions = tuple(_public_part(question, mark) for question in report.questions)
    return replace(report, questions=questions, notices=(*kept, Notice("", said)))


def _public_part(question: QuestionResult, mark: Mark) -> QuestionResult:
    """A question without items, and with the public cases of its exercises alone."""
    given = {change.part for change in mark.overridden}

    def exercise(result: ExerciseResult) -> ExerciseResult:
        public, remarks = _public_outcomes(result)
        shown = replace(
            result,
            outcomes=public,
            earned=tidy(sum(outcome.earned for outcome in public)),
            possible=tidy(sum(outcome.possible for outcome in public)),
            remarks=() if result.name in given else remarks,
            diagnosis=tuple(each for each in result.diagnosis if each.voice in _FROM_PUBLIC),
            misconception=None,
            array_type=None,
        )
        if not result.outcomes:
            return replace(result, earned=0.0) if result.name in given else result
        status = overall(public)
        first = shown.first_failure
        return replace(shown, status=status, message=None if first is None else first.verdict.message)

    return replace(question, items=(), exercises=tuple(map(exercise, question.exercises)))


def _public_outcomes(result: ExerciseResult) -> tuple[tuple[Outcome, ...], tuple[Text, ...]]:
    """The outcomes of public cases, and what is remarked; both as if hidden cases had not limited the points."""
    public = [outcome for outcome in result.outcomes if outcome.visibility == "public"]
    whole = tuple(replace(each, earned=each.possible * (each.status is Status.PASSED)) for each in public)
    if any(each.check == "values" and each.status is Status.FAILED for each in public):
        return (limited(whole) if AT_MOST_HALF in result.remarks else whole), result.remarks
    return whole, tuple(remark for remark in result.remarks if remark != AT_MOST_HALF)


@cached_by_identity(512)
def _visible(question: QuestionResult) -> QuestionResult:
    """A question without the results of its hidden cases."""

    def exercise(result: ExerciseResult) -> ExerciseResult:
        public = tuple(outcome for outcome in result.outcomes if outcome.visibility == "public")
        if len(public) == len(result.outcomes):
            return result
        first = result.first_failure
        if first is not None and first.visibility == "hidden":
            result = replace(result, message=None, misconception=None)
        kept = _FROM_PUBLIC if result.misconception is None else (*_FROM_PUBLIC, "mistake")
        result = replace(result, diagnosis=tuple(each for each in result.diagnosis if each.voice in kept))
        said = words.HIDDEN_DECIDE.fill(points=points(words.hidden_points(result)), possible=points(result.possible))
        return replace(result, outcomes=public, remarks=(*result.remarks, said, NOT_SHOWN))

    return replace(question, exercises=tuple(map(exercise, question.exercises)))


def is_still_open(rules: Rules, learner: LearnerRow, now: datetime) -> bool:
    """Whether results wait, at ``now``, until nothing that the learner submits can count any more."""
    opens = results_open(learner, rules)
    return rules.hidden_results == "after-due" and (opens is None or now < opens)


def withholds_results(rules: Rules, learner: LearnerRow, now: datetime) -> bool:
    """Whether the learner must not see results at ``now``: never, or as long as anything they submit can count."""
    return rules.hidden_results == "never" or is_still_open(rules, learner, now)


def when_shown(rules: Rules, learner: LearnerRow) -> Text:
    """A sentence for the learner on when their results are shown."""
    if rules.hidden_results == "always":
        return Message("Results are shown as soon as a submission is graded.")
    opens = results_open(learner, rules) if rules.hidden_results == "after-due" else None
    return _NEVER if opens is None else _FROM.fill(time=timestamp(opens.isoformat()))


def deduction(mark: Mark) -> Text | None:
    """A sentence on deductions for lateness and further attempts; None without deductions."""
    if mark.factor == 1:
        return None
    before = tidy(sum(earned for _, earned, _ in mark.questions))
    return TAKEN_OFF.fill(before=points(before), percent=points(100 * mark.factor), earned=points(mark.earned))


def error_message(mark: Mark, lang: Lang = "en") -> str | None:
    """Why a submission could not be graded, in ``lang``; see ``error_text``."""
    said = error_text(mark)
    return None if said is None else said.of(lang)


def error_text(mark: Mark) -> Text | None:
    """Why a submission could not be graded, without its path on this machine; None if it was graded."""
    row = mark.work.row if mark.work else None
    if row is None or row.error is None:
        return None

    def said(why: str) -> str:
        return clean(why.replace(row.path, row.key) if row.path else why, 2000, lines=True)

    return Text(said(row.error.en), said(row.error.zh))


def summary(mark: Mark, lang: Lang, rules: Rules, now: datetime | None = None) -> list[str]:
    """A mark summarised for its learner: points, deductions, and the first failure of each exercise.

    Failures in hidden cases are included only if the course shows them at ``now`` (default: the current time). While
    results are withheld because work can still count, there is only a sentence that says so.
    """
    now = now or datetime.now(UTC)
    withheld = withholds_results(rules, mark.learner, now)
    if is_still_open(rules, mark.learner, now):
        return [when_shown(rules, mark.learner).of(lang)]
    said = [OF_POINTS.fill(earned=points(mark.earned), possible=points(mark.possible)).of(lang)]
    taken = deduction(mark)
    said += [taken.of(lang)] if taken else []
    for name, earned, possible in mark.questions:
        score = words.OF.fill(earned=points(earned), possible=points(possible))
        said.append(LABELED.fill(who=name, said=score).of(lang))
    for result, _ in mark.work.results if mark.work else ():
        for exercise in result.exercises:
            if exercise.status not in (Status.PASSED, Status.MISSING):
                first = exercise.first_failure
                told = not withheld or first is None or first.visibility == "public"
                what = (exercise.message if told else None) or STATUS[exercise.status]
                said.append(LABELED.fill(who=exercise.name, said=clean(what.of(lang), 300)).of(lang))
    return said
