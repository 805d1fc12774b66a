"""Whatever learners write, no output of ours does anything but show it: pages, tables, data, terminals, file names."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from rich.console import Console

from grader.classroom import batch, inbox
from grader.classroom.batch import BatchSummary
from grader.classroom.enrolment import Enrolment
from grader.classroom.gradebook import LearnerRow, Override, open_gradebook
from grader.classroom.results import Book, MarkSummary, csv_cell, write_files
from grader.commands import run
from grader.core import files, serialize
from grader.core.files import portable, portable_folder
from grader.core.model import Lang, Notice, Report, Text
from grader.core.page import Page
from grader.instructor import export
from grader.instructor.analysis import similarity_view, statistics_view
from grader.instructor.analysis.class_similarity import ClassSimilarity
from grader.instructor.analysis.similarity import CodeSample, compare, reduce_sample
from grader.instructor.analysis.statistics import PublicOnly, class_statistics
from grader.report import junit, terminal
from grader.report.html import render as render_html
from grader.report.json import to_json
from tests import tiny
from tests.instructor.analysis.test_similarity import CODE, STUB, file
from tests.instructor.export.conftest import COURSE, DUE, Made
from tests.tiny import give

HOSTILE = {
    # pages
    "script": "</script><script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "attribute": "' autofocus onfocus='alert(1)",
    "style": "</style><style>*{display:none}",
    "comment": "--><!-- <![CDATA[ ]]>",
    "link": "javascript:alert(1)",
    "template": "{{ 7 * 7 }}{% raw %}",
    "entity": "&lt;b&gt;&#60;i&#62;&NotAnEntity;&",
    "markdown": "[x](javascript:alert(1)) ![](//evil.example/x.png) `a` | *b* #",
    # tables
    "formula": '=HYPERLINK("http://evil.example","x")',
    "plus": "+1+1",
    "minus": "-2+3",
    "at": "@SUM(A1)",
    "full-width": "＝1+1",
    "tab first": "\t=1+1",
    "return first": "\r=1+1",
    "blank first": "\u00a0 =1+1",
    "invisible first": "\u200b\ufeff=1+1",
    "quote first": '"=1+1',
    "semicolon": "a;=1+1;b",
    "semicolon and quotes": 'a"; "=1+1";" @b',
    "tab": "a\t=1+1\tb",
    "comma": 'a",=1+1,"b',
    "line": "a\n=1+1\r\n=2+2\u2028=3",
    # terminals
    "sequences": "\x1b[2J\x1b]0;title\x07\x1bPq\x1b\\x",
    "eight bits": "\x9b31mred\x9d0;title\x9cx",
    "backspace": "good\b\b\b\bevil\x7f",
    "rich": "[bold red]x[/bold red][link=file:///etc/passwd]y[/link]",
    "turned": "abc\u202edcba\u2066x\u2069\u200f",
    # data and files
    "controls": "a\x01b\x0bc\x0cd\ufffee\U000e0041",
    "parent": "../../etc/passwd",
    "dots": "..",
    "root": "/etc/passwd",
    "drive": "C:\\x:y",
    "device": "CON",
    "device, too": "com1.txt",
    "option": "-rf *",
    "long": "x" * 300,
    "long in bytes": "\U00020000" * 100,
    "case": "Case",
    "case, too": "cASE",
    "composed": "\u00e9t\u00e9",
    "decomposed": "e\u0301te\u0301",
    "blank": " ",
}
#: What no database keeps, and no file can be called: met on the way to a report all the same.
WORSE = HOSTILE | {"nul": "a\x00=b", "surrogate": "a\ud800b\udc80"}
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")


def unseen(text: str) -> list[str]:
    """The characters in ``text`` that would work instead of being seen; line ends are ours."""
    return [char for char in text if char != "\n" and not char.isprintable()]


# ---------------------------------------------------------------------------------------- what is safe


@dataclass
class Skeleton(HTMLParser):
    """The elements and attributes of a page, as a browser would find them."""

    found: list[tuple[str, tuple[tuple[str, str | None], ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.found.append((tag, tuple(attrs)))


def skeleton(page: str) -> Skeleton:
    """The page, read."""
    found = Skeleton()
    found.feed(page)
    found.close()
    return found


#: All that our templates write.
TAGS = frozenset(
    """html head meta title style body main header footer nav section article div span p a h1 h2 h3 h4 table caption
    thead tbody tr th td ul ol li dl dt dd details summary code pre em strong b i small mark time br wbr hr label input
    figure figcaption svg g rect line path circle text tspan bdi""".split()  # noqa: SIM905
)


OUR_SCRIPT = ("script", (("src", "table.js"), ("defer", None)))


def safe_script(text: str) -> None:
    """The one of ours, in which nothing is filled in."""
    assert text == (Path(export.__file__).parent / "templates" / "table.js").read_text(encoding="utf-8")


def safe_page(page: str) -> None:
    """Elements of ours alone, no script, nothing that is loaded, and a policy that would not let it.

    The index of a class may load one script, the file of ours beside it.
    """
    elements = skeleton(page).found
    with_script = OUR_SCRIPT in elements
    if with_script:
        elements.remove(OUR_SCRIPT)
    assert {tag for tag, _ in elements} <= TAGS
    attributes = [(name, value or "") for _, attrs in elements for name, value in attrs]
    assert not [name for name, _ in attributes if name.startswith("on") or name in ("autofocus", "srcdoc", "action")]
    for name, value in attributes:
        if name in ("href", "src", "xlink:href"):
            assert value.startswith("#") or ":" not in value.partition("/")[0], value
    policy = next(dict(attrs)["content"] for _, attrs in elements if ("http-equiv", "Content-Security-Policy") in attrs)
    assert policy is not None
    scripts = " script-src 'self';" if with_script else ""
    assert policy.startswith(f"default-src 'none';{scripts} style-src 'sha256-")
    assert "unsafe" not in policy and policy.count("script-src") == with_script
    assert unseen(page) == []


def safe_table(text: str) -> None:
    """No cell is a formula, whichever separator a spreadsheet takes; every row has as many cells as its heading."""
    text = text.removeprefix("\ufeff")
    for separator in ",;\t":
        for row in csv.reader(io.StringIO(text), delimiter=separator):
            for value in row:
                assert not value.lstrip().startswith(FORMULA) or number(value), (separator, value)
    rows = list(csv.reader(io.StringIO(text)))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert unseen(text.replace("\r\n", "\n")) == []


def number(value: str) -> bool:
    """Whether a cell is a plain number."""
    try:
        float(value)
    except ValueError:
        return False
    return True


def safe_data(text: str) -> None:
    """JSON that can be shown on a terminal as it is."""
    json.loads(text)
    assert unseen(text) == []
    text.encode()


def safe_xml(text: str) -> None:
    """Legal XML whose elements are those of JUnit."""
    known = {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "error",
        "skipped",
        "system-out",
    }
    assert {element.tag for element in ET.fromstring(text).iter()} <= known
    assert unseen(text) == []


def safe_text(text: str) -> None:
    """Nothing for a terminal to do but to show it."""
    assert unseen(text) == []


SAFE: dict[str, Callable[[str], None]] = {
    ".html": safe_page,
    ".js": safe_script,
    ".csv": safe_table,
    ".json": safe_data,
    ".xml": safe_xml,
    ".txt": safe_text,
}

# ------------------------------------------------------------------------------------ a class of such people


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Everybody has a hostile name and raises it; some are unreadable for a hostile reason, or given points for one."""
    found = Made(tmp_path_factory.mktemp("hostile"))
    found.fill(
        *((LearnerRow(text, text, text), f"canvas-{at}", False, -1.0) for at, text in enumerate(HOSTILE.values()))
    )

    def edit(book: Book) -> None:
        row = list(book.gradebook.submissions())
        for each in row[::4]:
            book.gradebook.refuse(each, Text(*[f"{each.path}: {each.learners[0]}"] * 2))
        for each in row[1::4]:
            said = each.learners[0]
            give(book.gradebook, Override(said, "Q5.size", 1.0, said, said, DUE))

    found.change(edit)
    return found


