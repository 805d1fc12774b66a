"""The pages of one learner: map, questions, items, code, review, progress and files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from grader.core.errors import AttncheckError, StateError, SubmissionError, UsageError
from grader.core.model import Exercise, Item, Lang, Message, Question, Status, Text
from grader.core.text import OF_POINTS, name_list, points
from grader.course import items, starter
from grader.learning import log, next_step, quiz_view, reference_view, review, review_view
from grader.learning.log import Rating
from grader.learning.review import Card
from grader.learning.session import (
    Feedback,
    ItemRecord,
    QuizCard,
    ReadingToConfirm,
    Settled,
    TypedAnswer,
    UnreadableAnswer,
    WrongAnswer,
)
from grader.report import beside
from grader.report.figures import kinds, svg
from grader.report.html import environment, render_part, sheet
from grader.submission.files import MAX_TOTAL
from grader.submission.messages import size
from grader.web.answers import (
    Entry,
    Filled,
    MarkedPart,
    answer_text,
    described,
    entry_from_form,
    given_answer,
    read_field,
    shown_choices,
)
from grader.web.html_page import HtmlPage
from grader.web.learner import ItemState, LearnerWorkspace, diagnosis_places, draft_of, syntax_error_places
from grader.web.prose import prose
from grader.web.words import WORDS

_HERE = Path(__file__).parent
_STYLE = _HERE / "templates" / "web.css"
#: The actions of an item's form besides an answer.
_COMMANDS = ("skip", "key")
#: The path for uploads, and the most bytes of a request there: those of a submission, and some for the form.
UPLOADS, MOST_UPLOADED = "/work", MAX_TOTAL + (1 << 20)
#: The most files in an upload, and the most attempts that a review page counts.
_MOST_FILES, _MOST_TRIES = 100, 99
#: The most characters of a report that is kept until the next check.
_MOST_REPORT = 250_000
_NO_PAGE = Message("There is no such page.")
_NOT_READ = Message(
    "The server could not read what was sent: a field has more than a megabyte, there are too many, or one is missing. "
    "Nothing was saved."
)

_NOT_THEIRS = Message("This page is for other members of the class.")

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


def make_app(learner: LearnerWorkspace, lang: Lang) -> Starlette:
    """The pages of ``learner``, in ``lang`` until they choose another language. Wrap it in ``security.Guard``."""
    pages = Pages(learner, lang)
    return Starlette(
        routes=[
            Route("/", pages.map),
            Route("/language", pages.language, methods=["POST"]),
            Route("/progress", pages.progress),
            Route("/questions/{question}", pages.question),
            Route("/questions/{question}/code", pages.code),
            Route("/questions/{question}/code", pages.check, methods=["POST"]),
            Route("/questions/{question}/file", pages.download),
            Route("/questions/{question}/reference", pages.reference),
            Route("/items/{item}", pages.item),
            Route("/items/{item}", pages.answer, methods=["POST"]),
            Route("/items/{item}/reading", pages.reading, methods=["GET", "POST"]),
            Route("/exercises/{exercise}/hint", pages.hint, methods=["POST"]),
            Route("/drafts/{kind}/{name}", pages.draft, methods=["POST"]),
            Route("/review", pages.review),
            Route("/review/next", pages.review_next),
            Route("/review/items/{item}", pages.review_item),
            Route("/review/items/{item}", pages.review_answer, methods=["POST"]),
            Route("/review/exercises/{exercise}", pages.review_code),
            Route("/review/exercises/{exercise}", pages.review_check, methods=["POST"]),
            Route("/pictures", pages.pictures),
            Route("/pictures/{picture}", pages.picture),
            Route(UPLOADS, pages.work),
            Route(UPLOADS, pages.upload, methods=["POST"]),
            Route("/work.zip", pages.everything),
            Route("/style.css", pages.style),
            Mount("/static", StaticFiles(directory=_HERE / "static")),
        ],
        exception_handlers={HTTPException: pages.failed, AttncheckError: pages.failed},
    )


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The state of a review card: the ratings to choose from once it is settled, or the message about its rating."""

    name: str
    words: tuple[Rating, ...] = ()
    rated: Markup | None = None


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """What came of a form: the state of the item, what its form is filled with, and a message if nothing was judged."""

    state: ItemState
    filled: Filled
    say: Text | None = None


