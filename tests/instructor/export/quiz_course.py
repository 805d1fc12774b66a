"""A course of every kind of quiz item, and readers of what Canvas and Moodle get of it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.core.model import Course, Item, Misconception, Question, Text
from grader.course.items import match, multi, number, order, text
from grader.course.items._options import Arrangeable, Option
from grader.course.items.choice import Spec as ChoiceSpec
from grader.instructor.export import ExportOptions, ExportTarget, export

#: Text with every sign that means something to one of the formats.
STRANGE = r"a~b=c#d{e}f:g\h // ->\n <b>&amp;</b> ]]> %50% [html] ####"


def said(text: str) -> Text:
    """The same in both languages."""
    return Text(text, f"{text}（中文）")


CHOICE = ChoiceSpec((Option("a", said(STRANGE), misconception="m"), Option("b", said("right"), True)))


ITEMS = (
    Item("Q1.choice", "choice", said(f"Which?\n\n  {STRANGE}"), 1.3, "practice", CHOICE, said("because " + STRANGE)),
    Item(
        "Q1.multi",
        "multi",
        said("Which ones?"),
        0.2,
        "practice",
        multi.Spec(tuple(Option(x, said(x), x in "abc", None if x in "abc" else "m") for x in "abcd")),
    ),
    Item(
        "Q1.size",
        "number",
        said("How many with d = {d}?"),
        2,
        "practice",
        number.Spec("3 * d", {"d": (4,)}, 0.01, "MiB", (number.KnownWrongAnswer("d", "m"),)),
        said("3 times {d}"),
    ),
    Item("Q1.exact", "number", said("How many?"), 1, "practice", number.Spec(65536, tolerance=0)),
    Item("Q1.digits", "number", said("How much?"), 1, "practice", number.Spec("2 / 3", digits=2)),
    Item(
        "Q1.pairs",
        "match",
        said("Which with which?"),
        1,
        "practice",
        match.Spec(
            (Arrangeable("a", said("one = 1")), Arrangeable("b", said("x -> y")), Arrangeable("c", said("three"))),
            (
                Arrangeable("1", said("~1")),
                Arrangeable("2", said("2")),
                Arrangeable("3", said("3")),
                Arrangeable("4", said("4")),
            ),
            {"a": "3", "b": "2", "c": "1"},
        ),
    ),
    Item("Q1.why", "text", said("Why?"), 1, "practice", text.Spec((), said("because of it"))),
    Item("Q1.steps", "order", said("In which order?"), 1, "practice", order.Spec(())),
    Item("Q1.graded", "choice", said("Graded?"), 1, "graded", CHOICE),
)


COURSE = Course(
    said("Attention / {more}: &"),
    "test",
    (),
    (
        Question(
            "Q1", said("A/B: c"), "g", said("p"), "q01.yaml", (), (Misconception("m", said("Truth " + STRANGE)),), ITEMS
        ),
        Question("Q2", said("Other"), "g", said("p"), "q02.yaml", (), (), (replace(ITEMS[1], id="Q2.multi"),)),
    ),
    (),
    (),
    "digest",
    "",
)


QTI = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"


def make(name: str, to: Path, course: Course = COURSE, **options: object) -> tuple[Path, str]:
    """An export and what it said."""
    told: list[Text] = []
    export(name, course, ExportOptions(**options), ExportTarget(to, told.append))  # type: ignore[arg-type]
    return to, "\n".join(one.en for one in told)


@dataclass(frozen=True, slots=True)
class Quiz:
    """The parts of a zip."""

    name: str
    manifest: ET.Element
    meta: ET.Element
    items: dict[str, ET.Element]


def quiz(path: Path) -> Quiz:
    """The zip, with the layout that Canvas expects."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        folder = next(name.split("/")[0] for name in names if name.endswith("assessment_meta.xml"))
        assert names == [
            "imsmanifest.xml",
            "non_cc_assessments/",
            f"{folder}/assessment_meta.xml",
            f"{folder}/{folder}.xml",
        ]
        manifest, meta, assessment = (ET.fromstring(archive.read(name)) for name in (names[0], names[2], names[3]))
    found = assessment.findall(f"{QTI}assessment/{QTI}section/{QTI}item")
    return Quiz(folder, manifest, meta, {item.get("title", ""): item for item in found})


def fields(item: ET.Element) -> dict[str | None, str | None]:
    """The metadata of an item."""
    return {
        field.findtext(f"{QTI}fieldlabel"): field.findtext(f"{QTI}fieldentry")
        for field in item.iter(f"{QTI}qtimetadatafield")
    }


def feedback(item: ET.Element) -> dict[str | None, str]:
    """Feedback by name."""
    return {each.get("ident"): "".join(each.itertext()).strip() for each in item.findall(f"{QTI}itemfeedback")}


def conditions(item: ET.Element) -> Iterator[tuple[ET.Element, str | None, str | None]]:
    """Each condition, the points that it gives, and the feedback that it shows."""
    for each in item.findall(f"{QTI}resprocessing/{QTI}respcondition"):
        inner = each.find(f"{QTI}conditionvar")
        assert inner is not None
        link = each.find(f"{QTI}displayfeedback")
        yield inner, each.findtext(f"{QTI}setvar"), None if link is None else link.get("linkrefid")


_ESCAPES = {rf"\{sign}": f"\x00{ord(sign):03}" for sign in ":#={}~"} | {r"\n": "\x00010"}


def hidden(text: str) -> str:
    """Escaped signs made into something without any meaning, as Moodle's reader begins."""
    text = text.replace("\\\\", "\x01")
    for sign, stand_in in _ESCAPES.items():
        text = text.replace(sign, stand_in)
    return text.replace("\x01", "\\")


def plain(text: str) -> str:
    """And back, as it ends."""
    return re.sub("\x00(\\d{3})", lambda found: chr(int(found[1])), text).strip()


@dataclass(frozen=True, slots=True)
class Gift:
    """A question as Moodle would take it apart."""

    text: str
    answers: tuple[str, ...]
    general: str


def gift(path: Path) -> tuple[list[str], dict[str, Gift]]:
    """Categories, and questions by name."""
    categories, questions = [], {}
    for block in re.split(r"\n\n+", path.read_text(encoding="utf-8").strip()):
        if block.startswith("$CATEGORY: "):
            categories.append(block.removeprefix("$CATEGORY: "))
            continue
        masked = hidden(block)
        found = re.fullmatch(r"::([^:]*)::\[html\]([^{}]*)\{([^{}]*)\}", masked)
        assert found, block
        answers, _, general = found[3].partition("####")
        lines = tuple(line for line in answers.strip().splitlines() if line)
        questions[plain(found[1])] = Gift(plain(found[2]), lines, plain(general))
    return categories, questions
