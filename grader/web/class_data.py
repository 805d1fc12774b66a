"""What the instructor's pages share: the class on disk, cached data, the current request, and rendering."""

from __future__ import annotations

import contextlib
import functools
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from grader.classroom import analysis, audit, class_table
from grader.classroom.class_table import ClassRow
from grader.classroom.gradebook import LearnerRow, change_token, open_gradebook
from grader.classroom.marks import Mark
from grader.classroom.overrides import open_for_changes
from grader.classroom.results import Book
from grader.core.errors import AttncheckError
from grader.core.model import Course, Exercise, Item, Lang, Question, Text
from grader.core.text import OF_POINTS, points, timestamp
from grader.report.html import environment, sheet
from grader.web.instructor_words import WORDS
from grader.web.people import ClassMember, Role
from grader.web.prose import prose
from grader.web.sessions import Sessions

T = TypeVar("T")

_HERE = Path(__file__).parent / "templates"
_CLASS = Path(class_table.__file__).parent / "templates"
_ANALYSIS = Path(analysis.__file__).parent / "templates"
#: The cookie that holds the language, unless the application says it.
LANGUAGE = "attncheck-lang"
#: Seconds to wait for another process that changes the results folder.
LOCK_TIMEOUT = 10.0
#: For computations that are slow in a large class: they take at most one second in this many.
RARELY = 10.0
#: The most downloads that are kept until they are saved.
_MOST_READY = 4
#: The folders of an absolute path.
_FOLDERS = re.compile(r"(?<![^\s“\"'(（：:,，])/(?:[^\s/]+/)+")
_NO_PAGE = Text("There is no such page.", "没有这个页面。")
_NOT_YOURS = Text("These pages are for the staff of the class.", "这些页面只供任课人员使用。")

#: A mark that counts or not, with the answers of its submission.
Answered: TypeAlias = tuple[Mark, Mapping[str, object]]