def exported(name: str, **options: object) -> Callable[[Made, Path], Iterator[tuple[str, str]]]:
    """The files of an export."""

    def files_of(made: Made, to: Path) -> Iterator[tuple[str, str]]:
        place = made.export(name, to / "out", **options)
        for path in [place] if place.is_file() else sorted(place.iterdir()):
            yield path.name if place.is_dir() else f"out.{name}", path.read_bytes().decode()

    return files_of


def results(made: Made, to: Path) -> Iterator[tuple[str, str]]:
    """What a batch writes, and what it says on a terminal and to programs."""

    def edit(book: Book) -> None:
        rows.extend(write_files(book, to, "en"))

    rows: list[MarkSummary] = []
    made.change(edit)
    for path in sorted(to.iterdir()):
        yield path.name, path.read_bytes().decode()
    names = tuple(HOSTILE.values())
    lists = dict.fromkeys(("unknown", "ambiguous", "missing", "twice", "leftovers"), names)
    enrolment = Enrolment((), (), **lists, misnamed=tuple(zip(names, names, strict=True)), listed=True)
    summary = BatchSummary(enrolment, 9, 9, rules=COURSE.rules)
    yield "lines.txt", "\n".join(batch.lines(summary, rows, to, "en"))
    yield "data.json", files.readable_json(batch.to_json(summary, rows, to))