@dataclass(frozen=True, slots=True)
class Pages:
    """The request handlers. Each uses the current log, so that the terminal and several windows work together."""

    learner: LearnerWorkspace
    default: Lang

    # ------------------------------------------------------------------------------------- reading

    async def map(self, request: Request) -> Response:
        """All questions with the progress in each, and the next step."""
        known = self.learner.progress()
        step = next_step.next_step(known, self.learner.due(log.now()))
        groups = [
            (title, [each for each in known.questions if each.question.group == name])
            for name, title in self.learner.course.groups
        ]
        return self.show("map.html", groups=groups, known=known, step=step, step_link=_link(step))

    async def question(self, request: Request) -> Response:
        """One question: its prompt, items and exercises."""
        question = self._question(request)
        return self.show("question.html", question=question, known=self.learner.progress().question(question.id))

    async def item(self, request: Request) -> Response:
        """One item in its current state."""
        question, item = self._item(request)
        again = "again" in request.query_params
        asked = self.learner.ask(item, self.lang(), again=again)
        return self._item_page(question, asked, self.learner.filled(item, self.lang(), again=again), again=again)

    async def reading(self, request: Request) -> Response:
        """How the lines of an answer are interpreted while it is typed. Nothing is graded or saved."""
        _, item = self._item(request)
        sent: QueryParams | FormData = request.query_params if request.method != "POST" else await _fields(request)
        text = sent.get("answer", "")
        text = text.replace("\r\n", "\n") if isinstance(text, str) else ""
        found = await run_in_threadpool(_readings, item, text)
        return self.show("reading.html", lines=found, several="\n" in text.strip())

    async def code(self, request: Request) -> Response:
        """The code of a question."""
        question = self._question(request)
        filled = self.learner.code_filled(question, self.lang())
        return self._code_page(request, question, filled, **self._last_report(question, filled))

    async def download(self, request: Request) -> Response:
        """The code of a question as a file."""
        question = self._question(request)
        name = starter.file_name(question)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return PlainTextResponse(self.learner.code(question, self.lang()), headers=headers)

    async def reference(self, request: Request) -> Response:
        """The references of a question. Raises UsageError if the course does not show them yet."""
        question = self._question(request)
        refused = reference_view.refusal(self.learner.course, question, self.learner.progress(), log.now())
        if refused is not None:
            raise UsageError(refused)
        found, lang = await run_in_threadpool(self.learner.costs, question), self.lang()
        parts = []
        for exercise, costs in zip(question.exercises, found, strict=True):
            sources = [(WORDS["reference_code"], reference_view.source(self.learner.course, exercise))]
            sources += [
                (each.note, reference_view.source(self.learner.course, exercise, each))
                for each in exercise.alternatives
            ]
            mine = self.learner.own_source(question, exercise)
            said = [*beside.differences(costs), *([text] if (text := beside.counted_units_sentence(costs)) else [])]
            parts.append((exercise.name, mine, sources, beside.rows(costs, lang), said))
        heads = [head.of(lang) for head in beside.HEADS]
        compare = reference_view.COMPARE
        return self.show("reference.html", question=question, parts=parts, heads=heads, compare=compare)

    async def pictures(self, request: Request) -> Response:
        """The pictures that this course can draw."""
        course = self.learner.course
        known = [(name, each) for name, each in kinds.kinds().items() if any(map(course.exercise, each.NEEDS))]
        return self.show("pictures.html", pictures=known)

    async def picture(self, request: Request) -> Response:
        """One picture: what the reference computes, and the learner's code beside it."""
        found = kinds.kinds().get(request.path_params["picture"])
        if found is None:
            raise HTTPException(404)
        figure, mine = await run_in_threadpool(self.learner.figure, found)
        lang = self.lang()
        return self.show(
            "picture.html",
            name=request.path_params["picture"],
            figure=figure,
            rows=svg.draw(figure, lang),
            remarks=[] if mine is None else [(each.name, each.text) for each in mine.remarks],
            mine=mine is not None and mine.seen is not None,
        )

    async def progress(self, request: Request) -> Response:
        """The learner's progress and open misconceptions."""
        known = self.learner.progress()
        return self.show("progress.html", known=known, due=self.learner.due(log.now()))

    async def style(self, request: Request) -> Response:
        """The style sheet: that of reports, and that of these pages."""
        return Response(sheet(_STYLE) + svg.RULES, media_type="text/css", headers={"Cache-Control": "no-cache"})

    # ------------------------------------------------------------------------------------- changing

    async def language(self, request: Request) -> Response:
        """Change the language, and return to the page."""
        form = await _fields(request)
        self.learner.speak("zh" if form.get("lang") == "zh" else "en")
        back = form.get("back")
        return RedirectResponse("/" + (back.lstrip("/\\") if isinstance(back, str) else ""), 303)

    async def answer(self, request: Request) -> Response:
        """An answer to an item, or a command.

        A settled item gets a new attempt if the form was made for one, and if it has not been sent before.
        """
        question, item = self._item(request)
        form = await _fields(request)
        before = self.learner.attempts_at(item)
        again = request.query_params.get("again") == str(before)
        sent = await self._answered(item, form, again=again)
        if form.get("do") == "skip" and sent.say is None:
            return RedirectResponse(self._onward(question, item), 303)
        again = again and self.learner.attempts_at(item) == before
        return self._item_page(question, sent.state, sent.filled, say=sent.say, again=again)

    async def _answered(self, item: Item, form: FormData, *, again: bool) -> SentAnswer:
        """What comes of a form for ``item``. What was entered is kept, whatever comes of it."""
        lang, command = self.lang(), form.get("do")
        asked = self.learner.ask(item, lang, again=again)
        comparing, doubted = bool(form.get("comparing")) and bool(items.key_points(item)), form.get("doubted")
        kept = doubted if isinstance(doubted, str) and command == "yes" else None
        entry = {"answer": read_field(form, "answer")} if comparing else entry_from_form(asked.card.asked, form)
        if kept is not None and not any(entry.values()):
            entry = {"answer": (kept,)}
        text = " ".join(entry["answer"]) or "0" if comparing else answer_text(asked.card.asked, entry)
        action: Any = command if command in _COMMANDS else TypedAnswer("yes" if kept is not None else text)
        if action == TypedAnswer(""):
            return self._kept(item, SentAnswer(asked, Filled(entry), WORDS["nothing"]), form)
        before = self.learner.attempts_at(item)
        answer = partial(self.learner.answer, doubted=kept, comparing=comparing, again=again)
        try:
            done = await run_in_threadpool(answer, item, lang, action)
        except AttncheckError as error:
            return self._kept(item, SentAnswer(asked, Filled(entry), self.learner.told(error)), form)
        if comparing:
            return SentAnswer(done, Filled(entry), WORDS["choose_points"] if done.card.compares else None)
        if done.card.record.settled and self.learner.attempts_at(item) == before and text not in ("", _last(done)):
            return self._kept(item, SentAnswer(done, Filled(entry), WORDS["settled_meanwhile"]), form)
        mark = await run_in_threadpool(_mark, done, kept or text)
        return self._kept(item, SentAnswer(done, Filled(entry, mark)), form)

    def _kept(self, item: Item, sent: SentAnswer, form: FormData) -> SentAnswer:
        """``sent`` after its draft was saved; or removed, if the item is settled by what was sent."""
        name, seen = draft_of(item), _seen(form)
        card = sent.state.card
        if (card.record.settled or card.compares) and sent.say is None:
            self.learner.drafts.settle(name, seen)
            return sent
        if self.learner.drafts.read(name) is None and not any(map(any, sent.filled.entry.values())):
            return sent
        try:
            new = self.learner.keep(item, sent.filled.entry, seen, mark=sent.filled.mark)
        except UsageError:  # it is on the page, which does not say that a draft was saved
            return sent
        return replace(sent, filled=Filled(new.fields, new.mark, new.other, new.version))

    async def draft(self, request: Request) -> Response:
        """Save what is being typed. The answer names the version that was saved, or says why nothing was.

        ``other`` says that another version is kept beside it, such as that of another window.
        """
        form = await _fields(request)
        thing, fields = self._drafted(request, form)
        keep = partial(self.learner.keep, typed=True)
        try:
            new = await run_in_threadpool(keep, thing, fields, _seen(form))
        except UsageError as error:
            return JSONResponse({"problem": self.learner.told(error).of(self.lang())}, 400)
        return JSONResponse({"version": new.version, "other": new.other is not None})

    def _drafted(self, request: Request, form: FormData) -> tuple[Item | Question | Exercise, Entry]:
        """What a draft is of, and its fields. Raises HTTPException (404) for anything that the course does not have."""
        kind, name = request.path_params["kind"], request.path_params["name"]
        if kind == "item":
            item = self._item_called(name)[1]
            return item, entry_from_form(self.learner.ask(item, self.lang(), again=True).card.asked, form)
        text = read_field(form, "code")[:1]
        if kind == "code" and (question := self.learner.course.question(name)) is not None and text:
            return question, {"code": text}
        if kind == "memory" and (pair := self.learner.course.exercise(name)) is not None and text:
            return pair[1], {"code": text}
        raise HTTPException(404)

    async def check(self, request: Request) -> Response:
        """Save and grade the code of a question."""
        question = self._question(request)
        form = await _fields(request)
        text = form.get("code")
        if not isinstance(text, str):
            raise HTTPException(400)
        if form.get("do") == "reset":
            return self._code_page(request, question, _code(starter.stub(question, self.lang())))
        lang = self.lang()
        passed, found, status = False, syntax_error_places(""), 200
        try:
            checked = await run_in_threadpool(self.learner.check, question, text, _seen(form))
        except SubmissionError as problem:
            report = _unread(problem, lang)
        except AttncheckError as problem:
            if request.headers.get("hx-request"):
                raise
            report, status = _unread(self.learner.told(problem), lang), 400
        else:
            report = Markup(render_part(checked.report, self.learner.course, lang, checked.pictures, style=False))
            found = diagnosis_places(checked.report, self.learner.file(question).name)
            passed = checked.report.passed
        places = json.dumps(found or syntax_error_places(text.replace("\r\n", "\n")))
        given: dict[str, Any] = {"report": report, "places": places, "passed": passed}
        if status == 200:
            self._keep_report(question, report, places, passed=passed)
        if request.headers.get("hx-request"):
            known = self.learner.progress()
            refused = reference_view.refusal(self.learner.course, question, known, log.now())
            return self.show("checked.html", question=question, has_reference=refused is None, **given)
        return self._code_page(
            request, question, replace(self._code_now(question), entry={"code": (text,)}), status, **given
        )

    def _keep_report(self, question: Question, report: Markup, places: str, *, passed: bool) -> None:
        """Keep the last report beside the drafts, unless it is too large."""
        fields = {self.lang(): (str(report),), "places": (places,), "passed": ("1",) if passed else ()}
        if len(report) > _MOST_REPORT:
            self.learner.drafts.settle(_report_of(question))
            return
        with contextlib.suppress(UsageError):
            self.learner.drafts.write(_report_of(question), fields)

    def _last_report(self, question: Question, filled: Filled) -> dict[str, Any]:
        """The last report on the code of a question; empty if there is none in this language."""
        kept = self.learner.drafts.read(_report_of(question))
        if kept is None or self.lang() not in kept.fields:
            return {}
        places = "[]" if filled.version else kept.fields["places"][0]  # the lines of a draft may be others
        report = Markup(kept.fields[self.lang()][0])  # rendered by ``check``
        return {"report": report, "places": places, "passed": bool(kept.fields["passed"]), "restored": True}

    def _code_now(self, question: Question) -> Filled:
        """The draft of the code of a question after it was sent: another window's, if there is any left."""
        draft = self.learner.drafts.read(draft_of(question))
        return Filled({}) if draft is None else Filled({}, other=draft.fields, version=draft.version)

    async def hint(self, request: Request) -> Response:
        """One more hint for an exercise."""
        question, exercise = self._exercise(request)
        self.learner.next_hint(question, exercise)
        if request.headers.get("hx-request"):
            return self.show("hints.html", exercise=exercise, shown=self.learner.hints(exercise))
        return RedirectResponse(f"/questions/{question.id}/code#{exercise.name}", 303)

    # ------------------------------------------------------------------------------------- review

    async def review(self, request: Request) -> Response:
        """All review cards with their due times."""
        cards, now, said = self.learner.cards(), log.now(), HtmlPage(self.lang())
        queue = review.queue(cards, now)
        review_view.opening(said, None, cards, queue, len(queue), now)
        listed = [(card, review_view.when(card.due, now)) for card in cards]
        return self.show("review.html", said=said.html, cards=listed, first=_card_page(queue[0]) if queue else None)

    async def review_next(self, request: Request) -> Response:
        """Redirect to the card due after the one in ``after``, or to the list if there is none."""
        queue = review.queue(self.learner.cards(), log.now())
        names, after = [card.name for card in queue], request.query_params.get("after")
        at = names.index(after) + 1 if after in names else 0
        return RedirectResponse(_card_page(queue[at]) if at < len(queue) else "/review", 303)

    async def review_item(self, request: Request) -> Response:
        """An item in a review."""
        question, item = self._item(request)
        asked = self.learner.ask_for_review(item, self.lang())
        filled = self.learner.filled(item, self.lang(), again=True, from_memory=True)
        return self._item_page(question, asked, filled, review=ReviewState(item.id))

    async def review_answer(self, request: Request) -> Response:
        """An answer in a review, or the learner's own rating."""
        question, item = self._item(request)
        form, lang = await _fields(request), self.lang()
        if form.get("do") == "rate":
            rating = self.learner.rate_item(item, lang, _word(form))
            state = self.learner.ask(item, lang)
            return self._item_page(question, state, Filled({}), review=self._rated(item.id, rating))
        sent = await self._answered(item, form, again=True)
        done = sent.state
        if sent.say is not None:
            state = done if done.card.compares else self.learner.ask_for_review(item, lang)
            return self._item_page(question, state, sent.filled, say=sent.say, review=ReviewState(item.id))
        if form.get("do") == "skip":
            return RedirectResponse(f"/review/next?after={item.id}", 303)
        settled = done.card.record.settled and not done.card.compares
        words = _words_for(done.card.record) if settled else ()
        rating = self.learner.rate_item(item, lang, None) if settled and not words else None
        rated = replace(self._rated(item.id, rating), words=words)
        return self._item_page(question, done, sent.filled, review=rated)

    async def review_code(self, request: Request) -> Response:
        """A function to write from memory."""
        question, exercise = self._exercise(request)
        draft = self.learner.drafts.read(draft_of(exercise))
        stub = starter.stub(replace(question, exercises=(exercise,)), self.lang())
        if draft is None:
            return self._memory_page(request, question, exercise, stub)
        filled = Filled(draft.fields, None, draft.other, draft.version)
        return self._memory_page(request, question, exercise, draft.fields["code"][0], filled=filled)

    async def review_check(self, request: Request) -> Response:
        """Code in a review, a hint, or the learner's own rating."""
        question, exercise = self._exercise(request)
        if not any(card.name == exercise.name for card in self.learner.cards()):
            raise HTTPException(404)
        form = await _fields(request)
        text, command = form.get("code"), form.get("do")
        tries, seen = _count(form, "tries"), min(_count(form, "seen"), len(exercise.hints))
        given: dict[str, Any] = {"tries": tries, "seen": seen}
        if command == "rate":
            self.learner.rate_code(exercise, _word(form))
            self.learner.drafts.settle(draft_of(exercise))
            return RedirectResponse(f"/review/next?after={exercise.name}", 303)
        if not isinstance(text, str):
            raise HTTPException(400)
        given["filled"] = self._keep_code(exercise, text, form)
        if command == "hint":
            self.learner.hint_in_review(exercise, seen)
            return self._memory_page(request, question, exercise, text, **given | {"seen": seen + 1})
        if command == "skip":
            if tries:
                self.learner.rate(exercise.name, "again")
                self.learner.drafts.settle(draft_of(exercise))
            return RedirectResponse(f"/review/next?after={exercise.name}", 303)
        if text.split() == starter.stub(replace(question, exercises=(exercise,)), self.lang()).split():
            return self._memory_page(request, question, exercise, text, **given)
        try:
            checked = await run_in_threadpool(self.learner.check_from_memory, question, exercise, text)
        except SubmissionError as problem:
            given["places"] = json.dumps(syntax_error_places(text.replace("\r\n", "\n")))
            report = _unread(problem, self.lang())
            return self._memory_page(request, question, exercise, text, report=report, **given)
        result = checked.report.questions[0].exercises[0]
        if result.status not in (Status.UNMARKED, Status.MISSING, Status.SKIPPED):
            given["tries"] = tries + 1
        if result.status is Status.PASSED:
            if tries or seen:
                rating = review.rating(Status.PASSED, tries + 1, helped=seen > 0)
                self.learner.rate(exercise.name, rating)
                given["rated"] = self._rated(exercise.name, rating)
            else:
                given["rated"] = ReviewState(exercise.name, words=("good", "easy"))
        report = Markup(render_part(checked.report, self.learner.course, self.lang(), checked.pictures, style=False))
        given["places"] = json.dumps(diagnosis_places(checked.report, f"{exercise.name}.py"))
        return self._memory_page(request, question, exercise, text, report=report, **given)

    def _keep_code(self, exercise: Exercise, text: str, form: FormData) -> Filled:
        """Save what was sent as a draft. One that cannot be saved is still on the page."""
        entry = {"code": (text.replace("\r\n", "\n"),)}
        try:
            draft = self.learner.keep(exercise, entry, _seen(form))
        except UsageError:
            return Filled(entry)
        return Filled(draft.fields, None, draft.other, draft.version)

    def _memory_page(
        self, request: Request, question: Question, exercise: Exercise, text: str, **more: Any
    ) -> Response:
        said = HtmlPage(self.lang())
        names = [card.name for card in review.queue(self.learner.cards(), log.now())]
        number = names.index(exercise.name) + 1 if exercise.name in names else 1
        card = next((each for each in self.learner.cards() if each.name == exercise.name), None)
        if card is None:  # it never passed, so there is nothing to review
            raise HTTPException(404)
        review_view.task(said, card, number, max(len(names), number))
        given = {
            "report": None,
            "places": "[]",
            "tries": 0,
            "seen": 0,
            "rated": None,
            "filled": Filled({}),
            "nonce": request.state.nonce,
            "ratings": review_view.KNOWN,
        } | more
        given["other"] = _other_code(given["filled"])
        return self.show(
            "memory.html", question=question, exercise=exercise, said=said.html, code=_after_newline(text), **given
        )

    def _rated(self, name: str, rating: Rating | None) -> ReviewState:
        """The state of a card that may just have been rated."""
        if rating is None:
            return ReviewState(name)
        said, now = HtmlPage(self.lang()), log.now()
        due = next((card.due for card in self.learner.cards() if card.name == name and card.due), now)
        review_view.rated(said, rating, due, now)
        return ReviewState(name, rated=said.html)

    # ------------------------------------------------------------------------------------- all files

    async def work(self, request: Request) -> Response:
        """All files of the learner, with a form to upload more."""
        return await self._work_page(())

    async def upload(self, request: Request) -> Response:
        """Save uploaded files, all or none, if they can be read as a submission."""
        async with request.form(max_files=_MOST_FILES) as form:
            given = [each for each in form.getlist("files") if isinstance(each, UploadFile) and each.filename]
            uploads = [(each.filename or "", await each.read()) for each in given]
            replacing = form.get("replace") == "1"
        if not uploads:
            return await self._work_page((), WORDS["no_file"])
        try:
            saved = await run_in_threadpool(self.learner.receive, uploads, replacing=replacing)
        except (UsageError, SubmissionError) as problem:
            return await self._work_page((), problem, 400)
        return await self._work_page(tuple(saved))

    async def _work_page(
        self, saved: tuple[str, ...], problem: Text | AttncheckError | None = None, status: int = 200
    ) -> Response:
        try:
            here = await run_in_threadpool(self.learner.files)
        except SubmissionError as error:
            here, problem, status = None, problem or error, 400
        lang = self.lang()
        said = self.learner.told(problem) if isinstance(problem, AttncheckError) else problem
        return self.show(
            "work.html",
            status=status,
            found=() if here is None else [(raw.path, size(len(raw.data))) for raw in here.raws],
            saved=name_list(saved).of(lang) if saved else "",
            problem="" if said is None else said.of(lang),
        )

    async def everything(self, request: Request) -> Response:
        """All files, the answers and the progress log as a zip."""
        data = await run_in_threadpool(self.learner.everything, self.lang())
        headers = {"Content-Disposition": 'attachment; filename="attncheck-work.zip"'}
        return Response(data, media_type="application/zip", headers=headers)

    async def failed(self, request: Request, error: Exception) -> Response:
        """An error page. Paths and tracebacks are only printed in the terminal."""
        try:
            lang = self.lang()
        except StateError:  # which may be what went wrong
            lang = self.default
        # A part of a page is replaced by the message alone.
        template = "problem.html" if request.headers.get("hx-request") else "failed.html"
        if isinstance(error, AttncheckError):
            return self.show(template, status=400, lang=lang, text=self.learner.told(error).of(lang))
        status = error.status_code if isinstance(error, HTTPException) else 500
        said = {400: _NOT_READ, 403: _NOT_THEIRS}.get(status, _NO_PAGE)
        return self.show(template, status=status, lang=lang, text=said.of(lang))

    # ------------------------------------------------------------------------------------- pieces

    def lang(self) -> Lang:
        """The language that the learner used last."""
        return self.learner.spoken(self.default)

    def _question(self, request: Request) -> Question:
        found = self.learner.course.question(request.path_params["question"])
        if found is None:
            raise HTTPException(404)
        return found

    def _item(self, request: Request) -> tuple[Question, Item]:
        return self._item_called(request.path_params["item"])

    def _item_called(self, name: str) -> tuple[Question, Item]:
        for question in self.learner.course.questions:
            for item in question.items:
                if item.id == name:
                    return question, item
        raise HTTPException(404)

    def _exercise(self, request: Request) -> tuple[Question, Exercise]:
        found = self.learner.course.exercise(request.path_params["exercise"])
        if found is None:
            raise HTTPException(404)
        return found

    def _onward(self, question: Question, item: Item) -> str:
        """The next item of ``question`` that is not settled, else its code, else the map."""
        known = self.learner.progress().question(question.id)
        names = [each.item.id for each in known.items]
        open_ = [each.item.id for each in next_step.open_items(known) if each.item.id != item.id]
        at = names.index(item.id)
        later = [name for name in open_ if names.index(name) > at] or open_
        if later:
            return f"/items/{later[0]}"
        return f"/questions/{question.id}/code" if next_step.open_exercises(known) else "/"

    def _item_page(
        self,
        question: Question,
        asked: ItemState,
        filled: Filled,
        say: Text | None = None,
        review: ReviewState | None = None,
        again: bool = False,
    ) -> Response:
        lang, card = self.lang(), asked.card
        settled, record = card.record.settled and not card.compares, asked.session.record(card.item.id)
        top, said = HtmlPage(lang), HtmlPage(lang)
        shown = card
        if asked.feedback is not None:  # it says what the next attempt is worth
            shown = replace(card, record=replace(card.record, tries=0), reminder=None)
        quiz_view.heading(top, shown)
        if not settled:  # entries to sort are on the page anyway, and learners do not type letters
            quiz_view.how_to_answer(top, shown, keys=True, buttons=card.asked.form != "order")
        if say is not None:
            said.lines(say.of(lang), lead="?", style="magenta")
        if asked.feedback is not None and (say is None or settled):
            quiz_view.feedback(said, _on_page(asked.feedback, card), card, buttons=True)
        if settled and card.item.sealed and (later := self.learner.about_results()) is not None:
            said.lines(later.of(lang), indent=2, style="dim")
        reads = hasattr(items.kind(card.item.kind), "reading") and card.asked.form in ("line", "lines")
        doubted = asked.session.doubted if isinstance(asked.feedback, ReadingToConfirm) else None
        action = f"/review/items/{card.item.id}" if review else f"/items/{card.item.id}"
        if again:
            action += f"?again={self.learner.attempts_at(card.item)}"
        return self.show(
            "item.html",
            question=question,
            card=card,
            top=top.html,
            said=said.html,
            reads=f"/items/{card.item.id}/reading" if reads else "",
            doubted=doubted,
            offer=asked.session.offer,
            onward=self._onward(question, card.item),
            settled=settled,
            given=given_answer(card.item, items.ask(card.item, card.context), record, lang)
            if settled or card.compares
            else None,
            filled=filled,
            choices=shown_choices(card.asked, filled.entry, lang),
            other="\n".join(described(card.asked, filled.other, lang)) if filled.other else "",
            by_hand=card.item.kind == "text",
            review=review,
            action=action,
            ratings=review_view.KNOWN,
        )

    def _code_page(
        self, request: Request, question: Question, filled: Filled, status: int = 200, **more: Any
    ) -> Response:
        shown = {exercise.name: self.learner.hints(exercise) for exercise in question.exercises}
        all_known = self.learner.progress()
        known = all_known.question(question.id)
        open_now = reference_view.refusal(self.learner.course, question, all_known, log.now()) is None
        given = {
            "has_reference": open_now,
            "report": None,
            "places": "[]",
            "passed": False,
            "restored": False,
            "nonce": request.state.nonce,
        } | more
        return self.show(
            "code.html",
            status=status,
            question=question,
            known=known,
            code=_after_newline(filled.entry["code"][0]),
            filled=filled,
            other=_other_code(filled),
            hints=shown,
            **given,
        )

    def show(self, template: str, *, status: int = 200, lang: Lang | None = None, **given: Any) -> Response:
        """The page that ``template`` makes of what is ``given``; ``lang`` is by default the learner's language."""
        lang = lang or self.lang()
        page = environment(_HERE / "templates").get_template(template)
        text = page.render(
            lang=lang,
            words={name: word.of(lang) for name, word in WORDS.items()},
            learner=self.learner,
            course=self.learner.course,
            prose=prose,
            of_points=OF_POINTS,
            as_points=points,
            **given,
        )
        return HTMLResponse(text, status)


