"""Shows a report in a terminal: points, the first failure of each exercise, and what to do next."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

from grader.core.layout import cells, shorten, wrap
from grader.core.model import (
    Course,
    Difference,
    ExerciseResult,
    ItemResult,
    Lang,
    Message,
    Misconception,
    Notice,
    Outcome,
    Question,
    QuestionResult,
    Report,
    Status,
    Text,
    WatchState,
)
from grader.core.page import Page, python
from grader.core.text import COMMA, LABELED, OF_POINTS, SEMICOLON, STATUS, clean, clean_marked, duration, points
from grader.course import misconceptions
from grader.report import explained, words
from grader.report.words import check_label

PERHAPS = Message("perhaps only as a result: {names}")
SEED = Message("seed: {seed}")
WATCH_KEYS = Message("n next · h hint · ? keys · q quit")
WATCH_DONE = Message("n what is next · ? keys · q quit")
WATCH_QUIT = Message("? keys · q quit")
COUNT_UNWRITTEN = Message("{count} not written yet: {names}")
MORE_ANSWERS = Message("answers to {count} more questions: {right} correct")

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

_MARK = {
    Status.PASSED: ("✓", "green"),
    Status.MISSING: ("–", "dim"),
    Status.SKIPPED: ("–", "dim"),
    Status.PENDING: ("…", "cyan"),
    Status.UNMARKED: ("!", "magenta"),
}
#: Checks that fail whether or not other results are right.
_INDEPENDENT = ("values", "memory", "operations", "raises", "registered_parameters", "unchanged_inputs")
#: Checks that compare all values, too: on their own they fail with a message of their own.
_OF_VALUES = ("fully_masked_rows",)
_WRONG = ("✗", "red")
_UNREAD = ("?", "yellow")
#: The lines that the overview of ``watch`` may always take, and the cells that points need at the end of one.
_LEAST_ROOM, _SHARE = 5, 20
#: In these states no check ran; the message of the exercise says why.
_NOT_TRIED = (Status.MISSING, Status.SKIPPED)


def render(report: Report, course: Course, lang: Lang, console: Console, *, notebook: bool = False) -> None:
    """Writes ``report`` to ``console``, which may be in a ``notebook``. ``course`` has the texts of misconceptions."""
    page = Page(console, lang)
    page.notebook = notebook
    _head(page, report)
    _urgent(page, report)
    for result in report.questions:
        _question(page, result, course)
    _foot(page, report)


def render_watch(
    page: WatchState, course: Course, lang: Lang, console: Console, *, keys: bool, after: Sequence[str] = ()
) -> None:
    """Writes what ``attncheck watch`` shows: a line for each exercise, then the exercise to work on now.

    ``after`` are lines to show below it.
    """
    if console.is_terminal:
        console.clear()
    out = Page(console, lang)
    if page.report is not None:
        # What to fix now must not push the points off the screen: the overview gets a third of it.
        room = max(_LEAST_ROOM, console.height // 3) if console.is_terminal else sys.maxsize
        _watched(out, page, page.report, course, room)
    if page.error is not None:
        out.lines(clean_marked(out.say(page.error), 1200, lines=True), style="yellow")
    if after:
        out.blank()
        out.lines("\n".join(after))
    if keys:
        out.blank()
        done = page.report is not None and page.report.code_passed
        out.lines(out.say(WATCH_KEYS if page.left else WATCH_DONE if done else WATCH_QUIT), style="dim")


def _watched(page: Page, now: WatchState, report: Report, course: Course, room: int) -> None:
    earned = page.say(OF_POINTS, earned=points(report.earned), possible=points(report.possible))
    page.row([(clean(report.learner), "bold")], earned, style="bold")
    _unconfined(page, report)
    _urgent(page, report)
    every = [exercise for question in report.questions for exercise in question.exercises]
    _overview(page, every, room)
    _all_answers(page, report.questions, max(_LEAST_ROOM, room - len(every)))
    page.rule()
    if now.current is None:
        if report.code_passed or report.passed:
            page.lines(page.say(words.all_passed(report)), style="bold green")
        _elsewhere(page, report)
        return
    match = course.exercise(now.current.name)
    _exercise(page, now.current, course, match[0] if match else None)
    hints = match[1].hints if match else ()
    for number in now.hints if match else ():
        page.lines(page.say(hints[number - 1]), indent=4, lead=f"{number}. ", style="cyan")


def _overview(page: Page, every: Sequence[ExerciseResult], room: int) -> None:
    """A line for each exercise. If there are more than ``room``, what is correct or not written is only counted."""
    crowded = len(every) > room
    counted = (Status.PASSED, Status.MISSING) if crowded else ()
    single = [exercise for exercise in every if exercise.status not in counted]
    kept = room - 3 if crowded else room  # three lines count the others
    for result in single[:kept]:
        _row(page, *mark(result), result.name, [result])
    if more := single[kept:]:
        _row(page, *_WRONG, page.say(Message("{count} more, not correct yet"), count=len(more)), more)
    passed = [exercise for exercise in every if crowded and exercise.status is Status.PASSED]
    missing = [exercise for exercise in every if crowded and exercise.status is Status.MISSING]
    if passed:
        _row(page, *_MARK[Status.PASSED], page.say(Message("{count} correct"), count=len(passed)), passed)
    if missing:
        names = page.say(COMMA).join(exercise.name for exercise in missing)
        line = shorten(page.say(COUNT_UNWRITTEN, count=len(missing), names=names), page.width - _SHARE)
        _row(page, *_MARK[Status.MISSING], line, missing)


def _row(page: Page, sign: str, colour: str, said: str, results: Sequence[ExerciseResult | ItemResult]) -> None:
    earned, possible = sum(each.earned for each in results), sum(each.possible for each in results)
    share = page.say(words.OF, earned=points(earned), possible=points(possible))
    page.row([(f"  {sign} ", colour), (said, "")], share, style="dim")


def _all_answers(page: Page, questions: Sequence[QuestionResult], room: int) -> None:
    """The answers to each question; only the first ``room`` questions, without single answers, if there are more."""
    answered = [asked for asked in questions if any(item.status is not Status.MISSING for item in asked.items)]
    singly = sum(1 + sum(item.status not in (Status.MISSING, Status.PASSED) for item in q.items) for q in answered)
    for question in answered[:room]:
        _answers(page, question, whole=singly <= room)
    if more := [item for question in answered[room:] for item in question.items if item.status is not Status.MISSING]:
        right = sum(item.status is Status.PASSED for item in more)
        _row(page, "…", "dim", page.say(MORE_ANSWERS, count=len(answered) - room, right=right), more)


def _answers(page: Page, question: QuestionResult, *, whole: bool) -> None:
    """A line for the answers to a question; if ``whole``, also one for each that cannot be read or is not correct."""
    given = [item for item in question.items if item.status is not Status.MISSING]
    right = sum(item.status is Status.PASSED for item in given)
    unread = sum(item.unread for item in given)
    failed = any(item.status not in (Status.PASSED, Status.PENDING) and not item.unread for item in given)
    open_ = _UNREAD if unread else _MARK[Status.PENDING]
    sign, colour = _WRONG if failed else _MARK[Status.PASSED] if right == len(given) else open_
    counted = words.ANSWERS_RIGHT_SOME_UNREAD if unread else words.ANSWERS_RIGHT
    line = f"{question.id}  {page.say(counted.fill(right=right, count=len(given), unread=unread))}"
    _row(page, sign, colour, line, given)
    for item in given if whole else ():
        if item.unread:
            message = "" if item.message is None else clean_marked(page.say(item.message), 600, lines=True)
            page.lines(page.say(LABELED, who=item.id, said=message), indent=4, lead=f"{_UNREAD[0]} ", style=_UNREAD[1])
        elif item.status is not Status.PASSED:
            said = page.say(LABELED, who=item.id, said=page.say(STATUS[item.status]))
            page.lines(said, indent=4, lead="· " if item.status is Status.PENDING else "✗ ", style="dim")


# ------------------------------------------------------------------------------------------ the parts


def _head(page: Page, report: Report) -> None:
    earned = page.say(OF_POINTS, earned=points(report.earned), possible=points(report.possible))
    learner = clean(report.learner)
    free = page.width - cells(learner) - cells(earned) - 6
    title = "  " + shorten(page.say(report.course_title), free) if free > 10 else ""
    page.row([(learner, "bold"), (title, "dim")], earned, style="bold")
    page.rule()
    if report.late_by_seconds is not None:
        page.lines(page.say(words.LATE, time=duration(report.late_by_seconds)), style="yellow")


def _urgent(page: Page, report: Report) -> None:
    """Notices about what was not graded come first."""
    for notice in report.notices:
        if notice.urgent:
            _notice(page, notice, "! ", "bold yellow")


def _notice(page: Page, notice: Notice, lead: str, style: str = "") -> None:
    line = clean_marked(page.say(notice.text), 600, lines=True)
    if notice.where:
        line = page.say(LABELED, who=clean(notice.where, 80), said=line)
    page.lines(line, indent=2, lead=lead, style=style)


def _question(page: Page, result: QuestionResult, course: Course) -> None:
    question = course.question(result.id)
    page.blank()
    earned = page.say(OF_POINTS, earned=points(result.earned), possible=points(result.possible))
    page.row([(f"{result.id}  ", "bold cyan"), (page.say(result.title), "bold")], earned, style="bold")
    for item in result.items:
        if item.status is not Status.MISSING:
            _item(page, item, question)
    missing = [item.id for item in result.items if item.status is Status.MISSING]
    if missing:
        names = page.say(COMMA).join(missing)
        page.lines(page.say(Message("not answered: {names}"), names=names), indent=2, lead="– ", style="dim")
    for exercise in result.exercises:
        _exercise(page, exercise, course, question)


def _item(page: Page, item: ItemResult, question: Question | None) -> None:
    sign, colour = mark(item)
    asked = question.item(item.id) if question is not None else None
    sealed = asked is not None and asked.sealed and item.status is Status.PENDING
    status_text = words.DECIDED_ELSEWHERE if sealed else STATUS[item.status]
    status_text = status_text if item.readable else words.NOT_READABLE
    status = "" if item.readable and item.status in (Status.PASSED, Status.FAILED) else "  " + page.say(status_text)
    earned = page.say(words.OF, earned=points(item.earned), possible=points(item.possible))
    title = f"  {page.say(asked.title)}" if asked is not None and asked.title is not None else ""
    page.row([(f"  {sign} ", colour), (item.id, ""), (title, "dim"), (status, "dim")], earned, style="dim")
    if item.reading:
        page.lines(page.say(words.READ_AS, formula=clean(item.reading, 4000, lines=True)), indent=6, style="dim")
    if item.status is not Status.PASSED and not sealed:
        message = _message(page, item.message, 4)
        belief = question.misconception(item.misconception) if question is not None else None
        if belief is not None:
            belief = misconceptions.after_answer(belief, item.id)
            _belief(page, belief, message, 4, belief.ask_next)


def mark(result: ItemResult | ExerciseResult | Outcome) -> tuple[str, str]:
    """The sign of a result and its colour; a stub has that of missing code."""
    if isinstance(result, ItemResult) and result.unread:
        return _UNREAD
    stub = isinstance(result, ExerciseResult) and words.is_stub(result)
    return _MARK.get(Status.MISSING if stub else result.status, _WRONG)


def _exercise(page: Page, exercise: ExerciseResult, course: Course, question: Question | None) -> None:
    sign, colour = mark(exercise)
    earned = page.say(words.OF, earned=points(exercise.earned), possible=points(exercise.possible))
    status = "" if exercise.status is Status.PASSED else "  " + clean_marked(page.say(words.exercise_status(exercise)))
    page.row([(f"  {sign} ", colour), (exercise.name, "bold"), (status, colour)], earned, style="dim")
    if words.is_stub(exercise):
        return
    if exercise.status is not Status.PASSED:
        first = None if exercise.status in _NOT_TRIED else exercise.first_failure
        if first is not None:
            page.lines(page.say(words.failure_heading(exercise, first, course)), indent=4, style="bold")
        _diagnosis(page, exercise, _explain(page, exercise, first, course, question))
    _printed(page, exercise)
    _tally(page, exercise)
    for remark in exercise.remarks:
        page.lines(clean_marked(page.say(remark), 600, lines=True), indent=4, lead="· ")


def _explain(
    page: Page, exercise: ExerciseResult, first: Outcome | None, course: Course, question: Question | None
) -> str:
    """What is wrong and where, then what is true instead, and a question about it. Returns the sentences."""
    indent = 4 if first is None else 6
    message = first.verdict.message if first is not None and first.verdict.message else exercise.message
    sentences = _message(page, message, indent)
    if first is not None and first.visibility == "public" and first.verdict.difference is not None:
        _difference(page, first.verdict.difference, indent)
    belief = question.misconception(exercise.misconception) if question is not None else None
    if belief is None or question is None:
        return sentences
    about = misconceptions.items_about(course, belief.id, question)  # any item about a mistake in code helps
    _belief(page, belief, sentences, indent, about[0].id if about else belief.ask_next)
    return f"{sentences}\n{page.say(belief.truth)}"


def _diagnosis(page: Page, exercise: ExerciseResult, sentences: str) -> None:
    """Why it is wrong, as far as that is not said yet: lines of source with a part underlined, and sentences."""
    left = explained.MOST_LINES
    for diagnosis in explained.to_say(exercise, sentences, page.lang):
        line = explained.quoted(diagnosis.span, page.width - 8) if diagnosis.span is not None else None
        lead = page.say(explained.place_text(diagnosis.span)) if diagnosis.span is not None and line is not None else ""
        text = clean_marked(page.say(diagnosis.text), 600)
        left -= (2 if line is not None else 0) + len(wrap(lead + text, page.width - 6))
        if left < 0:
            return
        page.lines(lead + text, indent=6, style="yellow")
        if line is not None:
            before, end = python(line.text, 0, len(line.before)), len(line.before) + len(line.marked)
            page.pieces([("        ", ""), *before, (line.marked, "bold red"), *python(line.text, end)])
            page.pieces([("        ", ""), (line.caret, "red")])


def _message(page: Page, message: Text | None, indent: int) -> str:
    """Writes ``message`` and returns it as text; empty if there is none."""
    line = "" if message is None else clean_marked(page.say(message), 1200, lines=True)
    if line:
        page.lines(line, indent=indent)
    return line


def _belief(page: Page, belief: Misconception, sentences: str, indent: int, asked: str | None) -> None:
    truth = page.say(belief.truth)
    if truth not in sentences:
        page.lines(truth, indent=indent, style="yellow")
    if belief.ask is not None and page.say(belief.ask) not in sentences:
        page.lines(page.say(belief.ask), indent=indent, lead="→ ", style="cyan")
    if asked is not None:
        practise = words.ASK_NEXT_IN_NOTEBOOK if page.notebook else words.ASK_NEXT
        page.lines(page.say(practise, item=asked), indent=indent, lead="→ ", style="cyan")


def _difference(page: Page, difference: Difference, indent: int) -> None:
    values = page.say(words.VALUES_ONLY, expected=clean(difference.expected, 200), actual=clean(difference.actual, 200))
    if difference.index:
        values = page.say(words.AT, index=list(difference.index), values=values)
    page.lines(values, indent=indent)
    if difference.size > 1:
        share = page.say(words.DIFFERING, differing=difference.differing, size=difference.size)
        page.lines(share, indent=indent, style="dim")


def _printed(page: Page, exercise: ExerciseResult) -> None:
    """What the learner's code printed in the case to fix first, one line for each of its own."""
    if text := words.printed(exercise):
        page.lines(page.say(words.PRINTED), indent=6)
        for line in text.split("\n"):
            page.pieces([("        │ ", "dim"), (shorten(line, page.width - 10), "")])


