"""The pages that only learners of a class have: submit, submissions, results, and requests for regrading."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from grader.classroom import inbox
from grader.classroom.gradebook import LearnerRow, open_gradebook
from grader.classroom.inbox import StoredAnswers, stored_answers
from grader.classroom.inbox_view import unread_entry
from grader.classroom.marks import Mark
from grader.classroom.results import parts
from grader.classroom.service import Attempt, Service
from grader.classroom.words import policy_sentences
from grader.core import files
from grader.core.errors import AttncheckError, SubmissionError, UsageError
from grader.core.filename import portable_folder
from grader.core.model import (
    Course,
    Exercise,
    ExerciseResult,
    Item,
    ItemResult,
    Lang,
    Outcome,
    Question,
    Report,
    Submission,
    Text,
)
from grader.core.text import duration
from grader.course import items
from grader.grading.checker import CheckedSubmission
from grader.instructor import learner_requests
from grader.instructor.mark_reports import (
    deduction,
    error_message,
    report_with_overrides,
    when_shown,
    withholds_results,
)
from grader.learning import answers_file, log
from grader.learning import session as conversation
from grader.learning.log import Event
from grader.learning.session import Action, TypedAnswer
from grader.report import html
from grader.report.figures import kinds
from grader.report.figures.figure import Figure
from grader.report.figures.kinds import Picture
from grader.report.figures.run import LearnerValues
from grader.submission import Unusable, answers
from grader.submission.files import RawFile, kind_of
from grader.web import work
from grader.web.answers import Entry, MarkedPart
from grader.web.class_words import (
    CHECKED_TOO_OFTEN,
    FOLDER_FULL,
    LOG_FULL,
    LONG_FORMULA,
    NOTHING,
    OTHER_ANSWERS,
    OURS,
    TOO_OFTEN,
    WORDS,
)
from grader.web.drafts import Draft, bytes_of
from grader.web.learner import ItemState, LearnerWorkspace, draft_of
from grader.web.pace import RateLimit
from grader.web.pages import Pages
from grader.web.people import ClassMember, ClassMembers
from grader.web.signing import note_action

ANSWERS = "answers.yaml"
_HOUR, _DAY = 3600.0, timedelta(days=1)
#: The most bytes of one person's log, which each page reads in full.
_MOST_LOG = 1_000_000
#: The most bytes of one person's files.
_MOST_FILES = 20 << 20
#: The most characters in a formula. Longer ones take more than 0.2 s to judge, during which nobody else is served.
MOST_FORMULA = 1500


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
                raise UsageError(CHECKED_TOO_OFTEN.fill(name=name, most=self.pace.most, time=duration(left)))
        for name in exercises:
            self.pace.note(f"{self.person} {name}", now)
        return self.service.check(self.person, submission, exercises)

    def close(self) -> None:
        """Do nothing, because the workers are shared."""


@dataclass(slots=True)
class ClassWorkspace(LearnerWorkspace):
    """The workspace of a class member, with limits on log and files. ``service`` gets errors that are not theirs."""

    service: Service | None = None
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
        assert self.service is not None
        if not isinstance(error, (UsageError, SubmissionError)):
            self.service.report(error.message)
            return OURS
        here = f"{self.service.plan.folder}{os.sep}"
        message = error.message.on_page
        return Text(message.en.replace(here, ""), message.zh.replace(here, ""))

    def save(self, *events: Event) -> None:
        """See ``LearnerWorkspace``. Raises UsageError when the log is full."""
        with contextlib.suppress(OSError):
            if events and self.state.stat().st_size > _MOST_LOG:
                raise UsageError(LOG_FULL)
        LearnerWorkspace.save(self, *events)

    def answer(
        self, item: Item, lang: Lang, action: Action, *, doubted: str | None, comparing: bool, again: bool = False
    ) -> ItemState:
        """See ``LearnerWorkspace``. Raises UsageError for a formula that would take long to read."""
        long = max(len(text) for text in (action.text if isinstance(action, TypedAnswer) else "", doubted or ""))
        if long > MOST_FORMULA and items.is_heavy(item):
            raise UsageError(LONG_FORMULA.fill(most=MOST_FORMULA))
        return LearnerWorkspace.answer(self, item, lang, action, doubted=doubted, comparing=comparing, again=again)

    def figure(self, picture: Picture) -> tuple[Figure, LearnerValues | None]:
        """See ``LearnerWorkspace``. It is drawn by the workers of the class."""
        assert self.service is not None
        name = next(name for name, each in kinds.kinds().items() if each is picture)
        return self.service.figure(self.name, name, self.drawable(picture))

    def keep(
        self,
        thing: Item | Question | Exercise,
        fields: Entry,
        seen: str | None = None,
        *,
        mark: MarkedPart | None = None,
        typed: bool = False,
    ) -> Draft:
        """See ``LearnerWorkspace``. Raises UsageError if files and drafts would become too large."""
        size = sum(len(text.encode(errors="replace")) for values in fields.values() for text in values)
        self.make_room(size, replaced=draft_of(thing))
        return LearnerWorkspace.keep(self, thing, fields, seen, mark=mark, typed=typed)

    def make_room(self, size: int, *, replaced: str = "") -> None:
        """Raise UsageError if ``size`` more bytes would be too many, when the draft ``replaced`` is gone."""
        there = sum(map(bytes_of, self.folder.glob("*"))) if self.folder.is_dir() else 0
        if there + self.drafts.size(but=replaced) + size > _MOST_FILES:
            raise UsageError(FOLDER_FULL.fill(most=_MOST_FILES >> 20))

    def about_results(self) -> Text | None:
        """See ``LearnerWorkspace``."""
        assert self.service is not None
        rules = self.service.course.rules
        return None if self.row is None or rules.hidden_results == "always" else when_shown(rules, self.row)

    def answers(self) -> dict[str, str]:
        """The answers that are settled, by graded item, as `attncheck quiz --to` would write them."""
        every = self._graded()
        session = conversation.begin(self.course, self.name, "en", every, self.events())
        return conversation.graded_answers(session, settled=True)

    def _graded(self) -> tuple[Item, ...]:
        return tuple(item for question in self.course.questions for item in question.items if item.use == "graded")

    def written(self) -> tuple[str, ...]:
        """The names of the files that would be submitted, except the answers."""
        found = self.files()
        return () if found is None else tuple(sorted(raw.path for raw in found.raws if raw.kind != "answers"))

    def collected(self) -> Path:
        """The folder to submit, after saving the answers in it. Raises UsageError if there is nothing to submit."""
        given = self.answers()
        if not given and not self.written():
            raise UsageError(NOTHING)
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
            found = answers_file.find(uploaded.path, uploaded.data.decode("utf-8-sig"), self.name)
        except (UsageError, UnicodeDecodeError):
            raise UsageError(OTHER_ANSWERS.fill(id=self.name)) from None
        try:
            return answers_file.merge(found, self.name, given, given)
        except UsageError:  # its form leaves no place for more, for example JSON
            return answers_file.new_answers_file(self.name, {**found.answers, **given})

    def stored(self) -> StoredAnswers:
        """The answers that would be submitted. Raises UsageError if an uploaded file cannot be read."""
        written = RawFile(ANSWERS, "answers", self._answers_with(self.answers()).encode())
        try:
            read = answers.read(written).answers
        except Unusable:  # no answers yet
            return StoredAnswers()
        return stored_answers(self.course, Submission(self.name, (), read))

    def graded_items(self) -> int:
        """The number of graded items."""
        return len(self._graded())


@dataclass(slots=True)
class ClassPages:
    """The request handlers. ``pages_of`` returns the pages of a person."""

    service: Service
    people: ClassMembers
    pages_of: Callable[[ClassMember], Pages]

    @property
    def course(self) -> Course:
        """The full course; learners see its edition."""
        return self.service.course

    # ------------------------------------------------------------------------------------- submitting

    async def overview(self, request: Request) -> Response:
        """What would be submitted, and earlier submissions."""
        return await self._overview(request)

    async def submit(self, request: Request) -> Response:
        """Submit the current files and answers."""
        person, pages = self._whose(request)
        receipt, new = await run_in_threadpool(self._submit, person, pages)
        name = inbox.attempt_name(receipt)
        if new:
            await note_action(self.service.plan.folder, person, "submitted", submission=name)
        return await self._overview(request, WORDS["received"] if new else WORDS["unchanged"], name)

    async def state(self, request: Request) -> Response:
        """The list of submissions, or the named one, for a page that waits for results.

        Empty (204) if nothing has changed, so that screen readers do not repeat it. The page of one submission is
        reloaded when it is graded.
        """
        person, pages = self._whose(request)
        seen = self._seen(person)  # read before the data, so that a change in between is found the next time
        if request.query_params.get("seen") == seen:
            return Response(status_code=204)
        name = request.query_params.get("name")
        if name is None:
            attempts = await run_in_threadpool(self._attempts, person)
        else:
            attempts = (await run_in_threadpool(self._attempt, person, name),)
        if name is not None and not _are_pending(attempts):
            return Response(headers={"HX-Refresh": "true"})
        return pages.show("attempts.html", **self._facts(pages, seen, attempts, name))

    async def _overview(self, request: Request, said: Text | None = None, name: str | None = None) -> Response:
        person, pages = self._whose(request)
        learner = self._learner(pages)
        seen = self._seen(person)
        attempts = await run_in_threadpool(self._attempts, person)
        written = await run_in_threadpool(learner.written)
        problem, stored = None, StoredAnswers()
        try:
            stored = await run_in_threadpool(learner.stored)
        except UsageError as error:
            problem = error.message
        graded = {item.id for question in self.course.questions for item in question.items if item.use == "graded"}
        return pages.show(
            "submit.html",
            written=written,
            answered=len(graded.intersection(stored.items)),
            unread=[unread_entry(entry) for entry in stored.unread],
            problem=problem,
            items=learner.graded_items(),
            rules=[
                *policy_sentences(self.course.rules),
                self._when_shown(person),
                WORDS["numbers"].fill(id=person.id),
            ],
            said=said,
            new=name,
            halted=self.service.halted is not None,
            **self._facts(pages, seen, attempts),
        )

    def _submit(self, person: ClassMember, pages: Pages) -> tuple[inbox.Receipt, bool]:
        learner, most = self.people.learners[person.id], self.course.pace.submissions_per_day
        with self.service.submitting(learner):  # several windows submit one after another, and all of them count
            now = datetime.now(UTC)
            earlier = sorted(attempt.receipt.at for attempt in self._attempts(person))
            recent = [at for at in earlier if at > now - _DAY]
            if len(recent) >= most:
                left = (recent[-most] + _DAY - now).total_seconds()
                raise UsageError(TOO_OFTEN.fill(most=most, time=duration(left)))
            return self.service.submit(learner, self._learner(pages).collected(), now)

    async def leaving(self, request: Request) -> Response:
        """A page with a button to sign out; ``Gate`` handles the form."""
        _, pages = self._whose(request)
        return pages.show("sign_out.html", **self._words(pages))

    # ------------------------------------------------------------------------------------- results

    async def attempt(self, request: Request) -> Response:
        """One submission: files, state, results if they may be shown, and a form to request regrading."""
        person, pages = self._whose(request)
        seen = self._seen(person)
        found = await run_in_threadpool(self._attempt, person, request.path_params["name"])
        asked = learner_requests.list_requests(self.service.plan.folder, person.id)
        return pages.show(
            "attempt.html",
            attempt=found,
            unread=[unread_entry(entry) for entry in found.receipt.unread],
            mark=found.mark if self._shown(found) else None,
            later=self._later(person, found),
            why=error_message(found.mark, pages.lang()) if found.mark is not None else None,
            deduction=deduction(found.mark) if found.mark is not None and self._shown(found) else None,
            parts=[*self._parts()] if self._shown(found) else [],
            asked=asked,
            **self._facts(pages, seen, (found,), found.name),
        )

    async def receipt(self, request: Request) -> Response:
        """The receipt of a submission, for `attncheck submit --verify`."""
        person, _ = self._whose(request)
        found = await run_in_threadpool(self._attempt, person, request.path_params["name"])
        headers = {"Content-Disposition": f'attachment; filename="receipt-{found.name}.json"'}
        return Response(found.receipt.to_json(), media_type="application/json", headers=headers)

    async def report(self, request: Request) -> Response:
        """The report on a submission, as `attncheck export html` writes it, but with the learners' edition."""
        person, pages = self._whose(request)
        lang = pages.lang()
        text = await run_in_threadpool(self._report, person, request.path_params["name"], lang)
        policy = f"{html.policy(html.sheet())}; img-src data:; frame-ancestors 'none'"
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    async def ask(self, request: Request) -> Response:
        """Save a request for regrading."""
        person, _ = self._whose(request)
        name = request.path_params["name"]
        await run_in_threadpool(self._attempt, person, name)
        form = await request.form()
        part, reason = form.get("part"), form.get("reason")
        if part not in self._parts() or not isinstance(part, str) or not isinstance(reason, str):
            raise HTTPException(400)
        await run_in_threadpool(
            learner_requests.add_request, self.service.plan.folder, person.id, part, reason, datetime.now(UTC)
        )
        await note_action(self.service.plan.folder, person, "asked for regrading", submission=name, part=part)
        return RedirectResponse(f"/submissions/{name}#requests", 303)

    def _parts(self) -> tuple[str, ...]:
        """The parts that a request can be about: graded items and exercises of the questions that count."""
        counting = {question.id for question in self.service.counting}
        return tuple(part.name for part in parts(self.course).values() if part.question in counting)

    def _report(self, person: ClassMember, name: str, lang: Lang) -> str:
        found = self._attempt(person, name)
        if found.mark is None or not self._shown(found):
            raise HTTPException(404)
        with contextlib.closing(open_gradebook(self.service.plan.folder)) as gradebook:
            report = report_with_overrides(self.service.book(gradebook), found.mark)
        if report is None:
            raise HTTPException(404)
        assert found.mark.work is not None
        course = self.service.edition
        report = _for_learners(course, self.course, report)
        whose = html.PageLearner(person.name, found.mark.work.row.seed_name)
        return html.render(report, course, lang, whose=whose)

    # ------------------------------------------------------------------------------------- what is there

    def _whose(self, request: Request) -> tuple[ClassMember, Pages]:
        person: ClassMember = request.state.person
        return person, self.pages_of(person)

    @staticmethod
    def _learner(pages: Pages) -> ClassWorkspace:
        assert isinstance(pages.learner, ClassWorkspace)
        return pages.learner

    def _attempts(self, person: ClassMember) -> tuple[Attempt, ...]:
        return self.service.attempts(self.people.learners[person.id])

    def _attempt(self, person: ClassMember, name: str) -> Attempt:
        """A submission of this person. Raises HTTPException (404) if they have none with this name."""
        for found in self._attempts(person):
            if found.name == name:
                return found
        raise HTTPException(404)

    def _hidden(self, mark: Mark) -> bool:
        return withholds_results(self.course.rules, mark.learner, datetime.now(UTC))

    def _shown(self, attempt: Attempt) -> bool:
        """Whether results may be shown. Points count as results, because they reveal whether an answer was correct."""
        return attempt.state == "graded" and attempt.mark is not None and not self._hidden(attempt.mark)

    def _later(self, person: ClassMember, attempt: Attempt) -> Text | None:
        """Why the results of a graded submission are not shown."""
        if attempt.state != "graded" or attempt.mark is None or not self._hidden(attempt.mark):
            return None
        return self._when_shown(person)

    def _when_shown(self, person: ClassMember) -> Text:
        row = self.people.row(person)
        assert row is not None  # these pages are for learners
        return when_shown(self.course.rules, row)

    @staticmethod
    def _words(pages: Pages) -> dict[str, Any]:
        lang = pages.lang()
        return {"said_of": {name: text.of(lang) for name, text in WORDS.items()}}

    def _seen(self, person: ClassMember) -> str:
        """A token for the state of a person's submissions."""
        return self.service.revision(self.people.learners[person.id])

    def _facts(
        self, pages: Pages, seen: str, attempts: tuple[Attempt, ...], only: str | None = None
    ) -> Mapping[str, Any]:
        return self._words(pages) | {
            "seen": seen,
            "only": only,
            "attempts": attempts,
            "shown": {attempt.name: self._shown(attempt) for attempt in attempts},
            "waits": _are_pending(attempts),
        }


