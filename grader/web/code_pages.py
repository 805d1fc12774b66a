"""The pages with code: the editor, reports, hints, references, and functions written from memory in a review."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from grader.core.errors import AttncheckError, SubmissionError, UsageError
from grader.core.model import Exercise, Lang, Message, Question, Status, Text
from grader.core.typesetting.html_page import HtmlPage
from grader.course import starter
from grader.grading.checker import CheckedSubmission
from grader.grading.costs import Cost
from grader.learning import log, reference_view, review, review_view
from grader.learning.drafts import Filled
from grader.learning.progress import NOT_GRADED
from grader.report import beside
from grader.report.figures import run
from grader.report.html import render_part
from grader.web.item_pages import ReviewState, chosen_rating, rated
from grader.web.learner import diagnosis_places, draft_of, report_of, syntax_error_places
from grader.web.visit import LearnerVisit, existing

#: The most characters of a report that is kept until the next check.
_MOST_REPORT = 250_000


# ------------------------------------------------------------------------------------------ the code of a question


@dataclass(frozen=True, slots=True)
class ShownReport:
    """A report beside an editor. ``places`` are marked there, as JSON; ``restored``: it was made some time ago."""

    html: Markup | None = None
    places: str = "[]"
    passed: bool = False
    restored: bool = False


def code_page(visit: LearnerVisit) -> Response:
    """The code of a question."""
    question = visit.question
    filled = visit.learner.code_filled(question, visit.lang)
    return _code_page(visit, question, filled, _last_report(visit, question, filled))


def download_code(visit: LearnerVisit) -> Response:
    """The code of a question as a file."""
    question = visit.question
    headers = {"Content-Disposition": f'attachment; filename="{starter.file_name(question)}"'}
    return PlainTextResponse(visit.learner.code(question, visit.lang), headers=headers)


def check_code(visit: LearnerVisit) -> Response:
    """Save and grade the code of a question."""
    question, text, lang = visit.question, _sent_code(visit), visit.lang
    if visit.typed("do") == "reset":
        return _code_page(visit, question, Filled({"code": (starter.stub(question, lang),)}), ShownReport())
    status, passed, places = 200, False, syntax_error_places("")
    try:
        checked = visit.learner.check(question, text, visit.sent("draft"))
    except SubmissionError as problem:
        report = _unread(problem.message, lang)
    except AttncheckError as problem:
        if visit.is_part:
            raise
        report, status = _unread(visit.learner.told(problem), lang), 400
    else:
        report = _rendered(visit, checked)
        places = diagnosis_places(checked.report, visit.learner.file(question).name)
        passed = checked.report.passed
    marks = json.dumps(places or syntax_error_places(text.replace("\r\n", "\n")))
    shown = ShownReport(report, marks, passed)
    if status == 200:
        _keep_report(visit, question, shown)
    if visit.is_part:
        known = visit.learner.progress().question(question.id)
        seen = _refusal(visit, question) is None
        return visit.show("checked.html", question=question, report=shown, has_reference=seen, known=known, again=True)
    return _code_page(visit, question, _after_check(visit, question, text), shown, status)


def _sent_code(visit: LearnerVisit) -> str:
    """The code in a form. Raises HTTPException (400) if there is none."""
    text = visit.sent("code")
    if text is None:
        raise HTTPException(400)
    return text


def _after_check(visit: LearnerVisit, question: Question, text: str) -> Filled:
    """The editor after ``text`` was sent, with the draft that is left: another window's, if any."""
    draft = visit.learner.drafts.read(draft_of(question))
    entry = {"code": (text,)}
    return Filled(entry) if draft is None else Filled(entry, other=draft.entry, version=draft.version)


def _keep_report(visit: LearnerVisit, question: Question, shown: ShownReport) -> None:
    """Keep the last report beside the drafts, unless it is too large."""
    drafts, text = visit.learner.drafts, str(shown.html)
    if len(text) > _MOST_REPORT:
        drafts.settle(report_of(question))
        return
    fields = {visit.lang: (text,), "places": (shown.places,), "passed": ("1",) if shown.passed else ()}
    with contextlib.suppress(UsageError):
        drafts.write(report_of(question), fields)


