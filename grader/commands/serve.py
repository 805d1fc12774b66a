"""``attncheck serve``: the course in a browser."""

from __future__ import annotations

import contextlib
import html
import os
import secrets
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import click

from grader.commands._console import say
from grader.commands._find import learner_name, read_seed, signed_by
from grader.commands._options import FOLDER, Call, Documented, shared, workers_option
from grader.core.errors import UsageError
from grader.core.model import Course, Lang, Message
from grader.course import loader
from grader.grading import courses
from grader.learning import log

if TYPE_CHECKING:
    import uvicorn

    from grader.classroom.class_folder import ClassSettings
    from grader.classroom.roster import Roster
    from grader.web.learner import LearnerWorkspace
    from grader.web.security import App

LISTED = "Learners", 130

_HOST = "127.0.0.1"
_NO_EXTRA = Message(
    "`attncheck serve` needs {name}: `pip install 'attncheck[web]'`, or in a checkout: `pip install -e '.[web]'`."
)
_OPEN = Message("Open {address}\nThe address works once. Your code is saved in {folder}. Stop with Ctrl-C.")
_OPEN_RESULTS = Message("Open {address}\nThe address works once. Points are saved in {folder}. Stop with Ctrl-C.")
_TAKEN = Message(
    "Port {port} of this machine is in use ({reason}); choose another with --port, or 0 for any free port."
)
NO_ROSTER = Message("{folder}/class.yaml names no roster, and neither does course.yaml; add “roster: class.csv”.")
_PREPARING = Message(
    "Preparing the sandbox, the references, and the learners' edition of the course. The first time, this takes a few "
    "minutes."
)
_OPEN_CLASS = Message("The class in {folder} is at {address} (listening on {host}:{port}). Stop with Ctrl-C.")
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


@click.command(cls=Documented)
@click.argument("folder", type=FOLDER, default="work")
@click.option(
    "--class",
    "class_folder",
    type=FOLDER,
    metavar="DIR",
    help="Serve the class in this folder, which has a class.yaml.",
)
@click.option("--new", is_flag=True, help="Class: write a commented class.yaml and a roster to a new folder, and stop.")
@click.option("--results", type=FOLDER, metavar="DIR", help="Show the results of a batch, and mark answers there.")
@click.option("--author", metavar="NAME", help="Results: who gives points (default: your login name).")
@workers_option(help="Class: grade N submissions at a time (default: one per CPU, at least two).")
@click.option(
    "--host",
    default=_HOST,
    metavar="ADDRESS",
    help="Class: the address to listen on (default: 127.0.0.1, for a reverse proxy).",
)
@click.option("--trust-header", metavar="NAME", help="Class: identify people by this header instead of links.")
@click.option("--trusted-proxy", metavar="ADDRESS", help="Class: only requests from ADDRESS may have that header.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="The port (default: any free one; for a class, that of its address in class.yaml, else 8000).",
)
@click.option("--browser/--no-browser", default=True, help="Open a browser window (default: yes).")
@click.option("--learner", metavar="NAME", help="Your name (default: the one used last).")
@shared("state", "lang", "course")
def serve(
    call: Call,
    *,
    folder: Path,
    class_folder: Path | None,
    new: bool,
    results: Path | None,
    author: str | None,
    workers: int | None,
    host: str,
    trust_header: str | None,
    trusted_proxy: str | None,
    port: int | None,
    browser: bool,
    learner: str | None,
) -> None:
    """Open the course in a browser.

    Prompts, quiz, an editor with checks, hints and progress, for one learner on this machine. Code is saved in FOLDER
    (default: work), answers in your progress file, which the terminal uses as well. Only this machine can connect, and
    only with a browser that has opened the printed address. Each address works once; then the next one is printed.

    With --class, serves the class in DIR: learners sign in with personal links (attncheck links), answer, and submit.
    Submissions go to DIR/inbox, results to the gradebook in DIR. With --new, writes the settings of a new class to DIR
    instead, for you to fill in.

    With --results, opens the results folder of a batch for you alone: the class, its answers and code, marking,
    downloads. Points are saved as 'attncheck override' saves them.

    Examples:
      serve                               open the course in a browser; code is saved in work
      serve q5 --port 8000 --no-browser   the same at a fixed port, with code in q5
      serve --class attention-2026 --new  write a class.yaml and a roster to fill in
      serve --class attention-2026        the pages of a class, whose folder has a class.yaml
      serve --results results             look at the results of a batch, and mark answers

    Exit codes:
      0  ended with Ctrl-C
    """
    if class_folder is not None and results is not None:
        raise UsageError(Message("--class and --results cannot be combined: give only one of them."))
    if new and class_folder is None:
        raise UsageError(Message("--new needs --class DIR, the folder of the new class."))
    require_web()
    from grader.web.pages import make_app  # needs what was just tried

    if class_folder is not None and new:
        from grader.classroom.class_folder import create_class  # loads filelock

        create_class(class_folder, call.lang)
        say(_NEW.fill(folder=class_folder))
    elif class_folder is not None:
        _serve_class(call, class_folder, workers, (host, port), (trust_header, trusted_proxy))
    elif results is not None:
        app = _results_app(results, call.course_folder, signed_by(author), call.lang)
        serve_here(app, _OPEN_RESULTS, results, port, browser)
    else:
        with contextlib.closing(workspace(call, folder, learner)) as opened:
            serve_here(make_app(opened, call.lang), _OPEN, folder, port, browser)


