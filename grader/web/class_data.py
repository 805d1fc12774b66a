"""What the instructor's pages share: the class on disk, cached data, the current request, and rendering."""

from __future__ import annotations

import contextlib
import functools
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from grader.classroom import audit
from grader.classroom.gradebook import LearnerRow, change_token, open_gradebook
from grader.classroom.marks import Mark
from grader.classroom.results import Book
from grader.core.cache import SizedCache
from grader.core.errors import AttncheckError, UsageError
from grader.core.model import Course, Exercise, Item, Lang, Message, Question, Text
from grader.core.text import STATUS, timestamp
from grader.instructor import analysis, class_table
from grader.instructor.class_table import ClassRow
from grader.instructor.overrides import open_for_changes
from grader.report.html import sheet
from grader.web.people import ClassMember, Role
from grader.web.sessions import Sessions
from grader.web.visit import TEMPLATES, Visit, existing, find_item, rendered, route

T = TypeVar("T")

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
            kept = self._known.get(name)
            if kept is None or (kept[0] != now and began >= kept[1]):
                value = make()
                ended = self._clock()
                kept = self._known[name] = now, ended + rest * (ended - began), value
            result: T = kept[2]
            return result


@dataclass(frozen=True, slots=True)
class Download:
    """A finished download, with remarks for the instructor."""

    name: str
    data: bytes
    remarks: tuple[Text, ...]


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
    #: The latest downloads with remarks, by an unguessable token; each counts as 1.
    shelf: SizedCache[str, Download] = field(default_factory=lambda: SizedCache(_MOST_READY), compare=False)
    #: Held while a request is answered, so that its points and its answer come from the same person.
    turn: threading.Lock = field(default_factory=threading.Lock, compare=False)
    reading: ReadingLog = field(default_factory=lambda: ReadingLog(), compare=False)

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
        return [answered for answered in self.answered() if answered[0].counts]

    def rows(self) -> tuple[ClassRow, ...]:
        """The class as a table."""
        return self.once("rows", lambda book: class_table.numbered(mark for mark, _ in self.counting()))

    def graded_questions(self) -> tuple[str, ...]:
        """The ids of the questions that count."""
        return self.once("questions", lambda book: tuple(book.points))

    def people(self) -> Mapping[str, LearnerRow]:
        """All learners of the class by id."""
        return self.once("people", lambda book: {learner.id: learner for learner in book.gradebook.learners()})

    def called(self, learner: str) -> str:
        """The name of a learner, with the id if it differs; the id if the learner is not in the class."""
        row = self.people().get(learner)
        return learner if row is None or row.name in ("", learner) else f"{row.name} ({learner})"

    # ------------------------------------------------------------------------------------- finding

    def learner(self, name: str) -> LearnerRow:
        """The learner with this id. Raises HTTPException (404) if there is none."""
        return existing(self.people().get(name))

    def item(self, name: str) -> tuple[Question, Item]:
        """An item with its question. Raises HTTPException (404) if there is none."""
        return find_item(self.course, name)

    def exercise(self, name: str) -> tuple[Question, Exercise]:
        """An exercise with its question. Raises HTTPException (404) if there is none."""
        return existing(self.course.exercise(name))

    # ------------------------------------------------------------------------------------- links

    def at(self, *parts: str, **query: str) -> str:
        """The address of a page below ``base``, from the parts of its path and its query."""
        path = "/".join([self.base, *(quote(part, safe="") for part in parts)])
        given = {name: value for name, value in query.items() if value}
        return path + (f"?{urlencode(given)}" if given else "")

    def part_link(self, name: str) -> str | None:
        """The page of an item or an exercise; None if the course has none of that name."""
        if self.course.item(name):
            return self.at("items", name)
        return self.at("exercises", name) if self.course.exercise(name) else None


# ------------------------------------------------------------------------------------------ requests


@dataclass(frozen=True, slots=True)
class FormProblem:
    """Why a form was refused: a message in the person's language, and the field that it is about, if there is one."""

    said: str
    field: str


