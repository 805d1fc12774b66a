"""``attncheck serve``: the course in a browser."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    Chinese,
    course_option,
    documented,
    keep,
    lang_option,
    load_course,
    recall,
    say,
    state_option,
)
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.learning import log as state

if TYPE_CHECKING:
    from grader.core.model import Lang

_HOST = "127.0.0.1"
_NO_EXTRA = Text(
    "`attncheck serve` needs {name}: pip install 'attncheck[web]', or in a checkout: pip install -e '.[web]'.",
    "`attncheck serve` 需要 {name}：请运行 pip install 'attncheck[web]'，在源码目录中则是 pip install -e '.[web]'。",
)
_OPEN = Text(
    "Open {address}\nYour code is saved in {folder}. Stop with Ctrl-C.",
    "请打开 {address}\n代码保存在 {folder}。按 Ctrl-C 结束。",
)
_TAKEN = Text(
    "Port {port} of this machine is taken ({reason}); choose another with --port, or 0 for any free one.",
    "本机的端口 {port} 已被占用（{reason}）；请用 --port 另选一个，0 表示任选一个空闲端口。",
)


@documented(
    {
        "serve": "open the course in a browser; code is saved in work",
        "serve q5 --port 8000 --no-browser": "the same at a fixed port, with code in q5",
    },
    {0: "ended with Ctrl-C"},
    Chinese(
        "在浏览器里打开课程。\n\n"
        "包括题目、小题、带检查的编辑器、提示和进度，供一名学习者在本机使用。代码保存在 FOLDER（默认 "
        "work），答案存进你的进度文件，因此终端里也看得到。只有本机能连接，而且必须带上地址里的令牌。",
        {
            "--port": "端口（默认任选一个空闲端口）。",
            "--browser": "打开浏览器窗口（默认打开）。",
            "--learner": "你的名字（默认用上次的名字）。",
        },
        (
            "在浏览器里打开课程，代码保存在 work",
            "同上，但固定端口，代码保存在 q5",
        ),
        {0: "按 Ctrl-C 结束"},
    ),
)
@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="work")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="The port (default: any free one).")
@click.option("--browser/--no-browser", default=True, help="Open a browser window (default: yes).")
@click.option("--learner", metavar="NAME", help="Your name (default: the one used last).")
@state_option
@lang_option
@course_option
def serve(  # noqa: PLR0917, one for each option
    folder: Path,
    port: int,
    browser: bool,
    learner: str | None,
    state_file: Path | None,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Open the course in a browser.

    Prompts, quiz, an editor with checks, hints and progress, for one learner on this machine. Code is saved in FOLDER
    (default: work), answers in your progress file, so that the terminal knows them too. Only this machine can connect,
    and only with the token in the address.
    """
    try:
        import uvicorn  # an extra

        from grader.web.pages import MOST_UPLOADED, UPLOADS, make_app  # loads starlette, an extra
        from grader.web.security import Guard  # as above
    except ModuleNotFoundError as error:
        raise UsageError(_NO_EXTRA.fill(name=error.name or "")) from error

    from grader.commands.quiz import learner_name  # with the item kinds
    from grader.grading.checker import Checker  # loads numpy
    from grader.web.learner import Learner  # loads numpy

    course = load_course(course_folder)
    name, named = learner_name(course, learner, recall(state_file, course), lang)
    keep(state_file, *named)
    one = Learner(course, folder, state.place(state_file), name, lambda: Checker(course))
    listening = _listen(port)
    number = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    hosts = frozenset({f"{_HOST}:{number}", f"localhost:{number}"})
    app = Guard(make_app(one, lang), token, hosts, larger={UPLOADS: MOST_UPLOADED})
    address = f"http://{_HOST}:{number}/?token={token}"
    say(_OPEN.fill(address=address, folder=folder))
    config = uvicorn.Config(app, log_level="warning", lifespan="off", server_header=False, access_log=False)
    if browser:
        webbrowser.open(address)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()
        one.close()


def _listen(port: int) -> socket.socket:
    """A socket that listens on this machine's loopback address."""
    # Named as TCP, because asyncio turns off Nagle only then: answers would wait 40 ms for an acknowledgement.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((_HOST, port))
        made.listen(64)
    except OSError as error:
        made.close()
        raise UsageError(_TAKEN.fill(port=port, reason=error.strerror)) from error
    return made
