"""The pages that only learners of a class have: submit, submissions, results, and requests for regrading."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from grader.classroom import inbox
from grader.classroom.gradebook import LearnerRow, open_gradebook
from grader.classroom.inbox import StoredAnswers, stored_answers
from grader.classroom.inbox_view import unread_entry
from grader.classroom.results import Book, parts
from grader.classroom.service import Attempt, Service
from grader.classroom.words import policy_sentences
from grader.core import files
from grader.core.errors import AttncheckError, SubmissionError, UsageError
from grader.core.model import Course, ExerciseResult, Item, ItemResult, Message, Outcome, Report, Submission, Text
from grader.core.text import duration
from grader.course import items
from grader.grading.checker import CheckedSubmission
from grader.instructor import learner_requests, mark_reports
from grader.learning import answers_file, log
from grader.learning.log import Event
from grader.report import html
from grader.report.figures import kinds
from grader.report.figures.figure import Figure
from grader.report.figures.kinds import Picture
from grader.report.figures.run import LearnerValues
from grader.submission import Unusable, answers
from grader.submission.files import RawFile, kind_of
from grader.web import work
from grader.web.class_map import ClassWork, class_work
from grader.web.gate import note_action
from grader.web.learner import LearnerWorkspace
from grader.web.limits import RateLimit
from grader.web.people import ClassMember, ClassMembers
from grader.web.visit import LearnerVisit, existing

ANSWERS = "answers.yaml"
_HOUR, _DAY = 3600.0, timedelta(days=1)
#: The most bytes of one person's log, which each page reads in full.
_MOST_LOG = 1_000_000
#: The most bytes of one person's files.
MOST_BYTES = 20 << 20
#: The most characters in a formula. Longer ones take more than 0.2 s to judge, during which nobody else is served.
MOST_FORMULA = 1500

_TOO_OFTEN = Message("You may submit {most} times in 24 hours. You can submit again in {time}.")
_CHECKED_TOO_OFTEN = Message(
    "Your code is saved. You may check {name} {most} times an hour; you can check again in {time}."
)
_OURS = Message(
    "Something went wrong on the server. It is not your fault, and your work is saved. If it happens again, tell your "
    "instructor."
)
_LONG_FORMULA = Message("This answer has more than {most} characters; write a shorter one.")
_OTHER_ANSWERS = Message(
    "The answers.yaml that you uploaded cannot be read, or is someone else's; upload one with “learner: {id}”."
)
_FOLDER_FULL = Message("Your files take more than {most} MiB; upload only code and answers.")
_LOG_FULL = Message("Your log is full, because you have answered so often; contact your instructor.")
_NUMBERS = Message("Numbers in quiz items are drawn for {id}.")
_UNCHANGED = Message("You already submitted these files; nothing has changed since.")


@dataclass(frozen=True, slots=True)
class ClassChecker:
    """Checks one person's code on the workers of the class, as often as the course allows."""

    person: str
    service: Service
    pace: RateLimit
    clock: Callable[[], float] = time.monotonic

    def check(self, submission: Submission, exercises: tuple[str, ...]) -> CheckedSubmission:
        """Grade these exercises. Raises UsageError if the limit is reached or a check is still running."""
        now = self.clock()
        for name in exercises:
            left = self.pace.wait(f"{self.person} {name}", now)
            if left:
                raise UsageError(_CHECKED_TOO_OFTEN.fill(name=name, most=self.pace.most, time=duration(left)))
        for name in exercises:
            self.pace.note(f"{self.person} {name}", now)
        return self.service.check(self.person, submission, exercises)

    def close(self) -> None:
        """Do nothing, because the workers are shared."""


