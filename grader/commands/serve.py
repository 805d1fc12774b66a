"""``attncheck serve``: the course in a browser."""

from __future__ import annotations

import contextlib
import functools
import html
import os
import secrets
import socket
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import say
from grader.commands._find import signed_by
from grader.commands._options import FOLDER, Call, Documented, shared, workers_option
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.learning import log

if TYPE_CHECKING:
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
    from grader.commands import _class_server  # needs what was just tried
    from grader.web.pages import make_app  # as above

    if class_folder is not None and new:
        _class_server.start_class(class_folder, call.lang)
    elif class_folder is not None:
        header = (trust_header, trusted_proxy)
        listen = functools.partial(_listen, host=host)
        _class_server.serve_class(class_folder, call.course_folder, workers, listen, port, header, call.lang)
    elif results is not None:
        app = _class_server.results_app(results, call.course_folder, signed_by(author), call.lang)
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
    from grader.commands.quiz import learner_name  # with the item kinds
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

    from grader.commands._class_server import quiet_config  # loads uvicorn, an extra
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