def _last_report(visit: LearnerVisit, question: Question, filled: Filled) -> ShownReport:
    """The last report on the code of a question; an empty one if there is none in this language."""
    kept = visit.learner.drafts.read(report_of(question))
    if kept is None or visit.lang not in kept.entry:
        return ShownReport()
    places = "[]" if filled.version else kept.entry["places"][0]  # the lines of a draft may be others
    report = Markup(kept.entry[visit.lang][0])  # rendered by ``check_code``
    return ShownReport(report, places, bool(kept.entry["passed"]), restored=True)


def _code_page(
    visit: LearnerVisit, question: Question, filled: Filled, shown: ShownReport, status: int = 200
) -> Response:
    return visit.show(
        "code.html",
        status=status,
        question=question,
        known=visit.learner.progress().question(question.id),
        code=_after_newline(filled.entry["code"][0]),
        filled=filled,
        other=_other_code(filled),
        pictures=run.pictures(visit.learner.course, question),
        hints={exercise.name: visit.learner.hints(exercise) for exercise in question.exercises},
        conventions=starter.conventions(question.exercises),
        has_reference=_refusal(visit, question) is None,
        report=shown,
    )


def _after_newline(text: str) -> Markup:
    """Code for a textarea, after a newline, because browsers drop the first newline in it."""
    return Markup("\n{}").format(text)


def _other_code(filled: Filled) -> str:
    """The code of another window; empty if there is none."""
    return next(iter((filled.other or {}).get("code", ())), "")


def _rendered(visit: LearnerVisit, checked: CheckedSubmission) -> Markup:
    course = visit.learner.course
    return Markup(render_part(checked.report, course, visit.lang, checked.pictures, style=False))


def _unread(problem: Text, lang: Lang) -> Markup:
    """The message in place of a report if code cannot be read."""
    page = HtmlPage(lang)
    page.lines(problem.of(lang), lead="✗", style="red")
    return page.html


# ------------------------------------------------------------------------------------------ hints and references


def next_hint(visit: LearnerVisit) -> Response:
    """One more hint for an exercise."""
    question, exercise = visit.exercise
    visit.learner.next_hint(exercise)
    if visit.is_part:
        return visit.show("hints.html", exercise=exercise, shown=visit.learner.hints(exercise))
    return RedirectResponse(f"/questions/{question.id}/code#{exercise.name}", 303)


def _refusal(visit: LearnerVisit, question: Question) -> Text | None:
    return reference_view.refusal(visit.learner.course, question, visit.learner.progress(), log.now())


def reference_page(visit: LearnerVisit) -> Response:
    """The references of a question. Raises UsageError if the course does not show them yet."""
    question = visit.question
    refused = _refusal(visit, question)
    if refused is not None:
        raise UsageError(refused)
    costs = visit.learner.costs(question)
    parts = [
        _compared(visit, question, exercise, of_exercise)
        for exercise, of_exercise in zip(question.exercises, costs, strict=True)
    ]
    heads = beside.heads(visit.lang)
    return visit.show("reference.html", question=question, parts=parts, heads=heads, compare=reference_view.COMPARE)


def _compared(visit: LearnerVisit, question: Question, exercise: Exercise, costs: tuple[Cost, ...]) -> tuple[Any, ...]:
    """A section of the page: the name, the learner's source, those of the course, rows of costs, and remarks."""
    course = visit.learner.course
    sources: list[tuple[Text, str]] = [(Message("Reference"), reference_view.source(course, exercise))]
    for alternative in exercise.alternatives:
        sources.append((alternative.note, reference_view.source(course, exercise, alternative)))
    remarks, units = [*beside.differences(costs)], beside.counted_units_sentence(costs)
    if units:
        remarks.append(units)
    mine = visit.learner.own_source(question, exercise)
    return exercise.name, mine, sources, beside.rows(costs, visit.lang), remarks


# ------------------------------------------------------------------------------------------ from memory


@dataclass(frozen=True, slots=True)
class MemoryState:
    """Where a function that is written from memory stands: checks and hints so far, the rating, and the report."""

    tries: int = 0
    seen: int = 0
    rated: ReviewState | None = None
    filled: Filled = field(default_factory=lambda: Filled({}))
    report: Markup | None = None
    places: str = "[]"


