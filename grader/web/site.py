"""The complete application of the class server: all pages, and who may open them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl

import anyio.to_thread
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import Mount, Route

from grader.classroom.class_folder import WORK, ClassSettings
from grader.classroom.service import Service
from grader.core.bounded import SMALL
from grader.core.files import portable_folder
from grader.core.model import Lang, Message, Text
from grader.grading.checker import Checker
from grader.web import class_pages
from grader.web.class_pages import MOST_FORMULA, ClassChecker, ClassVisit, ClassWorkspace
from grader.web.gate import AT_ONCE, SIGN_OUT, Gate, Proxy, restrict
from grader.web.limits import RateLimit
from grader.web.pages import learner_app
from grader.web.people import ClassMember, ClassMembers, MemberFiles, Role
from grader.web.security import SAFE_METHODS, App, Receive, Scope, Send, notice
from grader.web.sessions import Sessions
from grader.web.visit import error_handlers, route

#: Threads in addition to those for the requests of each person, some of whom may be waiting for a check.
_THREADS = 40
#: The assumed bytes of a body without Content-Length.
_UNKNOWN = 1 << 30
#: The most bytes of uploaded notebooks in formats before 4: about half a second of CPU time to convert.
_MOST_OLD = 1 << 20
_SUBMIT = ("/submit", Message("Submit"))
_CLASS = ("/class", Message("Class", "navigation"))
_COURSE = ("/", Message("Course"))
_LEAVE = (SIGN_OUT, Message("Sign out"))
EVERYBODY = frozenset(Role)
LEARNERS = frozenset({Role.LEARNER})
STAFF = frozenset({Role.ASSISTANT, Role.INSTRUCTOR})


@dataclass(slots=True)
class Site:
    """The state that all pages of a class share."""

    service: Service
    settings: ClassSettings
    sessions: Sessions
    lang: Lang
    #: Whether people can sign out; false if a proxy identifies them.
    signs_out: bool = True
    _workspaces: dict[str, ClassWorkspace] = field(default_factory=dict)
    _uploading: dict[str, asyncio.Lock] = field(default_factory=dict)
    _checks: RateLimit = field(init=False)
    #: Limits per person on answers, and on formulas that are parsed while they are typed.
    _answers: RateLimit = field(default_factory=lambda: RateLimit(60, 60.0))
    _readings: RateLimit = field(default_factory=lambda: RateLimit(90, 30.0))

    def __post_init__(self) -> None:
        """Set the limit on checks from the course."""
        self._checks = RateLimit(self.service.course.pace.checks_per_hour, 3600.0)

    @classmethod
    def of(cls, service: Service, settings: ClassSettings, lang: Lang) -> Site:
        """The site of a class. Raises UsageError if its settings, its secret or its ended sessions are not valid."""
        people = ClassMembers(service.plan.roster, settings)
        return cls(service, settings, Sessions.of(service.plan.folder, people), lang)

    @staticmethod
    def staff_links(proxy: Proxy | None = None) -> tuple[tuple[str, Text], ...]:
        """The links on the pages of staff: the course, and signing out unless a proxy signs people in."""
        return (_COURSE, *([_LEAVE] if proxy is None else []))

    @property
    def people(self) -> ClassMembers:
        """The members of the class."""
        return self.sessions.people

    def app(self, staff_routes: Sequence[Route] = (), proxy: Proxy | None = None, roster: Path | None = None) -> Gate:
        """The pages of the class. With the file of its roster, people who leave are noticed while the server runs.

        ``staff_routes`` are for assistants and instructors only. Their handlers find the ``ClassMember`` in
        ``request.state.person``, and record changes in the audit log.
        """
        self.signs_out = proxy is None
        folder = self.service.plan.folder
        report = self.service.report
        members = None if roster is None else MemberFiles(folder, roster, self.people, report)
        app = self._read_by_person(self.inner(staff_routes))
        return Gate(app, self.settings.address, self.sessions, folder, proxy, members, report)

    def _read_by_person(self, app: App) -> App:
        """``app``, where what a learner sends is read on the readers of the class, in that learner's turn.

        Of one learner, one upload is received and read at a time.
        """

        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            person: ClassMember | None = scope.get("state", {}).get("person")
            async with contextlib.AsyncExitStack() as held:
                if person is not None and person.role is Role.LEARNER:
                    held.enter_context(self.service.readers.reading_for(person.id))
                    if _is_upload(scope):
                        await held.enter_async_context(self._uploading.setdefault(person.id, asyncio.Lock()))
                await app(scope, receive, send)

        return handle

    def inner(self, staff_routes: Sequence[Route] = ()) -> Starlette:
        """The pages without the gate."""
        page = partial(route, visit=self.visit)
        learners = [
            page("/submit", class_pages.overview_page),
            page("/submit", class_pages.submit, "POST"),
            page("/submit/state", class_pages.attempts_state),
            page("/submissions/{name}", class_pages.attempt_page),
            page("/submissions/{name}/receipt", class_pages.download_receipt),
            page("/submissions/{name}/report", class_pages.report_page),
            page("/submissions/{name}/request", class_pages.request_regrading, "POST"),
        ]
        return Starlette(
            routes=[
                *restrict(LEARNERS, learners),
                *restrict(EVERYBODY, [page(SIGN_OUT, class_pages.sign_out_page)]),
                *restrict(STAFF, staff_routes),
                Mount("", app=self._limited(learner_app(self.visit))),
            ],
            exception_handlers=error_handlers(self.visit),
            lifespan=self._lifespan,
        )

    def visit(self, request: Request) -> ClassVisit:
        """A request of somebody who is signed in."""
        return ClassVisit(request, self.workspace(request.state.person), self.lang, self.people)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Provide enough threads for all requests at once, so that none waits for somebody's check."""
        threads = _THREADS + AT_ONCE * len([*self.people])
        anyio.to_thread.current_default_thread_limiter().total_tokens = threads
        yield

    def _limited(self, app: App) -> App:
        """``app``, the learners' pages, without requests beyond a person's limits. Staff see them like a learner."""

        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            person: ClassMember = scope["state"]["person"]
            if _is_upload(scope) and _length(scope) > SMALL:
                self.service.readers.refuse_above_budget(person.id)
            await (self._too_much(person, scope) or app)(scope, receive, send)

        return handle

    def _too_much(self, person: ClassMember, scope: Scope) -> App | None:
        """A refusal if the person sends too many or too long formulas; None if the request is fine."""
        if not scope["path"].startswith(("/items/", "/review/items/")):
            return None
        reads = scope["path"].endswith("/reading")
        if not reads and scope["method"] in SAFE_METHODS:
            return None
        pace, now = (self._readings if reads else self._answers), time.monotonic()
        left = pace.wait(person.id, now)
        if left:
            return replace(notice("too-many-requests"), headers={"Retry-After": f"{left + 1:.0f}"})
        pace.note(person.id, now)
        typed = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("answer", "")
        long = len(typed) > MOST_FORMULA or (reads and _length(scope) > 3 * MOST_FORMULA)
        return notice("too-large") if long else None

    def workspace(self, person: ClassMember) -> ClassWorkspace:
        """The workspace of a person."""
        if person.id not in self._workspaces:
            self._workspaces[person.id] = self._workspace(person)
        return self._workspaces[person.id]

    def _workspace(self, person: ClassMember) -> ClassWorkspace:
        folder = self.service.plan.folder / WORK / portable_folder(person.id)
        checker = ClassChecker(person.id, self.service, self._checks)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return ClassWorkspace(
            self.service.edition,
            folder / "work",
            folder / "progress.jsonl",
            person.id,
            lambda: cast("Checker", checker),
            shown=person.name,
            links=(_SUBMIT if person.role is Role.LEARNER else _CLASS, *([_LEAVE] if self.signs_out else [])),
            most_old=_MOST_OLD,
            service=self.service,
            row=self.people.learners.get(person.id),
        )


def _is_upload(scope: Scope) -> bool:
    return (scope["path"], scope["method"]) == ("/work", "POST")


def _length(scope: Scope) -> int:
    """The bytes of the body, as the request says."""
    default = "0" if scope["method"] in SAFE_METHODS else str(_UNKNOWN)
    return int(Headers(scope=scope).get("content-length", default))