@dataclass(slots=True)
class ClassWorkspace(LearnerWorkspace):
    """The workspace of a class member, with limits on log and files. ``service`` gets errors that are not theirs."""

    RENAMES: ClassVar[bool] = False

    service: Service = field(kw_only=True)
    row: LearnerRow | None = None
    _log: log.Reader | None = None

    def events(self) -> tuple[Event, ...]:
        """See ``LearnerWorkspace``. Cached, because a class opens too many pages to parse the log for each."""
        if self._log is None:
            self._log = log.Reader(self.state, self.course.public_id)
        return self._log.events()

    def _everything(self) -> tuple[Event, ...]:
        return self.events()

    def told(self, error: AttncheckError) -> Text:
        """The text of an error for a person, without paths of this machine or details of internal errors."""
        if not isinstance(error, (UsageError, SubmissionError)):
            self.service.report(error.message)
            return _OURS
        here = f"{self.service.plan.folder}{os.sep}"
        message = error.message.on_page
        return Text(message.en.replace(here, ""), message.zh.replace(here, ""))

    def save(self, *events: Event) -> None:
        """See ``LearnerWorkspace``. Raises UsageError when the log is full."""
        with contextlib.suppress(OSError):
            if events and self.state.stat().st_size > _MOST_LOG:
                raise UsageError(_LOG_FULL)
        LearnerWorkspace.save(self, *events)

    def check_length(self, item: Item, *answers: str) -> None:
        """Raise UsageError for a formula that would take long to read."""
        if max(map(len, answers)) > MOST_FORMULA and items.is_heavy(item):
            raise UsageError(_LONG_FORMULA.fill(most=MOST_FORMULA))

    def figure(self, picture: Picture) -> tuple[Figure, LearnerValues | None]:
        """See ``LearnerWorkspace``. It is drawn by the workers of the class."""
        name = next(name for name, kind in kinds.kinds().items() if kind is picture)
        return self.service.figure(self.name, name, self.drawable(picture))

    def make_room(self, size: int, *, replaced: str = "") -> None:
        """Raise UsageError if ``size`` more bytes would be too many, when the draft ``replaced`` is gone."""
        there = sum(map(files.size, self.folder.glob("*"))) if self.folder.is_dir() else 0
        if there + self.drafts.size(but=replaced) + size > MOST_BYTES:
            raise UsageError(_FOLDER_FULL.fill(most=MOST_BYTES >> 20))

    def about_results(self) -> Text | None:
        """See ``LearnerWorkspace``."""
        rules, row = self.service.course.rules, self.row
        return None if row is None or rules.hidden_results == "always" else mark_reports.when_shown(rules, row)

    def written(self) -> tuple[str, ...]:
        """The names of the files that would be submitted, except the answers."""
        files = self.files()
        return () if files is None else tuple(sorted(raw.path for raw in files.raws if raw.kind != "answers"))

    def collected(self) -> Path:
        """The folder to submit, after saving the answers in it. Raises UsageError if there is nothing to submit."""
        given = self.answers()
        if not given and not self.written():
            raise UsageError(Message("There is nothing to submit yet: answer graded quiz items, or save code."))
        self.folder.mkdir(parents=True, exist_ok=True)
        merged = self._answers_with(given)
        others = [path for path in self.folder.glob("*") if kind_of(path.name) == "answers" and path.name != ANSWERS]
        for path in others:  # a second file would compete with the one written here
            work.set_aside(path)
        files.write(self.folder / ANSWERS, merged)
        for path in others:
            path.unlink()
        return self.folder

    def _answers_with(self, given: Mapping[str, str]) -> str:
        """The text of answers.yaml: the answers ``given`` on the pages, and others in the uploaded file that counts."""
        here = self.files()
        uploaded = next((raw for raw in here.raws if raw.kind == "answers"), None) if here is not None else None
        if uploaded is None:
            return answers_file.new_answers_file(self.name, given)
        try:
            answers = answers_file.find(uploaded.path, uploaded.data.decode("utf-8-sig"), self.name)
        except (UsageError, UnicodeDecodeError):
            raise UsageError(_OTHER_ANSWERS.fill(id=self.name)) from None
        try:
            return answers_file.merge(answers, self.name, given, given)
        except UsageError:  # its form leaves no place for more, for example JSON
            return answers_file.new_answers_file(self.name, {**answers.answers, **given})

    def stored(self) -> StoredAnswers:
        """The answers that would be submitted. Raises UsageError if an uploaded file cannot be read."""
        written = RawFile(ANSWERS, "answers", self._answers_with(self.answers()).encode())
        try:
            read = answers.read(written).answers
        except Unusable:  # no answers yet
            return StoredAnswers()
        return stored_answers(self.course, Submission(self.name, (), read))


def graded_items(course: Course) -> tuple[Item, ...]:
    """The graded items of a course."""
    return tuple(item for item in course.items if item.use == "graded")