class VersionedCache:
    """A cache of values computed from a gradebook, until it changes. Only one thread at a time computes a value."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._known: dict[str, tuple[bytes, float, Any]] = {}
        self._making: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._clock = clock

    def get(self, name: str, version: Callable[[], bytes], make: Callable[[], T], *, rest: float = 0.0) -> T:
        """The value called ``name``. ``make`` computes it unless there is one for the current ``version``.

        With ``rest``, a value is also kept for that many times the seconds that it took to compute, because in a class
        that is being graded the gradebook changes all the time.
        """
        with self._lock:
            making = self._making.setdefault(name, threading.Lock())
        with making:
            now, began = version(), self._clock()
            known = self._known.get(name)
            if known is None or (known[0] != now and began >= known[1]):
                value = make()
                ended = self._clock()
                known = self._known[name] = now, ended + rest * (ended - began), value
            found: T = known[2]
            return found


@dataclass(frozen=True, slots=True)
class Download:
    """A finished download, with remarks for the instructor."""

    name: str
    data: bytes
    remarks: tuple[Text, ...]


@dataclass(slots=True)
class DownloadStore:
    """The latest downloads with remarks, by an unguessable token."""

    _known: OrderedDict[str, Download] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, ready: Download) -> str:
        """Keep a download, and return its token. The oldest one is dropped."""
        token = secrets.token_urlsafe(16)
        with self._lock:
            self._known[token] = ready
            while len(self._known) > _MOST_READY:
                self._known.popitem(last=False)
        return token

    def get(self, token: str) -> Download | None:
        """The download with this token; None if it was dropped."""
        with self._lock:
            return self._known.get(token)


@dataclass(frozen=True, slots=True)
class ClassData:
    """The class behind the pages: its results ``folder`` and the full ``course`` that grades it.

    ``base`` is the path prefix of all pages. ``lang`` is the default language. ``links`` are other pages of the
    application, such as the one to sign out.
    """

    folder: Path
    course: Course
    course_folder: Path | None = None
    base: str = "/class"
    lang: Lang = "en"
    links: tuple[tuple[str, Text], ...] = ()
    #: Those that instructors can end; None if the application has none.
    sessions: Sessions | None = None
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    remembered: VersionedCache = field(default_factory=VersionedCache, compare=False)
    shelf: DownloadStore = field(default_factory=DownloadStore, compare=False)
    #: Held while a request is answered, so that its points and its answer come from the same person.
    turn: threading.Lock = field(default_factory=threading.Lock, compare=False)

    # ------------------------------------------------------------------------------------- reading

    @contextlib.contextmanager
    def book(self) -> Iterator[Book]:
        """The gradebook, open for reading."""
        with contextlib.closing(open_gradebook(self.folder, read_only=True)) as gradebook:
            yield Book.of(gradebook, self.course)

    @contextlib.contextmanager
    def changing(self) -> Iterator[Book]:
        """The gradebook, locked and open for changes."""
        with open_for_changes(self.folder, self.course_folder, LOCK_TIMEOUT) as (gradebook, _):
            yield Book.of(gradebook, self.course)

    def once(self, name: str, make: Callable[[Book], T], version: bytes | None = None, *, rest: float = 0.0) -> T:
        """What ``make`` returns for the gradebook, cached until the gradebook, or else ``version``, changes.

        See ``VersionedCache`` for ``rest``.
        """

        def made() -> T:
            with self.book() as book:
                return make(book)

        return self.remembered.get(
            name, lambda: change_token(self.folder) if version is None else version, made, rest=rest
        )

    def answered(self) -> tuple[Answered, ...]:
        """All marks of the class with their answers, ordered by learner."""
        return self.once(
            "answered",
            lambda book: tuple(
                (mark, book.gradebook.answers(mark.work.row) if mark.work else {}) for mark in book.marks()
            ),
        )

    def counting(self) -> list[Answered]:
        """The marks that count, with their answers."""
        return [each for each in self.answered() if each[0].counts]

    def rows(self) -> tuple[ClassRow, ...]:
        """The class as a table."""
        return self.once("rows", lambda book: class_table.numbered(mark for mark, _ in self.counting()))

    def graded_questions(self) -> tuple[str, ...]:
        """The ids of the questions that count."""
        return self.once("questions", lambda book: tuple(book.points))

    def people(self) -> Mapping[str, LearnerRow]:
        """All learners of the class by id."""
        return self.once("people", lambda book: {one.id: one for one in book.gradebook.learners()})

    def called(self, learner: str) -> str:
        """The name of a learner, with the id if it differs; the id if the learner is not in the class."""
        known = self.people().get(learner)
        return learner if known is None or known.name in ("", learner) else f"{known.name} ({learner})"

    # ------------------------------------------------------------------------------------- finding

    def learner(self, name: str) -> LearnerRow:
        """The learner with this id. Raises HTTPException (404) if there is none."""
        found = self.people().get(name)
        if found is None:
            raise HTTPException(404)
        return found

    def item(self, name: str) -> tuple[Question, Item]:
        """An item with its question. Raises HTTPException (404) if there is none."""
        found = next(((q, i) for q in self.course.questions for i in q.items if i.id == name), None)
        if found is None:
            raise HTTPException(404)
        return found

    def exercise(self, name: str) -> tuple[Question, Exercise]:
        """An exercise with its question. Raises HTTPException (404) if there is none."""
        found = self.course.exercise(name)
        if found is None:
            raise HTTPException(404)
        return found

    # ------------------------------------------------------------------------------------- links

    def at(self, *parts: str, **query: str) -> str:
        """The address of a page below ``base``, from the parts of its path and its query."""
        path = "/".join([self.base, *(quote(part, safe="") for part in parts)])
        asked = {name: value for name, value in query.items() if value}
        return path + (f"?{urlencode(asked)}" if asked else "")

    def part_link(self, name: str) -> str | None:
        """The page of an item or an exercise; None if the course has none of that name."""
        if any(item.id == name for question in self.course.questions for item in question.items):
            return self.at("items", name)
        return self.at("exercises", name) if self.course.exercise(name) else None


# ------------------------------------------------------------------------------------------ requests


@dataclass(frozen=True, slots=True)
class Visit:
    """A request to the instructor's pages: the person, the language, and the form."""

    class_data: ClassData
    request: Request
    person: ClassMember
    lang: Lang
    form: FormData = field(default_factory=FormData)

    @property
    def author(self) -> str:
        """The person as the author of changes."""
        same = self.person.name in ("", self.person.id)
        return self.person.id if same else f"{self.person.name} ({self.person.id})"

    def asked(self, name: str, default: str = "") -> str:
        """A query parameter."""
        return self.request.query_params.get(name, default)

    def typed(self, name: str) -> str:
        """A field of the form; empty if it is missing or a file."""
        value = self.form.get(name)
        return value if isinstance(value, str) else ""

    def all_typed(self, name: str) -> list[str]:
        """All values of a field of the form."""
        return [value for value in self.form.getlist(name) if isinstance(value, str)]

    def upload(self, name: str) -> tuple[str, bytes] | None:
        """A file of the form as its name and content; None if there is none."""
        value = self.form.get(name)
        if not isinstance(value, UploadFile) or not value.filename:
            return None
        return value.filename, value.file.read()

    def note(self, did: str, **about: str) -> None:
        """Record a change."""
        class_data = self.class_data
        entry = audit.AuditEntry(class_data.now(), self.author, self.person.role.value, did, tuple(about.items()))
        audit.note(class_data.folder, entry)

    def page(self, template: str, *, status: int = 200, **given: Any) -> Response:
        """Render a page as a response."""
        return HTMLResponse(self.part(template, **given), status)

    def part(self, template: str, **given: Any) -> str:
        """Render a page as HTML."""
        class_data = self.class_data
        return (
            environment(_HERE, _CLASS, _ANALYSIS)
            .get_template(template)
            .render(
                lang=self.lang,
                words=SimpleNamespace(**{name: word.of(self.lang) for name, word in WORDS.items()}),
                class_data=class_data,
                at=class_data.at,
                called=class_data.called,
                person=self.person,
                course=class_data.course,
                here=self._here(),
                section=self.request.url.path.removeprefix(class_data.base).strip("/").partition("/")[0],
                prose=prose,
                of_points=OF_POINTS,
                as_points=points,
                **given,
            )
        )

    def _here(self) -> str:
        """The address to return to after a change of the language; the target of a form is not a page."""
        url = self.request.url
        if self.request.method != "GET":
            return self.class_data.at()
        return url.path + (f"?{url.query}" if url.query else "")

    def said(self, error: AttncheckError) -> str:
        """The text of an error, with paths of this machine reduced to their last part."""
        text = error.of(self.lang)
        for path in (str(self.class_data.folder.absolute()), str(self.class_data.folder)):
            text = text.replace(path, self.class_data.folder.name)
        return _FOLDERS.sub("", text)