def memory_page(visit: LearnerVisit) -> Response:
    """A function to write from memory."""
    question, exercise = visit.exercise
    draft = visit.learner.drafts.read(draft_of(exercise))
    filled = draft or Filled({"code": (_stub(visit, question, exercise),)})
    return _memory_page(visit, exercise, filled.entry["code"][0], MemoryState(filled=filled))


def check_memory(visit: LearnerVisit) -> Response:
    """Code in a review, a hint, or the learner's own rating."""
    question, exercise = visit.exercise
    learner, command, onward = visit.learner, visit.typed("do"), f"/review/next?after={exercise.name}"
    if not any(card.name == exercise.name for card in learner.cards()):
        raise HTTPException(404)
    if command == "rate":
        learner.rate_done(exercise.name, chosen_rating(visit))
        learner.drafts.settle(draft_of(exercise))
        return RedirectResponse(onward, 303)
    text = _sent_code(visit)
    state = MemoryState(visit.count("tries"), min(visit.count("seen"), len(exercise.hints)))
    state = replace(state, filled=_keep_code(visit, exercise, text))
    if command == "hint":
        learner.hint_in_review(exercise, state.seen)
        return _memory_page(visit, exercise, text, replace(state, seen=state.seen + 1))
    if command == "skip":
        if state.tries:
            learner.rate(exercise.name, "again")
            learner.drafts.settle(draft_of(exercise))
        return RedirectResponse(onward, 303)
    if text.split() != _stub(visit, question, exercise).split():
        state = _checked(visit, question, exercise, text, state)
    return _memory_page(visit, exercise, text, state)


def _checked(visit: LearnerVisit, question: Question, exercise: Exercise, text: str, state: MemoryState) -> MemoryState:
    """``state`` after ``text`` was graded, and the exercise rated if it passed with help."""
    try:
        checked = visit.learner.check_from_memory(question, exercise, text)
    except SubmissionError as problem:
        places = json.dumps(syntax_error_places(text.replace("\r\n", "\n")))
        return replace(state, report=_unread(problem.message, visit.lang), places=places)
    status, tries, rating = checked.report.questions[0].exercises[0].status, state.tries, None
    if status is Status.PASSED and (tries or state.seen):
        rating = review.rating(Status.PASSED, tries + 1, helped=state.seen > 0)
        visit.learner.rate(exercise.name, rating)
        state = replace(state, rated=rated(visit, exercise.name, rating))
    elif status is Status.PASSED:
        state = replace(state, rated=ReviewState(exercise.name, words=("good", "easy")))
    return replace(
        state,
        tries=tries if status in NOT_GRADED else tries + 1,
        report=_rendered(visit, checked),
        places=json.dumps(diagnosis_places(checked.report, f"{exercise.name}.py")),
    )


def _keep_code(visit: LearnerVisit, exercise: Exercise, text: str) -> Filled:
    """The form after what was sent was saved as a draft. One that cannot be saved is still on the page."""
    entry = {"code": (text.replace("\r\n", "\n"),)}
    try:
        return visit.learner.keep(exercise, entry, visit.sent("draft"))
    except UsageError:
        return Filled(entry)


def _stub(visit: LearnerVisit, question: Question, exercise: Exercise) -> str:
    """What to start from: the stub of ``exercise`` alone."""
    return starter.stub(replace(question, exercises=(exercise,)), visit.lang)


def _memory_page(visit: LearnerVisit, exercise: Exercise, text: str, state: MemoryState) -> Response:
    page, cards = HtmlPage(visit.lang), visit.learner.cards()
    # An exercise that never passed has no card, so there is nothing to review.
    card = existing(next((card for card in cards if card.name == exercise.name), None))
    names = [queued.name for queued in review.queue(cards, log.now())]
    number = names.index(exercise.name) + 1 if exercise.name in names else 1
    review_view.task(page, card, number, max(len(names), number))
    return visit.show(
        "memory.html",
        exercise=exercise,
        said=page.html,
        code=_after_newline(text),
        state=state,
        other=_other_code(state.filled),
        ratings=review_view.KNOWN,
    )
