"""A learner's first hour on a real terminal: ``python -m benchmarks.first_hour [--lang en] [--write]``.

A script plays the learner from an empty folder to the last point of Q5: quiz, a first draft with mistakes, a hint,
``watch``, and what comes next. It prints what stood on the terminal, with the seconds that each command took, and then
every command of the session once more with cold and with warm caches. ``--write`` puts the session into docs/.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pty
import re
import resource
import select
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from grader.core.marks import plain
from grader.core.model import Item, Lang, Question
from grader.course import items
from grader.grading import courses

ROOT = Path(__file__).parent.parent
DOCS: dict[Lang, Path] = {"en": ROOT / "docs/first-hour.md", "zh": ROOT / "docs/first-hour.zh.md"}
LEARNER = "Ada"
EXERCISE = "scaled_dot_product_attention"
_CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])|\r")
#: What a command shows when it waits for the learner: the prompt of the quiz, a question, or the keys of ``watch``.
_PROMPT = re.compile(r"(?:^|\n)> $|\]: $")
_KEYS = re.compile(r"q (?:quit|退出)\n$")
_PATIENCE = 60.0

_DRAFT = """\
import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    return torch.softmax(scores, -1) @ v
"""
_SCALED = _DRAFT.replace("transpose(-2, -1)\n", "transpose(-2, -1) / q.shape[-1] ** 0.5\n")
_MASKED = _SCALED.replace(
    "    return",
    '    if mask is not None:\n        scores = scores.masked_fill(~mask, float("-inf"))\n    return',
)
_RIGHT = _MASKED.replace(
    "    return torch.softmax(scores, -1) @ v",
    "    weights = torch.nan_to_num(torch.softmax(scores, -1))  # a row without keys\n    return weights @ v",
)
#: A command, and its median seconds: cold, of the processor, warm, of the processor.
Timed: TypeAlias = tuple[str, list[float]]
#: What is written above each part of the session.
_HEADS: dict[Lang, tuple[str, ...]] = {
    "en": (
        "Where to begin",
        "Files to work in",
        "The quiz",
        "A first draft",
        "A hint",
        "Grading on every save",
        "Everything together",
        "What comes next",
    ),
    "zh": (
        "从哪里开始",
        "建立作业文件",
        "做小题",
        "第一稿",
        "看一条提示",
        "每次保存都评分",
        "全部评一遍",
        "接下来做什么",
    ),
}
_SAVED: dict[Lang, str] = {"en": "(the learner saves {file}:)", "zh": "（学生保存 {file}：）"}
_LEFT_OUT: dict[Lang, str] = {"en": "[{count} more items]", "zh": "[其余 {count} 道小题略]"}
_PRESSED: dict[Lang, str] = {"en": "(the learner presses {key})", "zh": "（学生按 {key}）"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the session, in one language or in both, and time its commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lang", choices=("en", "zh"), help="only in this language")
    parser.add_argument("--write", action="store_true", help="write docs/first-hour.md and docs/first-hour.zh.md")
    parser.add_argument("--rounds", type=int, default=3, help="how often each command is timed (0: not at all)")
    chosen = parser.parse_args(arguments)
    languages: tuple[Lang, ...] = (chosen.lang,) if chosen.lang else ("en", "zh")
    sessions = {lang: play(lang) for lang in languages}
    timed = table(chosen.rounds) if chosen.rounds else []
    for lang, parts in sessions.items():
        text = page(lang, parts, timed)
        if chosen.write:
            DOCS[lang].write_text(text, encoding="utf-8")
        else:
            print(text)


# -------------------------------------------------------------------------------------------- the terminal


@dataclass(slots=True)
class Terminal:
    """One command on a terminal of 80 columns. ``text`` is what stands there, ``waited`` the seconds of waiting."""

    command: list[str]
    folder: Path
    lang: Lang
    text: str = ""
    waited: list[float] = field(default_factory=list)
    _side: int = -1
    _process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Terminal:
        """Start the command."""
        self._side, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "cli.py"), *self.command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.folder,
            env=environment(self.folder, self.lang),
            start_new_session=True,
        )
        os.close(theirs)
        return self

    def __exit__(self, *failure: object) -> None:
        """Wait until it has ended; after a failure, end it."""
        assert self._process is not None
        if failure[0] is not None:
            self._process.kill()
        self._process.wait(_PATIENCE)
        os.close(self._side)

    def until(self, shown: re.Pattern[str] | None) -> str:
        """What is written until the end of it is like ``shown``, or until the command ends; counted as waiting."""
        begun, found = time.perf_counter(), ""
        while shown is None or not shown.search(found):
            if not select.select([self._side], [], [], _PATIENCE)[0]:
                raise TimeoutError(f"attncheck {' '.join(self.command)}: nothing for {_PATIENCE:g} s after\n{found}")
            try:
                piece = os.read(self._side, 1 << 16)
            except OSError:  # how a terminal says that the other end is closed
                break
            if not piece:
                break
            found += _CONTROL.sub("", piece.decode("utf-8", "replace"))
        self.waited.append(time.perf_counter() - begun)
        self.text += found
        return found

    def send(self, typed: str) -> None:
        """Type something."""
        os.write(self._side, typed.encode())


def environment(folder: Path, lang: Lang) -> dict[str, str]:
    """A user who has never run the command. A terminal that cannot move its cursor leaves a text that can be read."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "OMP_NUM_THREADS") if name in os.environ}
    home = folder.parent
    return kept | {
        "HOME": str(home),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "USER": "ada",
        "ATTNCHECK_LANG": lang,
        "ATTNCHECK_STATE": str(home / "progress.jsonl"),
        "ATTNCHECK_CACHE": str(home / "cache"),
    }