def _tally(page: Page, exercise: ExerciseResult) -> None:
    """One line about the checks, and one about the points that hidden cases decide."""
    counted = [outcome for outcome in exercise.outcomes if outcome.verdict.applies]
    if not counted or exercise.status in _NOT_TRIED:
        return
    decided = [outcome for outcome in counted if outcome.status is not Status.PENDING]
    passed = sum(outcome.status is Status.PASSED for outcome in decided)
    parts = [page.say(words.CHECKS, passed=passed, all=len(decided))]
    failed = [outcome for outcome in decided if outcome.status is not Status.PASSED]
    lost = Counter(outcome.check for outcome in failed)
    if passed and lost:
        messages = {name: {outcome.verdict.message for outcome in failed if outcome.check == name} for name in lost}
        own = [name for name in _OF_VALUES if name in lost and not messages[name] <= messages.get("values", set())]
        names = {
            name: page.say(check_label(name)) + (f" ×{times}" if times > 1 else "") for name, times in lost.items()
        }
        own.append(failed[0].check)  # which the report says to fix first
        plain = [name for name in names if "values" not in names or name in (*_INDEPENDENT, *own)]
        perhaps = [names[name] for name in names if name not in plain]
        for said, listed in ((Message("not passed: {names}"), [names[name] for name in plain]), (PERHAPS, perhaps)):
            parts += [page.say(said, names=page.say(COMMA).join(listed))] if listed else []
    if exercise.array_type is not None:
        parts.append(page.say(words.GIVEN[exercise.array_type]))
    line = page.say(SEMICOLON).join(parts)
    if exercise.file is not None:
        line = page.say(LABELED, who=clean(exercise.file, 60), said=line)
    page.lines(line, indent=4, style="dim")
    if hidden := words.hidden_points(exercise):
        share = page.say(words.HIDDEN_DECIDE, points=points(hidden), possible=points(exercise.possible))
        page.lines(share, indent=4, style="dim")


