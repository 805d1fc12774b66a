"""Record a learner's first hour as text: every command from an empty folder to a finished Q5, with its output and time.

    python -m benchmarks.first_hour --lang en > docs/first-hour.md
    python -m benchmarks.first_hour --lang zh > docs/first-hour.zh.md
    python -m benchmarks.first_hour --seconds

The learner is invented, and answers as the keys say, after one incorrect answer and two incorrect programs. Times are
those of the commands; thinking takes longer. ``--seconds`` prints a table instead: how long each command takes with
an empty cache, and how long after that.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.core.model import Course, Item, Lang, Text
from grader.course import items, loader
from grader.grading import courses

ROOT = Path(__file__).parent.parent
LEARNER, QUESTION, FUNCTION = "Ada", "Q5", "scaled_dot_product_attention"

TITLE = Text("A first hour", "第一个小时")
ABOUT = Text(
    "Everything that a learner types and sees on the way from an empty folder to a finished Q5, written by "
    "`python -m benchmarks.first_hour --lang en`. The learner is invented. She answers the first quiz item incorrectly "
    "at first, and two of her three programs are wrong. The time beside a command is its own; reading and thinking "
    "are not counted.",
    "一名学习者从空文件夹开始，到做完 Q5 为止，输入了什么、看到了什么，全部记录在这里。由 "
    "`python -m benchmarks.first_hour --lang zh` 生成。这名学习者是虚构的：第一道小题先答错一次，三个程序里前两个有错。"
    "命令旁边的时间只是命令本身的用时，不包括阅读和思考。",
)
EMPTY = Text("An empty folder", "空文件夹")
PARTS = {
    "look": Text("Looking around", "先看看"),
    "quiz": Text("The quiz", "做小题"),
    "first": Text("A first draft: no scaling yet, and the mask is forgotten", "第一稿：还没有缩放，也忘了掩码"),
    "second": Text("A second draft: the mask is the wrong way round", "第二稿：掩码弄反了"),
    "third": Text("A third draft", "第三稿"),
    "after": Text("Afterwards", "完成之后"),
}
WRITES = Text("In `work/q05.py`:", "`work/q05.py` 里写：")
CUT = Text("[{count} more items, left out here]", "[这里省略其余 {count} 道小题]")
TOTAL = Text("All {count} commands together took {seconds} s.", "全部 {count} 条命令共用时 {seconds} 秒。")

_HEAD = "    scores = q @ k.transpose(-2, -1)"
DRAFTS = {
    "first": (_HEAD, "    return softmax(scores) @ v"),
    "second": (
        f"{_HEAD} / math.sqrt(q.shape[-1])",
        "    if mask is not None:",
        "        scores = scores.masked_fill(mask, -math.inf)",
        "    return softmax(scores) @ v",
    ),
    "third": (
        f"{_HEAD} / math.sqrt(q.shape[-1])",
        "    if mask is not None:",
        "        scores = scores.masked_fill(~mask, -math.inf)",
        "    return softmax(scores) @ v",
    ),
}
_CODE = """import math

import torch


