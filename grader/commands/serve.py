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

import click

from grader.commands._options import FOLDER, Call, documented, say, shared, workers_option
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.learning import log

ABOUT = Message("Open the course in a browser.")
READERS = "Learners"
RANK = 130

_HOST = "127.0.0.1"
_NO_EXTRA = Message(
    "`attncheck serve` needs {name}: `pip install 'attncheck[web]'`, or in a checkout: `pip install -e '.[web]'`."
)
_OPEN = Message("Open {address}\nThe address works once. Your code is saved in {folder}. Stop with Ctrl-C.")
_TAKEN = Message(
    "Port {port} of this machine is in use ({reason}); choose another with --port, or 0 for any free port."
)


@documented(
    {
        "serve": "open the course in a browser; code is saved in work",
        "serve q5 --port 8000 --no-browser": "the same at a fixed port, with code in q5",
        "serve --class attention-2026": "the pages of a class, whose folder has a class.yaml",
    },
    {0: "ended with Ctrl-C"},
)
@click.command()
@click.argument("folder", type=FOLDER, default="work")
@click.option(
    "--class",
    "class_folder",
    type=FOLDER,
    metavar="DIR",
    help="Serve the class in this folder, which has a class.yaml.",
)
@workers_option("Class: grade N submissions at a time (default: one per CPU, at least two).")
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
    Submissions go to DIR/inbox, results to the gradebook in DIR.
    """
    try:
        import uvicorn  # an extra

        from grader.web.pages import MOST_UPLOADED, UPLOADS, make_app  # loads starlette, an extra
        from grader.web.security import COOKIE, PARAMETER, Guard  # as above
    except ModuleNotFoundError as error:
        raise UsageError(_NO_EXTRA.fill(name=error.name or "")) from error
    from grader.commands._class_server import quiet_config, serve_class  # needs what was just tried

    if class_folder is not None:
        header = (trust_header, trusted_proxy)
        listen = functools.partial(_listen, host=host)
        serve_class(class_folder, call.course_folder, workers, listen, port, header, call.lang)
        return

    from grader.commands.quiz import learner_name  # with the item kinds
    from grader.grading.checker import Checker  # loads numpy
    from grader.web.learner import LearnerWorkspace  # loads numpy

    course = call.course()
    name, named = learner_name(course, learner, call.read_all_events(course), call.lang)
    call.save(*named)
    workspace = LearnerWorkspace(course, folder, log.place(call.state_file), name, lambda: Checker(course))
    listening = _listen(port or 0)
    number = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    hosts = frozenset({f"{_HOST}:{number}", f"localhost:{number}"})
    app = make_app(workspace, call.lang)
    guard = Guard(app, token, hosts, larger={UPLOADS: MOST_UPLOADED}, cookie=f"{COOKIE}-{number}")

    def address(used: Callable[[], None]) -> str:
        return f"http://{_HOST}:{number}/?{PARAMETER}={guard.ticket(used)}"

    def say_next() -> None:
        say(Message("A browser has used the address. For another browser: {address}").fill(address=address(say_next)))

    say(_OPEN.fill(address=address(say_next), folder=folder))
    config = quiet_config(guard, "off")
    with contextlib.ExitStack() as ending:
        ending.callback(workspace.close)
        ending.callback(listening.close)
        if browser:
            private = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="attncheck-")))
            file = private / "open.html"
            webbrowser.open(_redirect(file, address(lambda: file.unlink(missing_ok=True))))
        uvicorn.Server(config).run(sockets=[listening])


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