# --------------------------------------------------------------------------------------------- the session


def play(lang: Lang) -> list[tuple[str, float]]:
    """What stood on the terminal, command by command, and how long the learner waited for each."""
    question = courses.load(ROOT).question("Q5")
    assert question is not None
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "course")
        folder.mkdir()
        file = folder / "work/q05.py"
        made = [
            simple(folder, lang),
            simple(folder, lang, "start", "Q5", "work", answer=LEARNER),
            quiz(folder, lang, question),
        ]
        file.write_text(_DRAFT, encoding="utf-8")
        made.append(after(lang, _DRAFT, simple(folder, lang, "grade", "work", "-e", EXERCISE)))
        made.append(simple(folder, lang, "hint", EXERCISE))
        made.append(watch(folder, lang, file))
        made.append(simple(folder, lang, "grade", "work"))
        made.append(simple(folder, lang, "next"))
    return made


def simple(folder: Path, lang: Lang, *command: str, answer: str = "") -> tuple[str, float]:
    """A command that asks nothing, or only one thing."""
    with Terminal(list(command), folder, lang) as terminal:
        if answer:
            terminal.until(_PROMPT)
            terminal.send(f"{answer}\n")
        terminal.until(None)
    return f"$ {' '.join(['attncheck', *command])}\n{terminal.text}", sum(terminal.waited)


def after(lang: Lang, code: str, part: tuple[str, float]) -> tuple[str, float]:
    """``part`` with the file above it that the learner saved before."""
    return f"{saved(lang, code)}\n{part[0]}", part[1]


def saved(lang: Lang, code: str) -> str:
    """A file as it is shown in the session."""
    return "\n".join([_SAVED[lang].format(file="work/q05.py"), *(f"    {line}".rstrip() for line in code.split("\n"))])


def quiz(folder: Path, lang: Lang, question: Question) -> tuple[str, float]:
    """All items: the first with a wrong answer before the right one. At the end the answers go to answers.yaml."""
    missed = False
    with Terminal(["quiz", "Q5"], folder, lang) as terminal:
        asked: Item | None = None
        while "> " in (shown := terminal.until(_PROMPT))[-3:]:
            asked = item_in(shown, question, lang) or asked
            assert asked is not None, shown
            for line in typed(asked, wrong=not missed):
                terminal.send(f"{line}\n")
            missed = True
        terminal.send("\n")
        terminal.until(None)
    return f"$ attncheck quiz Q5\n{without_keys(terminal.text, lang)}", statistics.median(terminal.waited)


def without_keys(text: str, lang: Lang) -> str:
    """The first two items and the end of a quiz: a page for everybody is no place for all the answers."""
    parts = re.split(r"(?=\n─{10,}\n)", text)
    left = len(parts) - 4
    return "".join(parts[:3]) + f"\n{_LEFT_OUT[lang].format(count=left)}\n" + parts[-1]


def item_in(shown: str, question: Question, lang: Lang) -> Item | None:
    """The item that was asked last in what is shown."""
    flat = "".join(shown.replace("`", "").split())
    places = {item.id: flat.rfind("".join(said(item, lang).split())) for item in question.items}
    found = max(question.items, key=lambda item: places[item.id])
    return found if places[found.id] >= 0 else None


def said(item: Item, lang: Lang) -> str:
    """The first words of an item, with the learner's numbers."""
    context = items.Context("attncheck", LEARNER, item.id)
    return plain(items.fill(item.ask, items.draw(item.spec, context)).of(lang)).replace("`", "").split("\n")[0]


def typed(item: Item, *, wrong: bool = False) -> list[str]:
    """A correct answer as lines that somebody types; a ``wrong`` one is another option."""
    context = items.Context("attncheck", LEARNER, item.id)
    key = plain(items.key_by_number(item, context).en)
    asked = items.ask(item, context)
    form = asked.form
    right = re.findall(r"^(\d): ", key, re.MULTILINE)
    if form == "one" and wrong:
        return [next(number for number in items.numbers(asked.choices).values() if number not in right)]
    if form in ("one", "many", "order"):
        return [" ".join(right)]
    if form == "pairs":
        return [", ".join(f"{left}: {right}" for left, right in re.findall(r"^(\d)–(\d): ", key, re.MULTILINE))]
    return [key]