def _foot(page: Page, report: Report) -> None:
    page.blank()
    if (report.passed or report.code_passed) and report.questions:
        page.lines(page.say(words.all_passed(report)), style="bold green")
    _elsewhere(page, report)
    if not report.complete:
        page.lines(page.say(words.INCOMPLETE), lead="! ", style="magenta")
    rest = [notice for notice in report.notices if not notice.urgent]
    if rest:
        page.lines(page.say(words.NOTES), style="bold")
    for notice in rest:
        _notice(page, notice, "· ")
    if report.not_attempted:
        names = page.say(COMMA).join(ranges(report.not_attempted))
        page.lines(page.say(Message("Not attempted: {names}"), names=names), style="dim")
    _provenance(page, report)


def _elsewhere(page: Page, report: Report) -> None:
    if report.pending_points:
        page.lines(page.say(words.ELSEWHERE, points=points(report.pending_points)), style="cyan")


def _unconfined(page: Page, report: Report) -> None:
    if report.unsafe:
        page.lines(page.say(words.NO_SANDBOX), lead="! ", style="bold yellow")


def _provenance(page: Page, report: Report) -> None:
    _unconfined(page, report)
    layers = page.say(words.SANDBOX, layers=page.say(COMMA).join(report.layers)) if report.layers else ""
    parts = [] if report.unsafe else [layers or page.say(words.NOTHING_RUN)]
    parts += [page.say(SEED, seed=words.seed(report)), page.say(words.SECONDS, seconds=f"{report.shown_seconds:.1f}")]
    page.lines(page.say(SEMICOLON).join(parts), style="dim")


# --------------------------------------------------------------------------------------------- ranges


def ranges(names: Iterable[str]) -> list[str]:
    """Consecutive numbered names as ranges: ``Q1``, ``Q2``, ``Q3`` become ``Q1–Q3``."""
    runs: list[tuple[str, str]] = []
    for name in names:
        if runs and _follows(runs[-1][1], name):
            runs[-1] = (runs[-1][0], name)
        else:
            runs.append((name, name))
    return [first if first == last else f"{first}–{last}" for first, last in runs]


def _follows(before: str, name: str) -> bool:
    one, two = (re.fullmatch(r"(\D*)(\d+)", text) for text in (before, name))
    return bool(one and two and one[1] == two[1] and int(one[2]) + 1 == int(two[2]))