@dataclass(frozen=True, slots=True)
class ClassVisit(LearnerVisit):
    """A request to the pages of a learner of a class. Staff have a workspace, too, but no submissions."""

    learner: ClassWorkspace
    people: ClassMembers

    @property
    def person(self) -> ClassMember:
        """Who is signed in."""
        person: ClassMember = self.request.state.person
        return person

    @property
    def service(self) -> Service:
        """The class server. Its course is the full one; learners see its edition."""
        return self.learner.service

    @property
    def folder(self) -> Path:
        """The folder of the class."""
        return self.service.plan.folder

    @property
    def revision(self) -> str:
        """A token for the state of the person's submissions."""
        return self.service.revision(self.people.learners[self.person.id])

    def attempts(self) -> tuple[Attempt, ...]:
        """The submissions of the person."""
        return self.service.attempts(self.people.learners[self.person.id])

    def attempt(self, name: str) -> Attempt:
        """A submission of the person. Raises HTTPException (404) if they have none with this name."""
        return existing(next((attempt for attempt in self.attempts() if attempt.name == name), None))

    def hides(self, attempt: Attempt) -> bool:
        """Whether a submission is graded, but its results may not be shown yet."""
        if attempt.state != "graded" or attempt.mark is None:
            return False
        return mark_reports.withholds_results(self.service.course.rules, attempt.mark.learner, datetime.now(UTC))

    def shows(self, attempt: Attempt) -> bool:
        """Whether results may be shown. Points count as results, because they reveal whether an answer was correct."""
        return attempt.state == "graded" and attempt.mark is not None and not self.hides(attempt)

    def class_work(self) -> ClassWork | None:
        """See ``LearnerVisit``. None for staff."""
        row, now = self.people.learners.get(self.person.id), datetime.now(UTC)
        if row is None:
            return None
        attempts = [(attempt, self.shows(attempt)) for attempt in self.attempts()]
        return class_work(self.learner.course, self.service.course.rules, row, attempts, now)

    def when_shown(self) -> Text:
        """When results are shown."""
        row = self.people.learners.get(self.person.id)
        assert row is not None  # these pages are for learners
        return mark_reports.when_shown(self.service.course.rules, row)

    def show_attempts(
        self, template: str, seen: str, attempts: tuple[Attempt, ...], only: str | None = None, **given: Any
    ) -> Response:
        """A page with a list of submissions, or the one called ``only``, that says when it was ``seen``."""
        return self.show(
            template,
            seen=seen,
            only=only,
            attempts=attempts,
            shown={attempt.name: self.shows(attempt) for attempt in attempts},
            waits=_are_pending(attempts),
            **given,
        )


# ------------------------------------------------------------------------------------------ submitting


def submit(visit: ClassVisit) -> Response:
    """Submit the current files and answers."""
    learner, most = visit.people.learners[visit.person.id], visit.service.course.pace.submissions_per_day
    with visit.service.submitting(learner):  # several windows submit one after another, and all of them count
        now = datetime.now(UTC)
        earlier = sorted(attempt.receipt.at for attempt in visit.attempts())
        recent = [time for time in earlier if time > now - _DAY]
        if len(recent) >= most:
            left = (recent[-most] + _DAY - now).total_seconds()
            raise UsageError(_TOO_OFTEN.fill(most=most, time=duration(left)))
        receipt, new = visit.service.submit(learner, visit.learner.collected(), now)
    name = inbox.attempt_name(receipt)
    if new:
        note_action(visit.folder, visit.person, "submitted", submission=name)
    return overview_page(visit, Message("Submitted. Keep the receipt.") if new else _UNCHANGED, name)


def attempts_state(visit: ClassVisit) -> Response:
    """The list of submissions, or the named one, for a page that waits for results.

    Empty (204) if nothing has changed, so that screen readers do not repeat it. The page of one submission is reloaded
    when it is graded.
    """
    seen = visit.revision  # read before the data, so that a change in between is found the next time
    if visit.request.query_params.get("seen") == seen:
        return Response(status_code=204)
    name = visit.request.query_params.get("name")
    attempts = visit.attempts() if name is None else (visit.attempt(name),)
    if name is not None and not _are_pending(attempts):
        return Response(headers={"HX-Refresh": "true"})
    return visit.show_attempts("attempts.html", seen, attempts, name)


def overview_page(visit: ClassVisit, message: Text | None = None, name: str | None = None) -> Response:
    """What would be submitted, and earlier submissions; after submitting, with a ``message`` on what has this name."""
    course, seen = visit.service.course, visit.revision
    problem, stored = None, StoredAnswers()
    try:
        stored = visit.learner.stored()
    except UsageError as error:
        problem = error.message
    graded = {item.id for item in graded_items(course)}
    numbers = _NUMBERS.fill(id=visit.person.id)
    return visit.show_attempts(
        "submit.html",
        seen,
        visit.attempts(),
        written=visit.learner.written(),
        answered=len(graded.intersection(stored.items)),
        unread=[unread_entry(entry) for entry in stored.unread],
        problem=problem,
        items=len(graded_items(visit.learner.course)),
        rules=[*policy_sentences(course.rules), visit.when_shown(), numbers],
        said=message,
        new=name,
        halted=visit.service.halted is not None,
    )


def sign_out_page(visit: ClassVisit) -> Response:
    """A page with a button to sign out; ``Gate`` handles the form."""
    return visit.show("sign_out.html")


