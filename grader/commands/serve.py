"""``attncheck serve``: the course in a browser."""

from __future__ import annotations

import contextlib
import html
import os
import secrets
import socket
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    ChineseHelp,
    course_option,
    documented,
    lang_option,
    load_course,
    read_all_events,
    save_events,
    say,
    state_option,
)
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.learning import log as state

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.core.model import Lang

_HOST = "127.0.0.1"
_NO_EXTRA = Text(
    "`attncheck serve` needs {name}: pip install 'attncheck[web]', or in a checkout: pip install -e '.[web]'.",
    "`attncheck serve` 需要 {name}：请运行 pip install 'attncheck[web]'，在源码目录中则是 pip install -e '.[web]'。",
)
_OPEN = Text(
    "Open {address}\nThe address works once. Your code is saved in {folder}. Stop with Ctrl-C.",
    "请打开 {address}\n这个地址只能用一次。代码保存在 {folder}。按 Ctrl-C 结束。",
)
_NEXT = Text(
    "A browser has used the address. For another browser: {address}",
    "这个地址已在浏览器里用过。要在另一个浏览器里打开，请用 {address}",
)
_TAKEN = Text(
    "Port {port} of this machine is in use ({reason}); choose another with --port, or 0 for any free port.",
    "本机的端口 {port} 已被占用（{reason}）；请用 --port 另选一个，0 表示任选一个空闲端口。",
)


@documented(
    {
        "serve": "open the course in a browser; code is saved in work",
        "serve q5 --port 8000 --no-browser": "the same at a fixed port, with code in q5",
        "serve --class attention-2026": "the pages of a class, whose folder has a class.yaml",
    },
    {0: "ended with Ctrl-C"},
    ChineseHelp(
        "在浏览器里打开课程。\n\n"
        "包括题目、小题、带检查的编辑器、提示和进度，供一名学习者在本机使用。代码保存在 FOLDER（默认 "
        "work），答案存进你的进度文件，因此终端里也看得到。只有本机能连接，而且要用打开过终端所给地址的浏览器。每个地址只能用一次，用过之后终端会给出下一个。\n\n"
        "加 --class 时，为文件夹 DIR 里的班级服务：学习者用个人链接（attncheck links）登录、作答、提交；提交进入 "
        "DIR/inbox，成绩记入 DIR 里的成绩册。",
        {
            "--class": "为这个文件夹里的班级服务，文件夹里要有 class.yaml。",
            "--workers": "班级：同时批改 N 份（默认每个处理器一份，至少两份）。",
            "--host": "班级：监听的地址（默认 127.0.0.1，由反向代理连接）。",
            "--trust-header": "班级：不用链接，由这个请求头说明是谁。",
            "--trusted-proxy": "班级：只有来自 ADDRESS 的请求头才算数。",
            "--port": "端口（默认任选一个空闲端口；班级默认用 class.yaml 里网址的端口，否则 8000）。",
            "--browser": "打开浏览器窗口（默认打开）。",
            "--learner": "你的名字（默认用上次的名字）。",
        },
        (
            "在浏览器里打开课程，代码保存在 work",
            "同上，但固定端口，代码保存在 q5",
            "一个班级的网页，文件夹里有 class.yaml",
        ),
        {0: "按 Ctrl-C 结束"},
    ),
)
@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="work")
@click.option(
    "--class",
    "class_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Serve the class in this folder, which has a class.yaml.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Class: grade N submissions at a time (default: one per CPU, at least two).",
)
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
@state_option
@lang_option
@course_option
def serve(
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
    state_file: Path | None,
    lang: Lang,
    course_folder: Path | None,
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

        from grader.web.connections import limited_protocol  # loads uvicorn
        from grader.web.pages import MOST_UPLOADED, UPLOADS, make_app  # loads starlette, an extra
        from grader.web.security import COOKIE, PARAMETER, Guard  # as above
    except ModuleNotFoundError as error:
        raise UsageError(_NO_EXTRA.fill(name=error.name or "")) from error
    if class_folder is not None:
        from grader.commands._class_server import serve_class  # needs what was just tried

        header = (trust_header, trusted_proxy)
        serve_class(class_folder, course_folder, workers, lambda number: _listen(number, host), port, header, lang)
        return

    from grader.commands.quiz import learner_name  # with the item kinds
    from grader.grading.checker import Checker  # loads numpy
    from grader.web.learner import LearnerWorkspace  # loads numpy

    course = load_course(course_folder)
    name, named = learner_name(course, learner, read_all_events(state_file, course), lang)
    save_events(state_file, *named)
    one = LearnerWorkspace(course, folder, state.place(state_file), name, lambda: Checker(course))
    listening = _listen(port or 0)
    number = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    hosts = frozenset({f"{_HOST}:{number}", f"localhost:{number}"})
    guard = Guard(make_app(one, lang), token, hosts, larger={UPLOADS: MOST_UPLOADED}, cookie=f"{COOKIE}-{number}")

    def address(used: Callable[[], None]) -> str:
        return f"http://{_HOST}:{number}/?{PARAMETER}={guard.ticket(used)}"

    def say_next() -> None:
        say(_NEXT.fill(address=address(say_next)))

    say(_OPEN.fill(address=address(say_next), folder=folder))
    config = uvicorn.Config(
        guard,
        http=limited_protocol(),
        ws="none",
        log_level="warning",
        lifespan="off",
        server_header=False,
        access_log=False,
    )
    with contextlib.ExitStack() as ending:
        ending.callback(one.close)
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