def _are_pending(attempts: Sequence[Attempt]) -> bool:
    """Whether any of ``attempts`` is not graded yet."""
    return any(attempt.state in ("waiting", "running") for attempt in attempts)


def _for_learners(edition: Course, whole: Course, report: Report) -> Report:
    """``report`` as far as the learners' edition may tell it.

    Hidden cases have the names of the edition, because their real names reveal what they test. Misconceptions that the
    edition lacks are left out, because what they say about an answer gives away the key. The digest is that of the
    edition, because that of the course would tell somebody who guesses its keys whether the guess is right.
    """

    def outcome(each: Outcome, names: Mapping[str, str]) -> Outcome:
        return replace(each, case=names.get(each.case, each.case)) if each.visibility == "hidden" else each

    def exercise(result: ExerciseResult) -> ExerciseResult:
        own, theirs = whole.exercise(result.name), edition.exercise(result.name)
        if own is None or theirs is None:
            return result
        names = {one.name: other.name for one, other in zip(own[1].cases, theirs[1].cases, strict=True)}
        return replace(result, outcomes=tuple(outcome(each, names) for each in result.outcomes))

    def item(result: ItemResult, question: str) -> ItemResult:
        own, theirs = whole.question(question), edition.question(question)
        belief = own.misconception(result.misconception) if own is not None else None
        if belief is None or (theirs is not None and theirs.misconception(belief.id) is not None):
            return result
        message = None if result.message == belief.truth else result.message
        return replace(result, misconception=None, message=message)

    questions = (
        replace(
            each,
            items=tuple(item(result, each.id) for result in each.items),
            exercises=tuple(map(exercise, each.exercises)),
        )
        for each in report.questions
    )
    return replace(report, questions=tuple(questions), course_digest=edition.digest)


def person_folder(folder: Path, person: ClassMember) -> Path:
    """The folder with the code and the log of a person."""
    return folder / portable_folder(person.id)


def log_path(folder: Path) -> Path:
    """The path of the log in a person's folder."""
    return folder / "progress.jsonl"
