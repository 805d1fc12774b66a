"""A kind of each family is two new files: whatever else knows kinds finds one that is added in a folder of its own."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from starlette.testclient import TestClient

from grader.commands import run
from grader.core.files import write
from grader.course import loader
from grader.grading import courses
from grader.grading.checker import Checker
from grader.instructor import export
from grader.web.class_data import ClassData
from grader.web.learner import LearnerWorkspace
from grader.web.pages import make_app
from grader.web.security import COOKIE, Guard
from tests import tiny
from tests.tiny import in_process as in_process
from tests.web import staff

HOST, TOKEN = "127.0.0.1:8000", "s3cret"
OWN = {"origin": f"http://{HOST}"}

#: A module for each package that finds its modules by walking its folder.
NEW: Mapping[str, str] = {
    "grader.grading.checks.small_entries": '''
"""No entry is large."""

from dataclasses import dataclass

import numpy as np

from grader.core.model import Status, Text, Verdict
from grader.grading.checks import CheckKind
from grader.grading.programs import Writer

_LARGE = Text("an entry is large", "有元素太大")
SECRETS = (_LARGE,)


@dataclass(frozen=True, slots=True)
class Options:
    """The bound."""

    bound: float = 1000.0


KIND = CheckKind(
    Text("small entries", "元素不大"),
    Options,
    Text("Every result is correct; only its entries are large.", "结果都正确；只是元素太大。"),
    every_case=True,
)


def calls(target, drawn, spec):
    """One call."""
    writer = Writer.to(target)
    return (writer.program(writer.call(drawn).output),)


def judge(seen):
    """Whether all entries are below the bound."""
    value = seen.got[0].values[0]
    large = np.abs(value.values).max() > dict(seen.spec.options).get("bound", 1000.0)
    return Verdict(Status.FAILED, _LARGE) if large else Verdict(Status.PASSED)
''',
    "grader.course.items.word": '''
"""A word, spelt as in the bank."""

from dataclasses import dataclass

from grader.core.model import Status, Text
from grader.course.items import Judgment, Prompt, unreadable

_HOW = Text("Answer with one word.", "用一个词回答。")


@dataclass(frozen=True, slots=True)
class Spec:
    """The word; empty in an edition."""

    answer: str = ""


def validate(spec):
    """Nothing to check."""
    return iter(())


def prompt(spec, context):
    """Write a word."""
    return Prompt("line", _HOW)


def judge(spec, value, context):
    """Compares the words."""
    if not isinstance(value, str):
        return unreadable(_HOW)
    right = value.strip().casefold() == spec.answer.casefold()
    return Judgment(Status.PASSED if right else Status.FAILED, float(right))


def key(spec, context):
    """The word."""
    return Text(spec.answer, spec.answer)


def without_key(spec):
    """Without the word."""
    return Spec()
''',
    "grader.instructor.export.roll": '''
"""The ids of all learners, a line for each."""

from grader.core.model import Text

ABOUT = Text("The ids of all learners, a line for each.", "所有学生的 id，每行一个。")
ON_PAGE = Text("The ids of all learners.", "所有学生的 id。")
SOURCE = "gradebook"
OPTIONS = frozenset()


def write(book, options, out):
    """One file."""
    out.write_file([("".join(f"{mark.learner.id}\\n" for mark in book.marks())).encode()])
''',
    "grader.classroom.intake.piles": '''
"""Folders whose names begin with pile-."""

from grader.classroom.intake import FoundSubmission, Layout, Person

RANK = 5


def explains(tree):
    """The folders."""
    return frozenset(top for top, folder in tree.tops().items() if folder and top.startswith("pile-"))


def layout(tree):
    """A learner for each."""
    found = []
    for top in sorted(explains(tree)):
        files = tuple((name, name.partition("/")[2]) for name in tree.names if name.startswith(top + "/"))
        person = Person(top[5:], (("learner", top[5:]), ("entry", top)))
        found.append(FoundSubmission(top, (person,), files))
    return Layout(tuple(found))
''',
    "grader.grading.explaining.relations.cubed": '''
"""The result is the cube of the correct one."""

from grader.core.model import Text
from grader.grading.explaining.relations import near

RANK = 1


def relate(pairs):
    """The message if every result is the cube of half the correct one."""
    cubes = all(pair.alike and near(pair.got, (pair.expected / 2) ** 3) for pair in pairs)
    return Text("Your result is the cube of what is asked.", "结果是所求的立方。") if cubes else None
''',
    "grader.report.figures.kinds.doubled": '''
"""Twice a few numbers."""

import numpy as np

from grader.core.model import Text
from grader.grading.inputs import Drawn
from grader.grading.programs import Writer
from grader.report.figures.figure import Figure, LinePlot, PlotAxis, line

TITLE = Text("Twice as much", "两倍")
ABOUT = Text("twice a few numbers", "几个数的两倍")
NEEDS = SHOWN_WITH = ("double",)
_X = np.arange(1.0, 5.0, dtype=np.float32)


def calls(target):
    """One call."""
    writer = Writer.to(target)
    return (writer.program(writer.call(Drawn((("x", _X),), (), ())).output),)


def draw(seen):
    """A line for each source."""
    axis = PlotAxis(Text("x", "x"))
    lines = tuple(line(each.name, _X, each.one("double")) for each in seen if "double" in each.values)
    return Figure(TITLE, ABOUT, ((LinePlot(TITLE, axis, axis, lines),),))
''',
    "grader.commands.hello": '''
"""``attncheck hello``: greet."""

import click

from grader.commands._options import Documented, lang_option

LISTED = "Everyone", 20


@click.command(cls=Documented)
@lang_option
def hello(lang):
    """Greet whoever calls.

    Examples:
      hello  a greeting

    Exit codes:
      0  done
    """
    click.echo("你好" if lang == "zh" else "hello")
''',
}
ITEM = """\
  - id: Q1.w
    kind: word
    ask: {en: Which word?, zh: 哪个词？}
    answer: seven
    explain: {en: It is the word., zh: 就是这个词。}
    sources: [made2020]