def analysed(made: Made, to: Path) -> Iterator[tuple[str, str]]:
    """The statistics, with names."""
    with closing(open_gradebook(made.folder)) as book:
        found = class_statistics(
            (
                (mark, {"Q5.output": text})
                for mark, text in zip(Book.of(book, COURSE).marks(), HOSTILE.values(), strict=True)
            )
        )
    alone = tuple(PublicOnly(text, "attention", "values", 1, 3) for text in HOSTILE.values())
    found = replace(found, public_only=alone)
    yield "stats.html", statistics_view.render_html(found, COURSE, "en", names=True)
    yield "stats.json", files.readable_json(serialize.to_json(statistics_view.as_data(found, COURSE, names=True)))
    screen = io.StringIO()
    statistics_view.render(Page(Console(file=screen, width=80), "en"), found, COURSE, names=True)
    yield "stats.txt", screen.getvalue()


OUTPUTS: dict[str, Callable[[Made, Path], Iterator[tuple[str, str]]]] = {
    "csv": exported("csv"),
    "csv for Excel": exported("csv", bom=True),
    "csv of checks": exported("csv", checks=True),
    "json": exported("json"),
    "gradescope": exported("gradescope"),
    "html": exported("html"),
    "junit": exported("junit"),
    "results of a batch": results,
    "statistics": analysed,
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_outputs_of_a_class(output: str, made: Made, tmp_path: Path) -> None:
    """No file does anything but say what it has to say, and none has a name that goes anywhere else."""
    found = list(OUTPUTS[output](made, tmp_path))
    assert found
    for name, text in found:
        SAFE[PurePosixPath(name).suffix](text)
        harmless_name(name)
    assert len({name.casefold() for name, _ in found}) == len(found)


# --------------------------------------------------------------------------------------- one report, one word


@pytest.fixture(scope="module")
def found(made: Made) -> Report:
    """Somebody's report."""
    with closing(open_gradebook(made.folder)) as book:
        whole = Book.of(book, COURSE)
        return next(report for report in map(whole.report, whole.marks()) if report is not None)


def report_of(text: str, found: Report) -> Report:
    """The report with a learner's words wherever words of learners can stand."""
    said = Text(text, text)
    (first, *rest) = found.questions
    (exercise,) = first.exercises
    verdicts = [replace(o.verdict, message=said, remark=said) for o in exercise.outcomes]
    outcomes = tuple(replace(o, verdict=v) for o, v in zip(exercise.outcomes, verdicts, strict=True))
    exercise = replace(exercise, outcomes=outcomes, message=said, remarks=(said,), file=text, misconception=None)
    items = tuple(replace(item, message=said) for item in first.items)
    questions = (replace(first, items=items, exercises=(exercise,)), *rest)
    return replace(found, learner=text, questions=questions, notices=(Notice(text, said),))


def on_terminal(report: Report, lang: Lang) -> str:
    """What ``grade`` prints."""
    screen = io.StringIO()
    terminal.render(report, COURSE, lang, Console(file=screen, width=80))
    return screen.getvalue()


REPORTS: dict[str, tuple[str, Callable[[Report], str]]] = {
    "terminal": (".txt", lambda report: on_terminal(report, "en")),
    "terminal in Chinese": (".txt", lambda report: on_terminal(report, "zh")),
    "json": (".json", lambda report: files.readable_json(to_json(report))),
    "html": (".html", lambda report: render_html(report, COURSE, "en")),
    "junit": (".xml", lambda report: junit.to_junit(report)),
}


@pytest.mark.parametrize("output", REPORTS)
@pytest.mark.parametrize("name", WORSE)
def test_one_report(name: str, output: str, found: Report) -> None:
    """Names, messages, remarks and file names of a learner are words in every form of a report."""
    suffix, shown = REPORTS[output]
    SAFE[suffix](shown(report_of(WORSE[name], found)))


@pytest.mark.parametrize("name", HOSTILE)
def test_similar_solutions(name: str) -> None:
    """The code of two learners side by side is text, and so are their names."""
    code = CODE.replace("# first the scores", f"# {' '.join(HOSTILE[name].split())}")
    handed = [CodeSample(key, (HOSTILE[name],), (file(code, HOSTILE[name]),)) for key in "ab"]
    found = compare([reduce_sample(one, ("attend",)) for one in handed], (file(STUB),), ("attend",))
    people, by_key = dict.fromkeys("ab", (HOSTILE[name],)), {one.key: one for one in handed}
    alike = ClassSimilarity(found, people, (HOSTILE[name],), by_key.get)
    safe_page(similarity_view.render_html(alike, COURSE, "en"))
    screen = io.StringIO()
    similarity_view.render(Page(Console(file=screen, width=80), "en"), alike)
    safe_text(screen.getvalue())


# ------------------------------------------------------------------------------------- cells and file names


@pytest.mark.parametrize("name", WORSE)
def test_a_cell_is_no_formula(name: str) -> None:
    """Nor does it begin with what spreadsheets pass over on the way to one."""
    found = csv_cell(WORSE[name])
    assert not found.startswith(FORMULA)
    assert unseen(found) == []
    assert "\n" not in found


_DEVICES = {"con", "nul", "aux", "prn", *(f"{port}{at}" for port in ("com", "lpt") for at in range(10))}


def harmless_name(name: str) -> None:
    """A file of this name can be made in a folder of any system, and nowhere else."""
    assert name not in ("", ".", "..")
    assert PurePosixPath(name).name == PureWindowsPath(name).name == name
    assert not set(name) & set('<>:"/\\|?*') and unseen(name) == []
    assert name.partition(".")[0].strip().casefold() not in _DEVICES
    assert not name.startswith(("-", ".")) and not name.endswith((".", " "))
    assert len(name.encode()) <= 255


def test_names_of_files() -> None:
    """Every learner has a file of their own, also where only case or composition tells their names apart."""
    taken: dict[str, str] = {}
    names = [portable(text, taken) for text in [*WORSE.values(), *WORSE.values()]]
    for name in names:
        harmless_name(f"{name}.json")
    same = [unicodedata.normalize("NFC", name).casefold() for name in names]
    assert len(set(same)) == len(same)


def test_names_of_folders_in_an_inbox() -> None:
    """The same for what is handed in."""
    names = [portable_folder(text) for text in HOSTILE.values()]
    for name in names:
        harmless_name(name)
    assert len(set(names)) == len(names)


def test_a_receipt_can_be_shown(tmp_path: Path) -> None:
    """What was handed in under strange names is written down exactly, and in letters."""
    said = "\u009b31mred\u202e\U000e0041"
    receipt = inbox.Receipt(said, datetime(2026, 1, 1, tzinfo=UTC), "d", (inbox.ReceiptFile(f"{said}.py", 1, "s"),))
    safe_data(receipt.to_json())
    assert inbox.parse_receipt(receipt.to_json(), "receipt.json") == receipt


# ------------------------------------------------------------------------------------------- what went wrong


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one question."""
    return tiny.course(tmp_path_factory.mktemp("course"))


@pytest.mark.parametrize("name", ["sequences", "eight bits", "turned"])
@pytest.mark.parametrize(
    "command",
    [
        ["grade", "{}"],
        ["grade", "{}", "--json"],
        ["show", "{}"],
        ["hint", "{}"],
        ["batch", "{}", "--out", "{}"],
        ["stats", "{}"],
        ["export", "csv", "{}", "--to", "out"],
        ["questions", "--course", "{}"],
        ["{}"],
        ["grade", ".", "--{}"],
        ["grade", ".", "--lang", "{}"],
        ["grade", ".", "-q", "{}"],
    ],
    ids=" ".join,
)
def test_errors_quote_without_doing(
    name: str,
    command: list[str],
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A name on the command line, which a shell may have completed from somebody's files, is quoted harmlessly."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATTNCHECK_COURSE", str(small))
    (tmp_path / "q01.py").write_text(tiny.RIGHT)
    assert run([word.replace("{}", HOSTILE[name]) for word in command]) not in (0, None)
    out, err = capsys.readouterr()
    safe_text(out)
    safe_text(err)
    assert "internal error" not in err


@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_handed_in_may_be_called_anything(
    as_json: bool, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of files, learners and items are quoted harmlessly, in the remarks and in the receipt."""
    monkeypatch.setenv("ATTNCHECK_COURSE", str(small))
    work, names = tmp_path / "work", ["sequences", "eight bits", "turned", "script"]
    work.mkdir()
    (tmp_path / "inbox").mkdir()
    (work / "q01.py").write_text(tiny.RIGHT)
    for name in names[:3]:
        (work / f"{HOSTILE[name].replace('/', '')}.py").write_text("def broken(:\n")
    said = "".join(HOSTILE[name] for name in names)
    answers = {"format": 1, "learner": said, "answers": {"Q1.a": "a", said: said}}
    (work / "answers.yaml").write_text(json.dumps(answers), encoding="utf-8")
    assert run(["submit", str(work), "--to", str(tmp_path / "inbox"), *(["--json"] if as_json else [])]) == 0
    out, err = capsys.readouterr()
    safe_text(out)
    safe_text(err)
    assert ("there is no item" in out) if as_json else ("there is no item" in err)
    for receipt in (tmp_path / "inbox").rglob("receipt.json"):
        safe_data(receipt.read_text("utf-8"))


def test_overrides_are_listed(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever was given points, and why, is a word."""
    for more in ([], ["--json"]):
        assert run(["override", str(made.folder), "--list", *more]) == 0
        safe_text(capsys.readouterr().out)