def softmax(scores):
    weights = torch.softmax(scores, dim=-1)
    return weights.nan_to_num(0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
{body}
"""
#: A line of a key: an option, or an option and its partner.
_OPTION = re.compile(r"([a-z](?:–\d+)?)[:：]")
#: What changes from run to run.
_VARIES = re.compile(r"\d+(?:\.\d+)? s$")


@dataclass(slots=True)
class Desk:
    """A learner's folder, and what happened there: commands with their input, output and seconds."""

    folder: Path
    lang: Lang
    happened: list[tuple[str, str, float]] = field(default_factory=list)

    def run(self, *arguments: str, typed: str = "", shown: str = "") -> str:
        """What ``attncheck`` writes, recorded under the command line ``shown``."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ATTNCHECK_")}
        own = {"ATTNCHECK_CACHE": f"{self.folder}.cache", "ATTNCHECK_STATE": f"{self.folder}.jsonl"}
        env = kept | own | {"ATTNCHECK_LANG": self.lang, "PYTHONPATH": str(ROOT), "USER": LEARNER.lower()}
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, str(ROOT / "cli.py"), *arguments],
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env=env,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - start
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{arguments}: {done.stdout}")
        self.happened.append((shown or " ".join(arguments), done.stdout, seconds))
        return done.stdout


def typed_key(item: Item, course: Course, lang: Lang) -> str:
    """The correct answer to ``item`` as the learner types it."""
    context = items.Context(course.public_id, LEARNER, item.id)
    key, form = items.key(item, context).of(lang), items.ask(item, context).form
    if form in ("line", "lines"):
        return key
    found = (_OPTION.match(line) for line in key.splitlines())
    return " ".join(each[1].replace("–", "") for each in found if each)


def answers(course: Course, lang: Lang) -> str:
    """What is typed in the quiz: an incorrect answer to the first item, then every correct one."""
    question = course.question(QUESTION)
    assert question is not None
    lines = []
    for number, item in enumerate(question.items):
        key = typed_key(item, course, lang)
        if number == 0:
            lines.append(next(choice for choice in "abcd" if choice != key))
        lines.append(key)
        if items.ask(item, items.Context(course.public_id, LEARNER, item.id)).form == "lines":
            lines.append("")
    return "\n".join(lines) + "\n"


def write(desk: Desk, draft: str) -> str:
    """Puts a draft into the started file, and returns what was written."""
    code = _CODE.format(body="\n".join(DRAFTS[draft]))
    (desk.folder / "work" / "q05.py").write_text(code, "utf-8")
    return code


def session(desk: Desk, course: Course) -> Iterator[tuple[str, str]]:
    """Runs everything; yields the parts with the code that was written before each."""
    desk.run(shown="")
    desk.run("name", LEARNER)
    desk.run("show", QUESTION)
    desk.run("start", QUESTION, "work")
    yield "look", ""
    desk.run("quiz", QUESTION, "--to", "work/answers.yaml", typed=answers(course, desk.lang))
    desk.run("next")
    yield "quiz", ""
    code = write(desk, "first")
    desk.run("grade", "work")
    desk.run("hint", FUNCTION)
    yield "first", code
    code = write(desk, "second")
    desk.run("grade", "work")
    yield "second", code
    code = write(desk, "third")
    desk.run("grade", "work")
    yield "third", code
    desk.run("show", FUNCTION, "--reference", "--from", "work")
    desk.run("progress", QUESTION)
    desk.run("review", "--list")
    desk.run("next")
    yield "after", ""


def transcript(lang: Lang) -> str:
    """The session as Markdown."""
    course = courses.load(loader.find(None))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "desk")
        folder.mkdir()
        desk = Desk(folder, lang)
        out, total, count = [f"# {TITLE.of(lang)}", ABOUT.of(lang)], 0.0, 0
        for part, code in session(desk, course):
            out.append(f"## {PARTS[part].of(lang)}")
            if code:
                out += [WRITES.of(lang), f"```python\n{code.rstrip()}\n```"]
            for command, said, seconds in desk.happened:
                lines = [_VARIES.sub("… s", line.rstrip()) for line in said.strip("\n").split("\n")]
                shown = "\n".join(_without_keys(lines, lang) if command.startswith("quiz") else lines)
                out.append(f"```console\n$ attncheck {command}".rstrip() + f"   # {seconds:.1f} s\n{shown}\n```")
                total, count = total + seconds, count + 1
            desk.happened.clear()
        question = course.question(QUESTION)
        assert question is not None
        points = f"{question.points:g}"
        if not re.search(rf"\b{points} (?:of|/) {points}\b", "\n".join(out)):
            raise RuntimeError(f"{QUESTION} was not finished")
        out.append(TOTAL.fill(count=count, seconds=f"{total:.0f}").of(lang))
    return "\n\n".join(out) + "\n"


def _without_keys(lines: Sequence[str], lang: Lang) -> list[str]:
    """The beginning and the end of a quiz: a page that everybody can read is no place for all the answers."""
    rules = [at for at, line in enumerate(lines) if line.startswith("──")]
    first, last = rules[1], rules[-1]
    return [*lines[:first], "", CUT.fill(count=len(rules) - 2).of(lang), "", *lines[last:]]


def commands(folder: Path) -> list[Sequence[str]]:
    """Every command of a learner that ends by itself."""
    work = str(folder / "work")
    return [
        ("--help",),
        (),
        ("next",),
        ("questions",),
        ("show", QUESTION),
        ("start", QUESTION, work),
        ("hint", FUNCTION),
        ("progress",),
        ("review", "--list"),
        ("name",),
        ("quiz", f"{QUESTION}.width"),
        ("grade", work),
        ("debug", work, "-e", FUNCTION),
        ("plot", "masks"),
        ("doctor",),
    ]


def seconds_table() -> None:
    """Prints how long each command takes with an empty cache and then with a filled one."""
    print(f"{'command':<36}{'cold':>9}{'warm':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        for number, arguments in enumerate(commands(Path(scratch))):
            folder = Path(scratch, f"desk{number}")
            folder.mkdir()
            desk = Desk(folder, "en")
            if arguments[:1] in (("grade",), ("debug",)):
                desk.run("start", QUESTION, str(Path(scratch, "work")))
                Path(f"{folder}.cache").rename(Path(scratch, f"unused{number}"))
                desk.happened.clear()
            for _ in range(4):
                desk.run(*arguments)
            cold, *warm = (each[2] for each in desk.happened)
            shown = "attncheck " + " ".join(arguments).replace(scratch + os.sep, "")
            print(f"{shown:<36}{cold:>7.2f} s{sorted(warm)[1]:>7.2f} s", flush=True)


def main() -> None:
    """Prints the session, or the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lang", choices=["en", "zh"], default="en")
    parser.add_argument("--seconds", action="store_true", help="a table of all commands instead")
    given = parser.parse_args()
    if given.seconds:
        seconds_table()
    else:
        sys.stdout.write(transcript(given.lang))


if __name__ == "__main__":
    main()