def require_web() -> None:
    """Raise UsageError unless the extra for pages is installed."""
    try:
        import starlette  # noqa: F401, an extra
        import uvicorn  # noqa: F401, an extra
    except ModuleNotFoundError as error:
        raise UsageError(_NO_EXTRA.fill(name=error.name or "")) from error


def workspace(call: Call, folder: Path, learner: str | None) -> LearnerWorkspace:
    """The workspace of the one learner whom the pages are for."""
    from grader.grading.checker import Checker  # loads numpy
    from grader.web.learner import LearnerWorkspace  # loads numpy

    course = call.course()
    name, named = learner_name(course, learner, call.read_all_events(course), call.lang)
    call.save(*named)
    return LearnerWorkspace(course, folder, log.place(call.state_file), name, lambda: Checker(course))


def serve_here(
    app: App, opening: Message, folder: Path, port: int | None = None, browser: bool = True, path: str = "/"
) -> None:
    """Serve ``app`` on this machine, to browsers that open ``path`` with a ticket, until Ctrl-C.

    ``opening`` says the first address, and that the work is in ``folder``.
    """
    import uvicorn  # an extra

    from grader.web.pages import MOST_UPLOADED, UPLOADS  # loads starlette, an extra
    from grader.web.security import COOKIE, PARAMETER, Guard  # as above

    listening = _listen(port or 0)
    number = listening.getsockname()[1]
    hosts = frozenset({f"{_HOST}:{number}", f"localhost:{number}"})
    token = secrets.token_urlsafe(24)
    guard = Guard(app, token, hosts, larger={UPLOADS: MOST_UPLOADED}, cookie=f"{COOKIE}-{number}")

    def address(used: Callable[[], None]) -> str:
        return f"http://{_HOST}:{number}{path}?{PARAMETER}={guard.ticket(used)}"

    def say_next() -> None:
        say(Message("A browser has used the address. For another browser: {address}").fill(address=address(say_next)))

    say(opening.fill(address=address(say_next), folder=folder))
    with contextlib.ExitStack() as ending:
        ending.callback(listening.close)
        if browser:
            private = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="attncheck-")))
            file = private / "open.html"
            webbrowser.open(_redirect(file, address(lambda: file.unlink(missing_ok=True))))
        uvicorn.Server(quiet_config(guard, "off")).run(sockets=[listening])


def _redirect(file: Path, address: str) -> str:
    """The address of a new file that leads to ``address``, for the command line of a browser, which others can read.

    Only its owner can read the file.
    """
    text = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={html.escape(address)}">'
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as written:
        written.write(text)
    return file.as_uri()


def _listen(port: int, host: str = _HOST) -> socket.socket:
    """A socket that listens on an address of this machine, by default the loopback address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol must be given: only then does asyncio disable Nagle's algorithm, which costs 40 ms per response.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(64)
    except OSError as error:
        made.close()
        raise UsageError(_TAKEN.fill(port=port, reason=error.strerror)) from error
    return made


def quiet_config(app: Any, lifespan: Literal["on", "off"], **more: Any) -> uvicorn.Config:
    """How ``app`` is served: plain HTTP within our limits, without a log of requests."""
    import uvicorn  # an extra

    from grader.web.limits import limited_protocol  # loads uvicorn, an extra

    quiet: dict[str, Any] = {"log_level": "warning", "server_header": False, "access_log": False}
    # A connection that arrives as the server ends would keep it waiting for a request; nobody waits for code by then.
    quiet["timeout_graceful_shutdown"] = 1
    return uvicorn.Config(app, http=limited_protocol(), ws="none", lifespan=lifespan, **quiet, **more)


# -------------------------------------------------------------------------------------------- a class


def _results_app(folder: Path, course_folder: Path | None, author: str, lang: Lang) -> App:
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


def _serve_class(
    call: Call, folder: Path, workers: int | None, place: tuple[str, int | None], header: tuple[str | None, str | None]
) -> None:
    """Serve the class in ``folder`` until Ctrl-C. ``place`` is where to listen, ``header`` what names people."""
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
    settings, course, listed, roster_file = read_class(folder, call.course_folder)
    seed = read_seed(None, _inside(folder, settings.seed_file) or loader.file_named_in_course(course, "seed_file"))
    workers = workers or max(2, resources.processors())
    plan = ServicePlan(folder, Path(course.folder), listed, seed, settings.questions, workers)
    address = urlsplit(settings.address)
    if address.scheme == "http" and address.hostname not in ("127.0.0.1", "localhost"):
        say(_PLAIN.fill(address=settings.address), err=True)
    say(_PREPARING)
    service = Service(
        plan, lambda text: click.echo(Message("attncheck: {what}").fill(what=text).of(call.lang), err=True)
    )
    site = Site.of(service, settings, call.lang)
    links, sessions = site.staff_links(proxy), None if proxy else site.sessions
    class_data = ClassData(folder, service.course, plan.course_folder, lang=call.lang, links=links, sessions=sessions)
    host, port = place
    listening = _listen(port if port is not None else address.port or 8000, host)
    sys.setswitchinterval(_SWITCH)
    try:
        with service:
            host, number = listening.getsockname()[:2]
            say(_OPEN_CLASS.fill(folder=folder, address=settings.address, host=host, port=number))
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
