"""Requests to pages: what was asked, what was typed, routes to functions ``(visit) -> Response``, and texts as HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from grader.core.errors import AttncheckError, StateError
from grader.core.model import Course, Exercise, Item, Lang, Message, Question
from grader.core.text import OF_POINTS, points
from grader.core.typesetting.html import prose
from grader.report.html import environment
from grader.web.learner import LearnerWorkspace

if TYPE_CHECKING:
    from grader.web.class_map import ClassWork

T = TypeVar("T")
TEMPLATES = Path(__file__).parent / "templates"
#: The most that a number in a hidden field counts.
_MOST_COUNT = 99
_NOT_READ = Message(
    "The server could not read what was sent: a field has more than a megabyte, there are too many, or one is missing. "
    "Nothing was saved."
)
_NOT_THEIRS = Message("This page is for other members of the class.")


def existing(value: T | None) -> T:
    """``value``. Raises HTTPException (404) if there is none."""
    if value is None:
        raise HTTPException(404)
    return value


def find_item(course: Course, name: str) -> tuple[Question, Item]:
    """An item with its question. Raises HTTPException (404) if there is none."""
    return existing(next(((q, i) for q in course.questions for i in q.items if i.id == name), None))


@dataclass(frozen=True, slots=True)
class Visit:
    """A request with its form, which is empty unless one was sent."""

    request: Request
    form: FormData = field(default_factory=FormData, kw_only=True)

    def named(self, name: str) -> str:
        """A part of the path."""
        part: str = self.request.path_params[name]
        return part

    def asked(self, name: str, default: str = "") -> str:
        """A query parameter."""
        return self.request.query_params.get(name, default)

    def sent(self, name: str) -> str | None:
        """A field of the form; None if it is missing or a file."""
        value = self.form.get(name)
        return value if isinstance(value, str) else None

    def typed(self, name: str) -> str:
        """A field of the form; empty if it is missing or a file."""
        return self.sent(name) or ""

    def all_typed(self, name: str) -> list[str]:
        """All values of a field of the form."""
        return [value for value in self.form.getlist(name) if isinstance(value, str)]

    def count(self, name: str) -> int:
        """A number in a hidden field; 0 if it is not valid."""
        text = self.typed(name)
        return min(int(text), _MOST_COUNT) if text.isascii() and text.isdigit() else 0

    def uploads(self, name: str) -> list[tuple[str, bytes]]:
        """The files of a field of the form, each as its name and content."""
        files = [value for value in self.form.getlist(name) if isinstance(value, UploadFile)]
        return [(file.filename, file.file.read()) for file in files if file.filename]


@dataclass(frozen=True, slots=True)
class LearnerVisit(Visit):
    """A request to the pages of ``learner``, who has not chosen another language than ``default``, or has."""

    learner: LearnerWorkspace
    default: Lang

    @property
    def lang(self) -> Lang:
        """The language that the learner used last, or the only one of the course."""
        return self.learner.course.language(self.learner.spoken(self.default))

    @property
    def question(self) -> Question:
        """The question that the path names. Raises HTTPException (404) if there is none."""
        return existing(self.learner.course.question(self.named("question")))

    @property
    def item(self) -> tuple[Question, Item]:
        """The item that the path names, with its question. Raises HTTPException (404) if there is none."""
        return find_item(self.learner.course, self.named("item"))

    @property
    def exercise(self) -> tuple[Question, Exercise]:
        """The exercise that the path names, with its question. Raises HTTPException (404) if there is none."""
        return existing(self.learner.course.exercise(self.named("exercise")))

    def class_work(self) -> ClassWork | None:
        """In a class: what a learner submitted, and when it is due. None elsewhere."""
        return None

    @property
    def is_part(self) -> bool:
        """Whether a script asks for a part of a page, which it puts there."""
        return bool(self.request.headers.get("hx-request"))

    def show(self, template: str, *, status: int = 200, lang: Lang | None = None, **given: Any) -> Response:
        """The page that ``template`` makes of what is ``given``; ``lang`` is by default the learner's language."""
        lang = lang or self.lang
        nonce, course = getattr(self.request.state, "nonce", ""), self.learner.course
        text = rendered(template, lang, learner=self.learner, course=course, nonce=nonce, **given)
        return HTMLResponse(text, status)


def rendered(template: str, lang: Lang, *folders: Path, **given: Any) -> str:
    """What ``template``, of these pages or in one of ``folders``, makes of what is ``given``."""

    def translate(english: str, context: str = "") -> str:
        """What templates call ``_``; ``make messages`` reads the English, and perhaps a context, from them."""
        return Message(english, context).of(lang)

    shared = {"_": translate, "prose": prose, "of_points": OF_POINTS, "as_points": points}
    return environment(TEMPLATES, *folders).get_template(template).render(lang=lang, **shared, **given)


V = TypeVar("V", bound=Visit)


def route(
    path: str,
    handler: Callable[[V], Response],
    *methods: str,
    visit: Callable[[Request], V],
    most: tuple[int, int] = (1000, 1000),
) -> Route:
    """A route to ``handler``, which runs in a thread, because it reads files. ``most``: fields and files of a form."""

    async def answer(request: Request) -> Response:
        made = visit(request)
        if request.method != "POST":
            return await run_in_threadpool(handler, made)
        async with request.form(max_fields=most[0], max_files=most[1]) as form:
            return await run_in_threadpool(handler, replace(made, form=form))

    return Route(path, answer, methods=list(methods or ["GET"]))


def error_handlers(visit: Callable[[Request], LearnerVisit]) -> dict[Any, Any]:
    """For an application: exceptions as pages."""

    async def handle(request: Request, error: Exception) -> Response:
        return await run_in_threadpool(error_page, visit(request), error)

    return {HTTPException: handle, AttncheckError: handle}


def error_page(visit: LearnerVisit, error: Exception) -> Response:
    """An error page. Paths and tracebacks are only printed in the terminal."""
    try:
        lang = visit.lang
    except StateError:  # which may be what went wrong
        lang = visit.default
    # A part of a page is replaced by the message alone.
    template = "problem.html" if visit.is_part else "failed.html"
    if isinstance(error, AttncheckError):
        return visit.show(template, status=400, lang=lang, text=visit.learner.told(error).of(lang))
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = {400: _NOT_READ, 403: _NOT_THEIRS}.get(status, Message("There is no such page."))
    return visit.show(template, status=status, lang=lang, text=message.of(lang))