def watch(folder: Path, lang: Lang, file: Path) -> tuple[str, float]:
    """Three saves, until everything is right. The waiting is from a save to the page."""
    with Terminal(["watch", "work"], folder, lang) as terminal:
        terminal.until(_KEYS)
        for code in (_SCALED, _MASKED, _RIGHT):
            terminal.text += f"\n{saved(lang, code)}\n"
            file.write_text(code, encoding="utf-8")
            terminal.until(_KEYS)
        terminal.text += f"{_PRESSED[lang].format(key='q')}\n"
        terminal.send("q")
        terminal.until(None)
    return f"$ attncheck watch work\n{terminal.text}", statistics.median(terminal.waited[1:-1])


# ----------------------------------------------------------------------------------------------- the times

_TIMED = (
    (),
    ("name", LEARNER),
    ("questions",),
    ("show", "Q5"),
    ("start", "Q5", "new", "--learner", LEARNER),
    ("progress",),
    ("hint", "softmax"),
    ("review",),
    ("quiz", "Q5", "--answers", "work/answers.yaml"),
    ("grade", "work"),
    ("debug", "work", "-e", EXERCISE, "--case", "by hand"),
    ("plot", "masks"),
)


def table(rounds: int) -> list[Timed]:
    """Each command with its median seconds: in a home that knows nothing yet, and once more in the same home.

    Of the clock and of the processor: the second do not depend on what else the machine does.
    """
    found = []
    for command in _TIMED:
        columns = zip(*(_pair(command) for _ in range(rounds)), strict=True)
        found.append((shlex.join(["attncheck", *command]), [statistics.median(column) for column in columns]))
    return found


def _pair(command: tuple[str, ...]) -> list[float]:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "course")
        Path(folder, "work").mkdir(parents=True)
        Path(folder, "work/q05.py").write_text(_RIGHT, encoding="utf-8")
        Path(folder, "work/answers.yaml").write_text(
            f"format: 1\nlearner: {LEARNER}\nanswers:\n  Q5.output: b\n", encoding="utf-8"
        )
        times: list[float] = []
        for _ in range(2):
            begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            simple(folder, "en", *command)
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(time.perf_counter() - begun)
            times.append(now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime)
            with contextlib.suppress(FileNotFoundError):
                for path in (folder / "new").iterdir():
                    path.unlink()
        return times


# ------------------------------------------------------------------------------------------------ the page

_TITLE: dict[Lang, str] = {
    "en": "# A first hour\n\n中文：[first-hour.zh.md](first-hour.zh.md)\n\n"
    "This is what a learner saw who began in an empty folder and finished Q5, recorded by a script on a real terminal "
    "(`python -m benchmarks.first_hour --write`). Wherever the learner waits, the seconds are below; in the quiz and "
    "in `watch` they are the median from an answer or a save to the reply.",
    "zh": "# 第一个小时\n\nEnglish: [first-hour.md](first-hour.md)\n\n"
    "这是一名学生从空文件夹开始，到完成 Q5 为止在终端上看到的全部内容，由脚本在真实终端上录制"
    "（`python -m benchmarks.first_hour --write`）。凡是要等的地方，下面都写了秒数；"
    "做小题和 `watch` 的秒数是从回答或保存到看到反馈的中位数。",
}
_SECONDS: dict[Lang, str] = {"en": "{seconds:.1f} s", "zh": "{seconds:.1f} 秒"}
_TIMES: dict[Lang, str] = {
    "en": "## Seconds\n\nEach command on its own, for a new user (cold) and once more (warm), with the start of "
    "Python. The machine was busy with other work, so the CPU seconds say more than the clock.\n\n"
    "| command | cold | CPU | warm | CPU |\n|---|---|---|---|---|",
    "zh": "## 秒数\n\n每条命令单独运行：新用户第一次（冷）和再运行一次（热），包括启动 Python 的时间；"
    "机器同时在忙别的事，所以 CPU 秒数比实际用时更说明问题。\n\n| 命令 | 冷 | CPU | 热 | CPU |\n|---|---|---|---|---|",
}


def page(lang: Lang, parts: Sequence[tuple[str, float]], timed: Sequence[Timed]) -> str:
    """The session in Markdown."""
    return "\n".join(_page(lang, parts, timed)) + "\n"


def _page(lang: Lang, parts: Sequence[tuple[str, float]], timed: Sequence[Timed]) -> Iterator[str]:
    yield _TITLE[lang]
    for head, (text, seconds) in zip(_HEADS[lang], parts, strict=True):
        yield f"\n## {head}\n\n{_SECONDS[lang].format(seconds=seconds)}\n"
        lines = [line.rstrip() for line in text.rstrip().split("\n")]
        yield "\n".join(["```text", *lines, "```"])
    yield "\n" + _TIMES[lang]
    for name, times in timed:
        yield " | ".join([f"| `{name}`", *(f"{each:.1f}" for each in times)]) + " |"


if __name__ == "__main__":
    main()