Handler: TypeAlias = Callable[[Visit], Response]
#: The most fields and files of a form.
_MOST_FIELDS, _MOST_FILES = 5000, 2


def route(class_data: ClassData, path: str, handler: Handler, *methods: str) -> Route:
    """A route below the base of ``class_data``. The handler runs in a thread, because it reads files."""

    async def answer(request: Request) -> Response:
        visit = _visit(class_data, request)
        try:
            if request.method == "POST":
                async with request.form(max_fields=_MOST_FIELDS, max_files=_MOST_FILES) as form:
                    changing = Visit(class_data, request, visit.person, visit.lang, form)
                    return await run_in_threadpool(handler, changing)
            return await run_in_threadpool(handler, visit)
        except AttncheckError as error:
            return await run_in_threadpool(functools.partial(_failed, visit, visit.said(error), 400))
        except HTTPException as error:
            if error.status_code != 404:
                raise
            return await run_in_threadpool(functools.partial(_failed, visit, _NO_PAGE.of(visit.lang), 404))

    endpoint: Callable[[Request], Awaitable[Response]] = answer
    return Route(class_data.base + path, endpoint, methods=list(methods or ["GET"]))


def _visit(class_data: ClassData, request: Request) -> Visit:
    """The request as a ``Visit``. Raises HTTPException (403) unless a member of the staff sent it."""
    person = getattr(request.state, "person", None)
    if not isinstance(person, ClassMember) or person.role is Role.LEARNER:
        raise HTTPException(403, _NOT_YOURS.en)
    chosen = getattr(request.state, "lang", None) or request.cookies.get(LANGUAGE)
    return Visit(class_data, request, person, "zh" if chosen == "zh" else "en" if chosen == "en" else class_data.lang)


def _failed(visit: Visit, text: str, status: int) -> Response:
    return visit.page("instructor_failed.html", status=status, text=text)


def moment(at: datetime) -> str:
    """A time for people."""
    return timestamp(at.isoformat())


@functools.cache
def style_sheet() -> str:
    """The style sheet of the instructor's pages: those of reports, learners' pages, tables and analyses combined."""
    names = (_HERE / "web.css", _ANALYSIS / "statistics.css", _ANALYSIS / "similarity.css", _CLASS / "class_table.css")
    return sheet(*names, _HERE / "instructor.css")