exercises:
"""


@dataclass(frozen=True)
class Place:
    """Where the course, the class and its results are."""

    course: Path
    handed_in: Path
    results: Path


def forget() -> None:
    """Empties what the program remembers about its own modules."""
    for name, module in list(sys.modules.items()):
        if name.startswith("grader."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, sandbox: object) -> Iterator[Place]:
    """A module more in each package, a course that uses them, and a class that is graded with it."""
    folder = tmp_path_factory.mktemp("kinds")
    with pytest.MonkeyPatch.context() as patch:
        for name, source in NEW.items():
            package, _, module = name.rpartition(".")
            found = importlib.import_module(package)
            (folder / package).mkdir()
            write(folder / package / f"{module}.py", source.lstrip())
            patch.setattr(found, "__path__", [*found.__path__, str(folder / package)])
        patch.setenv("ATTNCHECK_STATE", str(folder / "state.jsonl"))
        forget()
        course = tiny.course(folder / "course")
        tiny.change(course, "exercises:\n", ITEM)
        tiny.change(course, "checks: [values, dtype]", "checks: [values, dtype, small_entries]")
        handed_in = folder / "in"
        for name, code, word in (("ada", tiny.RIGHT, "seven"), ("bo", "def double(x):\n    return x * x * x\n", "six")):
            (handed_in / f"pile-{name}").mkdir(parents=True)
            write(handed_in / f"pile-{name}" / "q01.py", code)
            answers = f"{{format: 1, learner: {name}, answers: {{Q1.a: b, Q1.w: {word}}}}}\n"
            write(handed_in / f"pile-{name}" / "answers.yaml", answers)
        yield Place(course, handed_in, folder / "results")
    for name in NEW:
        sys.modules.pop(name, None)
    forget()


COMMANDS = """\
--help
hello
hello --help
questions --course COURSE
questions --json --course COURSE
show Q1 --course COURSE
show Q1.w --course COURSE
show double --course COURSE
grade IN/pile-bo --course COURSE
grade IN/pile-bo --json --course COURSE
grade IN/pile-bo --html OUT.html --course COURSE
grade IN/pile-bo --junit OUT.xml --course COURSE
hint double --course COURSE
debug IN/pile-bo -e double --case basic --course COURSE --to OUT.py
plot --list
plot doubled --course COURSE
plot doubled --from IN/pile-bo/q01.py --course COURSE
plot doubled --to OUT.svg --course COURSE
progress --course COURSE
progress --json --course COURSE
next --course COURSE
review --list --course COURSE
batch IN --out RESULTS --course COURSE --files
explain RESULTS ada Q1.w
explain RESULTS bo double/small_entries --json
override RESULTS bo Q1.w --points 0.5 --reason close
override RESULTS --list
override RESULTS --pending
stats RESULTS
stats RESULTS --json
stats RESULTS --html OUT.html
similar RESULTS
similar RESULTS --json
similar RESULTS --html OUT.html
regrade RESULTS --dry-run
bank check COURSE
bank preview Q1 --course COURSE
bank publish OUT --course COURSE
export --help
""".splitlines()


def filled(line: str, place: Place, out: Path) -> list[str]:
    """The words of a command line with its paths."""
    paths = {"COURSE": place.course, "RESULTS": place.results, "IN": place.handed_in, "OUT": out}
    return [re.sub("COURSE|RESULTS|IN|OUT", lambda name: str(paths[name[0]]), word) for word in line.split()]


@pytest.mark.prove
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_command(
    lang: str, place: Place, in_process: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """None fails, and what is new is shown where it belongs, in both languages."""
    shown, failed = {}, []
    for number, line in enumerate(COMMANDS):
        code = run(["--lang", lang, *filled(line, place, tmp_path / f"{number}")])
        out, err = capfd.readouterr()
        usual = (4,) if line.startswith("bank check") else (0, 1, 5)  # so small a course has findings
        failed += [(line, code, out + err)] if code not in usual or "internal error" in err else []
        shown[line] = out + err
    for form in export.format_names():
        source = ["--from", str(place.results)] if export.format_module(form).SOURCE == "gradebook" else []
        code = run(
            ["--lang", lang, "export", form, *source, "--course", str(place.course), "--to", str(tmp_path / form)]
        )
        err = capfd.readouterr().err
        failed += [(form, code, err)] if code not in (0, 2) or "internal error" in err else []
    assert not failed, failed
    assert (tmp_path / "roll").read_text("utf-8") == "ada\nbo\n"
    words = {
        "--help": ("Greet whoever calls.", "Greet whoever calls."),
        "hello": ("hello", "你好"),
        "show Q1.w --course COURSE": ("Answer with one word.", "用一个词回答。"),
        "grade IN/pile-bo --course COURSE": ("Your result is the cube", "结果是所求的立方"),
        "plot --list": ("twice a few numbers", "几个数的两倍"),
        "plot doubled --course COURSE": ("Twice as much", "两倍"),
        "explain RESULTS ada Q1.w": ("seven", "seven"),
        "export --help": ("a line for each", "每行一个"),
    }
    for line, texts in words.items():
        assert texts[lang == "zh"] in shown[line], (line, shown[line])


def test_every_page(place: Place, in_process: None, tmp_path: Path) -> None:
    """Those of a learner and those of an instructor, in both languages."""
    if not place.results.exists():
        assert run(["batch", str(place.handed_in), "--out", str(place.results), "--course", str(place.course)]) == 0
    course = courses.load(loader.find(place.course))
    workspace = LearnerWorkspace(course, tmp_path / "work", tmp_path / "log.jsonl", "ada", lambda: cast(Checker, None))
    paths = [
        "/",
        "/progress",
        "/questions/Q1",
        "/questions/Q1/code",
        "/items/Q1.w",
        "/review",
        "/pictures",
        "/work.zip",
    ]
    learner = Guard(make_app(workspace, "en"), TOKEN, frozenset({HOST}))
    for lang in ("en", "zh"):
        for path, text in pages(learner, paths, lang, "/language").items():
            assert path != "/items/Q1.w" or {"en": "Answer with one word", "zh": "用一个词回答"}[lang] in text
    workspace.close()
    data = ClassData(place.results, loader.full_course(course), place.course)
    inner = ["/learners/ada", "/questions", "/items/Q1.w", "/exercises/double", "/marking", "/similar", "/downloads"]
    paths = ["/class", *(f"/class{path}" for path in inner)]
    for lang in ("en", "zh"):
        found = pages(staff.make_app(data, TOKEN, HOST), paths, lang, "/class/language")
        assert {"en": "small entries", "zh": "元素不大"}[lang] in found["/class/exercises/double"]
        assert {"en": "The ids of all learners.", "zh": "所有学生的 id。"}[lang] in found["/class/downloads"]


def pages(app: Guard, paths: list[str], lang: str, language: str) -> dict[str, str]:
    """The texts of the pages, none of which fails."""
    window = TestClient(app, base_url=f"http://{HOST}", cookies={COOKIE: TOKEN})
    window.post(language, data={"lang": lang, "back": paths[0] or "/"}, headers=OWN)
    found = {}
    for path in paths:
        response = window.get(path)
        assert response.status_code == 200, (path, response.text)
        found[path] = response.text if path != "/work.zip" else ""
    return found


def test_what_is_missing_is_an_error(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind without one of its functions is refused with its name, and not left out without a word."""
    from grader.course import items

    item = courses.load(loader.find(place.course)).item("Q1.w")
    assert item is not None
    monkeypatch.delattr(items.kind("word"), "key")
    with pytest.raises(AttributeError, match="key"):
        items.quiz_item(item, items.Context("", "", item.id))
    monkeypatch.delattr(items.kind("choice"), "counted")
    with pytest.raises(AttributeError, match="counted"):
        items.counted("choice", "a")