def _after_newline(text: str) -> Markup:
    """Code for a textarea, after a newline, because browsers drop the first newline in it."""
    return Markup("\n{}").format(text)


def _unread(problem: SubmissionError | Text, lang: Lang) -> Markup:
    """The message in place of a report if code cannot be read."""
    said = HtmlPage(lang)
    said.lines(problem.of(lang), lead="✗", style="red")
    return said.html


async def _fields(request: Request) -> FormData:
    """The fields of a form. Files, which only the page for uploads expects, are closed."""
    async with request.form() as form:
        return form


def _card_page(card: Card) -> str:
    return f"/review/{'items' if isinstance(card.thing, Item) else 'exercises'}/{card.name}"


def _words_for(record: ItemRecord) -> tuple[Rating, ...]:
    """The ratings that learners can choose for a settled item: those that `review.rating` takes into account."""
    if record.status is Status.PENDING:
        return ("hard", "good", "easy", "again")
    return ("good", "easy") if record.status is Status.PASSED and record.tries == 1 else ()


def _word(form: FormData) -> Rating | None:
    return next((name for name in review_view.KNOWN if name == form.get("word")), None)


def _count(form: FormData, name: str) -> int:
    """A number in a hidden field of a review page; 0 if it is not valid."""
    text = form.get(name)
    return min(int(text), _MOST_TRIES) if isinstance(text, str) and text.isascii() and text.isdigit() else 0