# ------------------------------------------------------------------------------------------ results


def attempt_page(visit: ClassVisit) -> Response:
    """One submission: files, state, results if they may be shown, and a form to request regrading."""
    seen, attempt = visit.revision, visit.attempt(visit.named("name"))
    mark, shown = attempt.mark, visit.shows(attempt)
    return visit.show_attempts(
        "attempt.html",
        seen,
        (attempt,),
        attempt.name,
        attempt=attempt,
        unread=[unread_entry(entry) for entry in attempt.receipt.unread],
        mark=mark if shown else None,
        later=visit.when_shown() if visit.hides(attempt) else None,
        why=mark_reports.error_message(mark, visit.lang) if mark is not None else None,
        deduction=mark_reports.deduction(mark) if mark is not None and shown else None,
        parts=_parts(visit.service) if shown else (),
        asked=learner_requests.list_requests(visit.folder, visit.person.id),
    )


def download_receipt(visit: ClassVisit) -> Response:
    """The receipt of a submission, for `attncheck submit --verify`."""
    attempt = visit.attempt(visit.named("name"))
    headers = {"Content-Disposition": f'attachment; filename="receipt-{attempt.name}.json"'}
    return Response(attempt.receipt.to_json(), media_type="application/json", headers=headers)


def report_page(visit: ClassVisit) -> Response:
    """The report on a submission, as `attncheck export html` writes it, but with the learners' edition."""
    attempt, service = visit.attempt(visit.named("name")), visit.service
    if attempt.mark is None or not visit.shows(attempt):
        raise HTTPException(404)
    with contextlib.closing(open_gradebook(visit.folder)) as gradebook:
        report = existing(mark_reports.report_with_overrides(Book.of(gradebook, service.course), attempt.mark))
    assert attempt.mark.work is not None
    report = _for_learners(service.edition, service.course, report)
    whose = html.PageLearner(visit.person.name, attempt.mark.work.row.seed_name)
    text = html.render(report, service.edition, visit.lang, whose=whose)
    policy = f"{html.policy(html.sheet())}; img-src data:; frame-ancestors 'none'"
    return HTMLResponse(text, headers={"Content-Security-Policy": policy})


def request_regrading(visit: ClassVisit) -> Response:
    """Save a request for regrading."""
    name = visit.attempt(visit.named("name")).name
    part, reason = visit.sent("part"), visit.sent("reason")
    if part is None or part not in _parts(visit.service) or reason is None:
        raise HTTPException(400)
    learner_requests.add_request(visit.folder, visit.person.id, part, reason, datetime.now(UTC))
    note_action(visit.folder, visit.person, "asked for regrading", submission=name, part=part)
    return RedirectResponse(f"/submissions/{name}#requests", 303)


def _parts(service: Service) -> tuple[str, ...]:
    """The parts that a request can be about: graded items and exercises of the questions that count."""
    counting = {question.id for question in service.counting}
    return tuple(part.name for part in parts(service.course).values() if part.question in counting)


def _are_pending(attempts: Sequence[Attempt]) -> bool:
    """Whether any of ``attempts`` is not graded yet."""
    return any(attempt.state in ("waiting", "running") for attempt in attempts)


def _for_learners(edition: Course, whole: Course, report: Report) -> Report:
    """``report`` as far as the learners' edition may tell it.

    Hidden cases have the names of the edition, because their real names reveal what they test. Misconceptions that the
    edition lacks are left out, because what they say about an answer gives away the key. The digest is that of the
    edition, because that of the course would tell somebody who guesses its keys whether the guess is right.
    """

    def outcome(part: Outcome, names: Mapping[str, str]) -> Outcome:
        return replace(part, case=names.get(part.case, part.case)) if part.visibility == "hidden" else part

    def exercise(result: ExerciseResult) -> ExerciseResult:
        own, theirs = whole.exercise(result.name), edition.exercise(result.name)
        if own is None or theirs is None:
            return result
        names = {case.name: renamed.name for case, renamed in zip(own[1].cases, theirs[1].cases, strict=True)}
        return replace(result, outcomes=tuple(outcome(part, names) for part in result.outcomes))

    def item(result: ItemResult, question: str) -> ItemResult:
        belief = whole.misconception(question, result.misconception)
        if belief is None or edition.misconception(question, belief.id) is not None:
            return result
        message = None if result.message == belief.truth else result.message
        return replace(result, misconception=None, message=message)

    questions = (
        replace(
            part,
            items=tuple(item(result, part.id) for result in part.items),
            exercises=tuple(map(exercise, part.exercises)),
        )
        for part in report.questions
    )
    return replace(report, questions=tuple(questions), course_digest=edition.digest)