@dataclass(frozen=True, slots=True)
class FormState:
    """A form of a page. If it was refused, ``problem`` says why, and it shows again what was typed."""

    form: FormData
    problem: FormProblem | None = None

    def typed(self, name: str, default: str = "") -> str:
        """What a field shows; ``default`` unless the form was refused."""
        value = self.form.get(name, "")
        return value if self.problem is not None and isinstance(value, str) else default

    def ticked(self, name: str, value: str, default: bool = False) -> bool:
        """Whether a box is ticked; ``default`` unless the form was refused."""
        return default if self.problem is None else value in self.form.getlist(name)

    def wrong(self, field: str) -> str:
        """What is wrong with a field; empty if nothing is."""
        return self.problem.said if self.problem is not None and self.problem.field == field else ""

    def elsewhere(self, *fields: str) -> str:
        """What is wrong, unless it is about one of these fields."""
        return self.problem.said if self.problem is not None and self.problem.field not in fields else ""


#: The field that names the form, on a page with several.
FORM = "form"
#: Seconds for which reading the same page again adds nothing to the audit log.
_SAME_READING = 600.0


@dataclass(slots=True)
class ReadingLog:
    """Who has read which results lately, so that turning pages does not fill the audit log."""

    clock: Callable[[], float] = time.monotonic
    _known: dict[tuple[str, ...], float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def is_new(self, *reading: str) -> bool:
        """Whether nobody has asked this in the last ten minutes."""
        now = self.clock()
        with self._lock:
            self._known = {known: time for known, time in self._known.items() if now - time < _SAME_READING}
            new = reading not in self._known
            if new:
                self._known[reading] = now
            return new


@dataclass(frozen=True, slots=True)
class StaffVisit(Visit):
    """A request to the instructor's pages: the person, the language, and the form.

    If the form was refused, ``problem`` says why, and ``page_path`` is the address of the page with the form.
    """

    class_data: ClassData
    person: ClassMember
    lang: Lang
    problem: FormProblem | None = None
    page_path: str = ""

    @property
    def author(self) -> str:
        """The person as the author of changes."""
        same = self.person.name in ("", self.person.id)
        return self.person.id if same else f"{self.person.name} ({self.person.id})"

    def number(self) -> int:
        """The number in the path. Raises HTTPException (404) if there is none, or one that nothing has."""
        return existing(whole_number(self.named("number")))

    def asked_number(self, name: str) -> int | None:
        """A number among the query parameters; None if there is none, or one that nothing has."""
        return whole_number(self.asked(name))

    def may_end_sessions(self, learner: str | None = None) -> bool:
        """Whether the person may end sessions, and the learner, if given, can have any."""
        sessions = self.class_data.sessions
        if sessions is None or self.person.role is not Role.INSTRUCTOR:
            return False
        return learner is None or sessions.people.find(learner) is not None

    def note(self, did: str, **about: str) -> None:
        """Record an action in the audit log."""
        class_data = self.class_data
        entry = audit.AuditEntry(class_data.now(), self.author, self.person.role.value, did, tuple(about.items()))
        audit.note(class_data.folder, entry)

    def note_reading(self, did: str, **about: str) -> None:
        """Record that results of persons are read, unless the same person did the same minutes ago."""
        if self.class_data.reading.is_new(self.person.id, did, *about.values()):
            self.note(did, **about)

    def state(self, name: str) -> FormState:
        """The form of this name on the page."""
        return FormState(self.form, self.problem if self.typed(FORM) == name else None)

    def page(self, template: str, *, status: int | None = None, **given: Any) -> Response:
        """Render a page as a response. The status is 400 if a form was refused, else 200."""
        class_data = self.class_data
        text = rendered(
            template,
            self.lang,
            _CLASS,
            _ANALYSIS,
            class_data=class_data,
            at=class_data.at,
            called=class_data.called,
            person=self.person,
            course=class_data.course,
            here=self._here(),
            state=self.state,
            problem=self.problem,
            form_name=self.typed(FORM),
            typed=[value for name, value in self.form.items() if name in _WRITTEN and isinstance(value, str)],
            section=self.request.url.path.removeprefix(class_data.base).strip("/").partition("/")[0],
            STATUS=STATUS,
            moment=lambda at: timestamp(at.isoformat()),
            numbers=lambda drawn: ", ".join(f"{name} = {value}" for name, value in drawn),
            **given,
        )
        return HTMLResponse(text, status or (400 if self.problem else 200))

    def failed(self, text: str, status: int) -> Response:
        """A page that says why there is no other."""
        return self.page("instructor_failed.html", status=status, text=text)

    def _here(self) -> str:
        """The address to return to after a change of the language; the target of a form is not a page."""
        url = self.request.url
        if self.page_path:
            return self.page_path
        if self.request.method != "GET":
            return self.class_data.at()
        return url.path + (f"?{url.query}" if url.query else "")

    def said(self, error: AttncheckError) -> str:
        """The text of an error without commands, and with paths of this machine reduced to their last part."""
        text = error.message.on_page.of(self.lang)
        for path in (str(self.class_data.folder.absolute()), str(self.class_data.folder)):
            text = text.replace(path, self.class_data.folder.name)
        return _FOLDERS.sub("", text)


def whole_number(text: str) -> int | None:
    """The number in an address; None if it is none, or longer than any that is given out."""
    return int(text) if text.isdecimal() and len(text) < 13 else None


Handler: TypeAlias = Callable[[StaffVisit], Response]
#: The most fields and files of a form.
_MOST_SENT = (5000, 2)
#: The fields in which people write; they are shown again even if their form is no longer there.
_WRITTEN = ("answer", "comment", "reason", "points")


def staff_route(
    class_data: ClassData, path: str, handler: Handler, *methods: str, form_on: tuple[str, Handler] | None = None
) -> Route:
    """A route below the base of ``class_data``.

    ``form_on`` is the path and the handler of the page that has the form. If the form is refused, this page is the
    answer: with the message at its field, and with everything that was typed.
    """

    visit, answer = functools.partial(_visit, class_data), functools.partial(_answer, handler, form_on)
    return route(class_data.base + path, answer, *methods, visit=visit, most=_MOST_SENT)


def _answer(handler: Handler, form_on: tuple[str, Handler] | None, visit: StaffVisit) -> Response:
    try:
        try:
            return handler(visit)
        except AttncheckError as error:
            if form_on is None:
                raise
            path, page = form_on
            names = {name: quote(str(value), safe="") for name, value in visit.request.path_params.items()}
            problem = FormProblem(visit.said(error), error.field if isinstance(error, UsageError) else "")
            return page(replace(visit, problem=problem, page_path=visit.class_data.base + path.format(**names)))
    except AttncheckError as error:
        return visit.failed(visit.said(error), 400)
    except HTTPException as error:
        if error.status_code != 404:
            raise
        return visit.failed(Message("There is no such page.").of(visit.lang), 404)


def _visit(class_data: ClassData, request: Request) -> StaffVisit:
    """The request as a ``StaffVisit``. Raises HTTPException (403) unless a member of the staff sent it."""
    person = getattr(request.state, "person", None)
    if not isinstance(person, ClassMember) or person.role is Role.LEARNER:
        raise HTTPException(403, Message("These pages are for the staff of the class.").en)
    chosen = getattr(request.state, "lang", None) or request.cookies.get(LANGUAGE)
    lang: Lang = "zh" if chosen == "zh" else "en" if chosen == "en" else class_data.lang
    return StaffVisit(request, class_data, person, class_data.course.language(lang))


@functools.cache
def style_sheet() -> str:
    """The style sheet of the instructor's pages: those of reports, learners' pages, tables and analyses combined."""
    names = (
        TEMPLATES / "tokens.css",
        TEMPLATES / "web.css",
        _ANALYSIS / "statistics.css",
        _ANALYSIS / "similarity.css",
        _CLASS / "class_table.css",
    )
    return sheet(*names, TEMPLATES / "instructor.css")