def _seen(form: FormData) -> str | None:
    """The version of the draft that a window had; None if it does not say."""
    version = form.get("draft")
    return version if isinstance(version, str) else None


def _code(text: str) -> Filled:
    return Filled({"code": (text,)})


def _other_code(filled: Filled) -> str:
    """The code of another window; empty if there is none."""
    return next(iter((filled.other or {}).get("code", ())), "")


def _report_of(question: Question) -> str:
    return f"report/{question.id}"


def _last(state: ItemState) -> str:
    """The last answer to a settled item."""
    return next(iter(state.card.record.answers[-1:]), "")


def _mark(state: ItemState, text: str) -> MarkedPart | None:
    """The part of a wrong or unreadable answer that is marked; None if none is."""
    lines = items.read_lines(state.card.item, text) if state.card.asked.form == "lines" else ()
    unread = next((MarkedPart(str(line.number), "unread") for line in lines if line.why is not None), None)
    match state.feedback:
        case WrongAnswer(place=str(place)):
            return MarkedPart(place, "wrong")
        case WrongAnswer():
            return MarkedPart("1", "wrong") if state.card.asked.form == "line" else unread
        case UnreadableAnswer():
            return MarkedPart("1", "unread") if state.card.asked.form == "line" else unread
    return None


def _on_page(feedback: Feedback, card: QuizCard) -> Feedback:
    """``feedback`` without what the page shows in its own way: the learner's words, and a key that names options."""
    if not isinstance(feedback, Settled):
        return feedback
    return replace(feedback, words=None, key=None if items.ask(card.item, card.context).choices else feedback.key)


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of an answer that is being typed: its formula as HTML, or what to change; neither for a line of text."""

    number: int
    formula: Markup | None
    why: Text | None


def _readings(item: Item, text: str) -> list[ShownLine]:
    found = []
    for line in items.read_lines(item, text):
        formula = Markup("").join(map(Markup, items.mathml(item, line.shown or "")))  # escaped there
        found.append(ShownLine(line.number, formula or None, line.why))
    return found


def _link(step: next_step.NextStep) -> str | None:
    """The page of the next step."""
    if step.question is None:
        return None
    known = step.question
    if step.kind == "quiz":
        return f"/items/{next_step.open_items(known)[0].item.id}"
    return f"/questions/{known.question.id}/code"
