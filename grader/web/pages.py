"""The pages of one learner: the map, a question, an item, code, progress."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from grader.core.errors import AttncheckError, StateError, UsageError
from grader.core.model import Exercise, Item, Lang, Question, Text
from grader.core.text import OF_POINTS, points
from grader.course import items, starter
from grader.learning import log, next_step, quiz_view, reference_view
from grader.learning.session import Compared, ReadAs, Settled, TypedAnswer
from grader.report.html import environment, render_part, sheet
from grader.web.answers import typed
from grader.web.html_page import HtmlPage
from grader.web.learner import Asked, Learner, marks
from grader.web.prose import prose
from grader.web.words import WORDS

_HERE = Path(__file__).parent
_STYLE = _HERE / "templates" / "web.css"
#: The actions of an item's form besides an answer.
_COMMANDS = ("skip", "key")
_NO_PAGE = Text("There is no such page.", "没有这个页面。")

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


def make_app(learner: Learner, lang: Lang) -> Starlette:
    """The pages of ``learner``; ``lang`` is the language until they choose one. ``security.Guard`` goes around it."""
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
            Route("/items/{item}/reading", pages.reading),
            Route("/exercises/{exercise}/hint", pages.hint, methods=["POST"]),
            Route("/style.css", pages.style),
            Mount("/static", StaticFiles(directory=_HERE / "static")),
        ],
        exception_handlers={HTTPException: pages.failed, AttncheckError: pages.failed},
    )


@dataclass(frozen=True, slots=True)
class Pages:
    """The handlers. Each reads the log afresh, so that the terminal and several windows can be used together."""

    learner: Learner
    default: Lang

    # ------------------------------------------------------------------------------------- reading

    async def map(self, request: Request) -> Response:
        """All questions with what is known of each, and the next step."""
        known = self.learner.progress()
        step = next_step.next_step(known, self.learner.due(log.now()))
        groups = [
            (title, [each for each in known.questions if each.question.group == name])
            for name, title in self.learner.course.groups
        ]
        return self._page("map.html", groups=groups, known=known, step=step, step_link=_link(step))

    async def question(self, request: Request) -> Response:
        """One question: its prompt, items and exercises."""
        question = self._question(request)
        return self._page("question.html", question=question, known=self.learner.progress().question(question.id))

    async def item(self, request: Request) -> Response:
        """One item as it stands."""
        question, item = self._item(request)
        asked = self.learner.ask(item, self._lang(), again="again" in request.query_params)
        return self._item_page(question, asked)

    async def reading(self, request: Request) -> Response:
        """How a formula is read, while it is typed."""
        _, item = self._item(request)
        text = request.query_params.get("answer", "")
        found = await run_in_threadpool(_readings, item, text)
        return self._page("reading.html", formulas=found, typed=bool(text.strip()))

    async def code(self, request: Request) -> Response:
        """The code of a question."""
        question = self._question(request)
        return self._code_page(request, question, self.learner.code(question, self._lang()))

    async def download(self, request: Request) -> Response:
        """The code of a question as a file."""
        question = self._question(request)
        name = starter.file_name(question)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return PlainTextResponse(self.learner.code(question, self._lang()), headers=headers)

    async def reference(self, request: Request) -> Response:
        """The references of a question, once the course lets learners see them."""
        question = self._question(request)
        refused = reference_view.refusal(self.learner.course, question, self.learner.progress(), log.now())
        if refused is not None:
            raise UsageError(refused)
        sources = [(each.name, reference_view.source(self.learner.course, each)) for each in question.exercises]
        return self._page("reference.html", question=question, sources=sources, compare=reference_view.COMPARE)

    async def progress(self, request: Request) -> Response:
        """What is known, and which misconceptions are open."""
        known = self.learner.progress()
        return self._page("progress.html", known=known, due=self.learner.due(log.now()))

    async def style(self, request: Request) -> Response:
        """The style sheet: that of reports, and the pages' own."""
        return Response(sheet(_STYLE), media_type="text/css", headers={"Cache-Control": "no-cache"})

    # ------------------------------------------------------------------------------------- changing

    async def language(self, request: Request) -> Response:
        """Changes the language, and goes back to the page."""
        form = await request.form()
        self.learner.speak("zh" if form.get("lang") == "zh" else "en")
        back = form.get("back")
        return RedirectResponse("/" + (back.lstrip("/\\") if isinstance(back, str) else ""), 303)

    async def answer(self, request: Request) -> Response:
        """An answer to an item, or a command."""
        question, item = self._item(request)
        form = await request.form()
        lang = self._lang()
        command = form.get("do")
        comparing, doubted = bool(form.get("comparing")), form.get("doubted")
        asked = self.learner.ask(item, lang)
        if command in _COMMANDS:
            action: Any = command
        elif command == "yes" and isinstance(doubted, str):
            action = TypedAnswer("yes")
        else:
            text = _ticked(form) if comparing else typed(asked.card.asked, form)
            if not text:
                return self._item_page(question, asked, say=WORDS["nothing"])
            action = TypedAnswer(text)
        kept = doubted if isinstance(doubted, str) and command == "yes" else None
        done = await run_in_threadpool(self.learner.answer, item, lang, action, doubted=kept, comparing=comparing)
        if command == "skip":
            return RedirectResponse(self._onward(question, item), 303)
        return self._item_page(question, done)

    async def check(self, request: Request) -> Response:
        """Saves and grades the code of a question."""
        question = self._question(request)
        form = await request.form()
        text = form.get("code")
        if not isinstance(text, str):
            raise HTTPException(400)
        if form.get("do") == "reset":
            return self._code_page(request, question, starter.stub(question, self._lang()))
        checked = await run_in_threadpool(self.learner.check, question, text)
        lang = self._lang()
        report = Markup(render_part(checked.report, self.learner.course, lang, checked.pictures, style=False))
        places = json.dumps(marks(checked.report, self.learner.file(question).name))
        if request.headers.get("hx-request"):
            return self._page(
                "checked.html", question=question, report=report, places=places, passed=checked.report.passed
            )
        return self._code_page(request, question, text, report=report, places=places, passed=checked.report.passed)

    async def hint(self, request: Request) -> Response:
        """One more hint for an exercise."""
        question, exercise = self._exercise(request)
        self.learner.next_hint(question, exercise)
        if request.headers.get("hx-request"):
            return self._page("hints.html", exercise=exercise, shown=self.learner.hints(exercise))
        return RedirectResponse(f"/questions/{question.id}/code#{exercise.name}", 303)

    async def failed(self, request: Request, error: Exception) -> Response:
        """What went wrong, in words. Paths and tracebacks stay on the terminal."""
        try:
            lang = self._lang()
        except StateError:  # which may be what went wrong
            lang = self.default
        if isinstance(error, AttncheckError):
            return self._page("failed.html", status=400, lang=lang, text=self.learner.told(error).of(lang))
        status = error.status_code if isinstance(error, HTTPException) else 500
        return self._page("failed.html", status=status, lang=lang, text=_NO_PAGE.of(lang))

    # ------------------------------------------------------------------------------------- pieces

    def _lang(self) -> Lang:
        return self.learner.spoken(self.default)

    def _question(self, request: Request) -> Question:
        found = self.learner.course.question(request.path_params["question"])
        if found is None:
            raise HTTPException(404)
        return found

    def _item(self, request: Request) -> tuple[Question, Item]:
        for question in self.learner.course.questions:
            for item in question.items:
                if item.id == request.path_params["item"]:
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

    def _item_page(self, question: Question, asked: Asked, say: Text | None = None) -> Response:
        lang, card = self._lang(), asked.card
        top, said = HtmlPage(lang), HtmlPage(lang)
        if asked.feedback is not None:  # it says what the next attempt is worth
            quiz_view.card(
                top, replace(card, record=replace(card.record, tries=0), reminder=None), keys=True, buttons=True
            )
        else:
            quiz_view.card(top, card, keys=True, buttons=True)
        if say is not None:
            said.lines(say.of(lang), lead="?", style="magenta")
        if asked.feedback is not None:
            quiz_view.feedback(said, asked.feedback, card, buttons=True)
        reads = hasattr(items.kind(card.item.kind), "reading") and card.asked.form in ("line", "lines")
        doubted = asked.session.doubted if isinstance(asked.feedback, ReadAs) else None
        return self._page(
            "item.html",
            question=question,
            card=card,
            top=top.html,
            said=said.html,
            reads=reads,
            doubted=doubted,
            offer=asked.session.offer,
            onward=self._onward(question, card.item),
            settled=card.record.settled and not card.compares,
            wrong=card.record.tries > 0 and not card.record.settled,
            closed=isinstance(asked.feedback, (Settled, Compared)),
        )

    def _code_page(self, request: Request, question: Question, text: str, **more: Any) -> Response:
        shown = {exercise.name: self.learner.hints(exercise) for exercise in question.exercises}
        all_known = self.learner.progress()
        known = all_known.question(question.id)
        open_now = reference_view.refusal(self.learner.course, question, all_known, log.now()) is None
        given = {
            "has_reference": open_now,
            "report": None,
            "places": "[]",
            "passed": False,
            "nonce": request.state.nonce,
        } | more
        return self._page("code.html", question=question, known=known, code=_kept(text), hints=shown, **given)

    def lang(self) -> Lang:
        """The language that the learner used last."""
        return self._lang()

    def show(self, template: str, **given: Any) -> Response:
        """A page of a class, in the frame of the learner's own."""
        return self._page(template, **given)

    def _page(self, template: str, *, status: int = 200, lang: Lang | None = None, **given: Any) -> Response:
        lang = lang or self._lang()
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


def _kept(text: str) -> Markup:
    """Code for a textarea, whole and unchanged; browsers drop the first newline after its tag."""
    return Markup("\n{}").format(text)


def _ticked(form: FormData) -> str:
    return " ".join(value for value in form.getlist("answer") if isinstance(value, str)) or "0"


def _readings(item: Item, text: str) -> list[Markup]:
    module = items.kind(item.kind)
    if not hasattr(module, "reading") or len(text) > items.MOST_CHARACTERS:
        return []
    shown = "\n".join(shown for _, shown in module.reading(item.spec, text))
    return [Markup(line) for line in items.mathml(item, shown)] if shown else []  # escaped there


def _link(step: next_step.NextStep) -> str | None:
    """The page of the next step."""
    if step.question is None:
        return None
    known = step.question
    if step.kind == "quiz":
        return f"/items/{next_step.open_items(known)[0].item.id}"
    return f"/questions/{known.question.id}/code"
