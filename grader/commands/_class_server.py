"""What `serve --class` and `links` share: the settings of a class, and its server. The pages of any results folder."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import click

from grader.commands._console import say
from grader.commands._find import read_seed
from grader.core.errors import UsageError
from grader.core.model import Course, Lang, Message
from grader.course import loader
from grader.grading import courses

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    import uvicorn

    from grader.classroom.class_folder import ClassSettings
    from grader.classroom.roster import Roster
    from grader.web.security import App

NO_ROSTER = Message("{folder}/class.yaml names no roster, and neither does course.yaml; add “roster: class.csv”.")
_PREPARING = Message(
    "Preparing the sandbox, the references, and the learners' edition of the course. The first time, this takes a few "
    "minutes."
)
_OPEN = Message("The class in {folder} is at {address} (listening on {host}:{port}). Stop with Ctrl-C.")
_PLAIN = Message("{address} is not https, so sessions could be intercepted. Use it on this machine only.")
_HALF = Message(
    "--trust-header and --trusted-proxy must be used together: the header counts only if it comes from that address."
)
_NEW = Message(
    "Put your learners into {folder}/roster.csv, and yourself into {folder}/class.yaml.\n"
    "Then start `attncheck serve --class {folder}`; `attncheck links {folder}` makes the personal links."
)
#: The switch interval of threads in seconds: short, because the thread that serves requests often waits for others.
_SWITCH = 0.0005


def quiet_config(app: Any, lifespan: Literal["on", "off"], **more: Any) -> uvicorn.Config:
    """How ``app`` is served: plain HTTP within our limits, without a log of requests."""
    import uvicorn  # an extra

    from grader.web.limits import limited_protocol  # loads uvicorn, an extra

    quiet: dict[str, Any] = {"log_level": "warning", "server_header": False, "access_log": False}
    # A connection that arrives as the server ends would keep it waiting for a request; nobody waits for code by then.
    quiet["timeout_graceful_shutdown"] = 1
    return uvicorn.Config(app, http=limited_protocol(), ws="none", lifespan=lifespan, **quiet, **more)


def start_class(folder: Path, lang: Lang) -> None:
    """Write the files of a new class, and say what to do next. Raises UsageError if the folder is not empty."""
    from grader.classroom import class_folder  # loads filelock

    class_folder.create_class(folder, lang)
    say(_NEW.fill(folder=folder))


def results_app(folder: Path, course_folder: Path | None, author: str, lang: Lang) -> App:
    """The pages of the staff for the results in ``folder``, opened by ``author``. Raises UsageError if there are none.

    The course is that of ``course_folder``, else the one that graded them.
    """
    from grader.classroom.gradebook import open_gradebook  # loads sqlite
    from grader.instructor.regrade import course_of  # loads numpy
    from grader.web.class_data import ClassData  # loads starlette, an extra
    from grader.web.instructor import make_app  # as above
    from grader.web.people import ClassMember, Role  # loads the roster

    with contextlib.closing(open_gradebook(folder, read_only=True)) as book:
        graded_with = course_of(book, course_folder)
    course = loader.full_course(courses.load(graded_with))
    return make_app(ClassData(folder, course, graded_with, lang=lang), ClassMember(author, author, Role.INSTRUCTOR))


def read_class(folder: Path, course_folder: Path | None) -> tuple[ClassSettings, Course, Roster, Path]:
    """The settings of the class in ``folder``, its course, its roster, and the file of that. Raises UsageError."""
    from grader.classroom import class_folder, roster  # the latter loads intakes

    settings = class_folder.read_settings(folder)
    course = courses.load(loader.find(course_folder or _inside(folder, settings.course)))
    listed = _inside(folder, settings.roster) or loader.file_named_in_course(course, "roster")
    if listed is None:
        raise UsageError(NO_ROSTER.fill(folder=folder))
    return settings, course, roster.read_roster(listed), listed


def _inside(folder: Path, name: str | None) -> Path | None:
    return None if name is None else folder / name


def serve_class(  # noqa: PLR0917, one for each option
    folder: Path,
    course_folder: Path | None,
    workers: int | None,
    listen: Callable[[int], socket.socket],
    port: int | None,
    header: tuple[str | None, str | None],
    lang: Lang,
) -> None:
    """Serve the class in ``folder`` until Ctrl-C."""
    import uvicorn  # an extra

    from grader.classroom.service import Service, ServicePlan  # loads numpy
    from grader.core import resources  # reads /proc
    from grader.web.class_data import ClassData  # loads starlette, an extra
    from grader.web.gate import Proxy  # loads starlette, an extra
    from grader.web.instructor import routes  # as above
    from grader.web.site import Site  # as above

    if (header[0] is None) != (header[1] is None):
        raise UsageError(_HALF)
    proxy = Proxy(header[0], header[1]) if header[0] and header[1] else None
    folder = folder.resolve()
    settings, course, listed, roster_file = read_class(folder, course_folder)
    seed = read_seed(None, _inside(folder, settings.seed_file) or loader.file_named_in_course(course, "seed_file"))
    workers = workers or max(2, resources.processors())
    plan = ServicePlan(folder, Path(course.folder), listed, seed, settings.questions, workers)
    address = urlsplit(settings.address)
    if address.scheme == "http" and address.hostname not in ("127.0.0.1", "localhost"):
        say(_PLAIN.fill(address=settings.address), err=True)
    say(_PREPARING)
    service = Service(plan, lambda text: click.echo(Message("attncheck: {what}").fill(what=text).of(lang), err=True))
    site = Site.of(service, settings, lang)
    links, sessions = site.staff_links(proxy), None if proxy else site.sessions
    class_data = ClassData(folder, service.course, plan.course_folder, lang=lang, links=links, sessions=sessions)
    listening = listen(port if port is not None else address.port or 8000)
    sys.setswitchinterval(_SWITCH)
    try:
        with service:
            host, number = listening.getsockname()[:2]
            say(_OPEN.fill(folder=folder, address=settings.address, host=host, port=number))
            gate = site.app(routes(class_data), proxy, roster_file)
            config = quiet_config(
                gate,
                "on",
                proxy_headers=False,  # the client is the proxy itself, not an address that it forwards
                timeout_keep_alive=75,  # longer than proxies keep theirs
            )

            class Server(uvicorn.Server):
                """Ends all waiting before the shutdown, so that responses are sent before connections close."""

                async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                    service.stop()
                    gate.ended.set()
                    await super().shutdown(sockets)

            Server(config).run(sockets=[listening])
    finally:
        listening.close()
