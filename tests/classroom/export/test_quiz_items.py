"""``export qti`` and ``export gift``: quiz items as Canvas and Moodle read them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from grader.classroom.export import Options, Out, export
from grader.classroom.export._quiz import decimal, inline, markup
from grader.classroom.export.gift import escaped
from grader.core.errors import UsageError
from grader.core.model import Course, Item, Misconception, Question, Text
from grader.course import loader
from grader.course.items import match, multi, number, order, text
from grader.course.items._ids import Thing
from grader.course.items._options import Option
from grader.course.items.choice import Spec as ChoiceSpec
from grader.grading import courses

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
        number.Spec("3 * d", {"d": (4,)}, 0.01, "MiB", (number.Wrong("d", "m"),)),
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
            (Thing("a", said("one = 1")), Thing("b", said("x -> y")), Thing("c", said("three"))),
            (Thing("1", said("~1")), Thing("2", said("2")), Thing("3", said("3")), Thing("4", said("4"))),
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
    export(name, course, Options(**options), Out(to, told.append))  # type: ignore[arg-type]
    return to, "\n".join(one.en for one in told)


# ------------------------------------------------------------------------------------------------ QTI


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


def test_the_parts_name_each_other(tmp_path: Path) -> None:
    """The manifest lists the files that are there, and the quiz is for practice."""
    path, _ = make("qti", tmp_path / "q.zip")
    found = quiz(path)
    hrefs = {part.get("href") for part in found.manifest.iter() if part.get("href")}
    assert hrefs == {f"{found.name}/{found.name}.xml", f"{found.name}/assessment_meta.xml"}
    facts = {part.tag.rpartition("}")[2]: part.text for part in found.meta}
    assert facts["quiz_type"] == "practice_quiz"
    assert facts["title"] == "Attention / {more}: &: Q1 – Q2"
    total = sum(float(fields(item)["points_possible"] or "") for item in found.items.values())
    assert facts["points_possible"] == f"{total:.1f}"


def test_every_kind_of_item(tmp_path: Path) -> None:
    """Under Canvas's names, with whole or half points; idents are there once."""
    path, told = make("qti", tmp_path / "q.zip")
    found = {name: fields(item) for name, item in quiz(path).items.items()}
    assert {name: (each["question_type"], each["points_possible"]) for name, each in found.items()} == {
        "Q1.choice": ("multiple_choice_question", "1.5"),
        "Q1.multi": ("multiple_answers_question", "0.5"),
        "Q1.size": ("numerical_question", "2"),
        "Q1.exact": ("numerical_question", "1"),
        "Q1.digits": ("numerical_question", "1"),
        "Q1.why": ("essay_question", "1"),
        "Q2.multi": ("multiple_answers_question", "0.5"),
    }
    assert "QTI has no matching question type: Q1.pairs, Q1.steps" in told
    idents = [part.get("ident") for item in quiz(path).items.values() for part in item.iter(f"{QTI}response_label")]
    chosen = [ident for ident in idents if ident != "answer1"]
    assert len(chosen) == len(set(chosen)) == 10


def test_choices_have_their_feedback(tmp_path: Path) -> None:
    """The right one gives the points; a wrong one shows what is true instead; strange signs are what they are."""
    item = quiz(make("qti", tmp_path / "q.zip")[0]).items["Q1.choice"]
    assert {link: points for _, points, link in conditions(item)} == {
        "general_fb": None, "Q1_choice_a_fb": None, None: "100",
    }  # fmt: skip
    (right,) = (inner for inner, points, _ in conditions(item) if points)
    assert "".join(right.itertext()).strip() == "Q1_choice_b"
    escaped_html = STRANGE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert feedback(item) == {
        "general_fb": f"<p>because {escaped_html}</p>",
        "Q1_choice_a_fb": f"<p>Truth {escaped_html}</p>",
    }
    texts = [part.text for part in item.iter(f"{QTI}mattext")]
    assert texts[0] == f"<p>Which?</p><p>&#160;&#160;{escaped_html}</p>"
    assert escaped_html in texts


def test_several_answers(tmp_path: Path) -> None:
    """All right ones, and none of the wrong."""
    item = quiz(make("qti", tmp_path / "q.zip")[0]).items["Q1.multi"]
    (right,) = (inner for inner, points, _ in conditions(item) if points)
    every = right.find(f"{QTI}and")
    assert every is not None
    assert [part.text for part in every.findall(f"{QTI}varequal")] == [f"Q1_multi_{x}" for x in "abc"]
    assert [part.text for part in every.findall(f"{QTI}not/{QTI}varequal")] == ["Q1_multi_d"]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("Q1.size", ["12", "11.88", "12.12"]),
        ("Q1.exact", ["65536", "65536", "65536"]),
        ("Q1.digits", ["0.666666666667", "0.661666666667", "0.671666666667"]),
    ],
)
def test_numbers(tmp_path: Path, name: str, numbers: list[str]) -> None:
    """With the range that the bank allows."""
    item = quiz(make("qti", tmp_path / "q.zip")[0]).items[name]
    (right,) = (inner for inner, points, _ in conditions(item) if points)
    assert [
        part.text for part in right.iter() if part.tag != f"{QTI}conditionvar" and (part.text or "").strip()
    ] == numbers


def test_drawn_numbers_and_units(tmp_path: Path) -> None:
    """One choice of the numbers, the same in question, key and explanation; the unit is said."""
    item = quiz(make("qti", tmp_path / "q.zip")[0]).items["Q1.size"]
    texts = [part.text or "" for part in item.iter(f"{QTI}mattext")]
    assert texts[0] == "<p>How many with d = 4?</p><p>Give a number, in MiB.</p>"
    assert "<p>3 times 4</p>" in texts


def test_essays_wait_for_a_person(tmp_path: Path) -> None:
    """They give no points, and say a good answer afterwards."""
    item = quiz(make("qti", tmp_path / "q.zip")[0]).items["Q1.why"]
    assert [points for _, points, _ in conditions(item)] == [None, None]
    assert feedback(item) == {"general_fb": "<p>A correct answer: because of it</p>"}


def test_graded_items_are_asked_for(tmp_path: Path) -> None:
    """And then it is said what that means; the quiz is an assignment."""
    path, told = make("qti", tmp_path / "q.zip", graded=True, questions=("Q1",))
    found = quiz(path)
    assert "Q1.graded" in found.items
    assert "Q2.multi" not in found.items
    assert "contains graded items with their keys: 1." in told
    assert {part.tag.rpartition("}")[2]: part.text for part in found.meta}["quiz_type"] == "assignment"


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    """On any day."""
    first, second = make("qti", tmp_path / "1.zip")[0], make("qti", tmp_path / "2.zip")[0]
    assert first.read_bytes() == second.read_bytes()


# ----------------------------------------------------------------------------------------------- GIFT

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


def test_every_kind_of_question(tmp_path: Path) -> None:
    """In a category for each question of the course."""
    path, told = make("gift", tmp_path / "q.txt")
    categories, questions = gift(path)
    assert categories == ["Attention // {more}: &/Q1 A//B: c", "Attention // {more}: &/Q2 Other"]
    assert list(questions) == [
        "Q1.choice", "Q1.multi", "Q1.size", "Q1.exact", "Q1.digits", "Q1.pairs", "Q1.why", "Q2.multi",
    ]  # fmt: skip
    assert "GIFT has no matching question type: Q1.steps" in told


def test_strange_signs_come_back(tmp_path: Path) -> None:
    """In the question, its answers, and what is said about them."""
    question = gift(make("gift", tmp_path / "q.txt")[0])[1]["Q1.choice"]
    escaped_html = STRANGE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert question.text == f"<p>Which?</p><p>&#160;&#160;{escaped_html}</p>"
    assert question.general == f"[html]<p>because {escaped_html}</p>"
    wrong, right = question.answers
    answer, _, about = wrong.partition("#")
    assert (plain(answer), plain(about)) == (f"~[html]{escaped_html}", f"[html]Truth {escaped_html}")
    assert right == "=[html]right"


def test_weights_add_up(tmp_path: Path) -> None:
    """Right ones give all points together, each wrong one takes back as much as one gives."""
    answers = gift(make("gift", tmp_path / "q.txt")[0])[1]["Q1.multi"].answers
    assert [answer.partition("[")[0] for answer in answers] == ["~%33.33333%"] * 3 + ["~%-33.33333%"]


def test_numbers_with_their_range(tmp_path: Path) -> None:
    """And known wrong ones with what is true instead."""
    questions = gift(make("gift", tmp_path / "q.txt")[0])[1]
    sign, right, wrong = questions["Q1.size"].answers
    assert (sign, right, wrong.partition("#")[0]) == ("#", "=%100%12:0.12", "=%0%4:0.04")
    assert plain(wrong.partition("#")[2]).startswith("[html]Truth")
    assert questions["Q1.exact"].answers == ("#", "=%100%65536:0")
    assert questions["Q1.digits"].answers == ("#", "=%100%0.666666666667:0.005")


def test_pairs(tmp_path: Path) -> None:
    """Each with its partner; partners of nothing stand alone; only one arrow in each means anything."""
    answers = gift(make("gift", tmp_path / "q.txt")[0])[1]["Q1.pairs"].answers
    taken = [tuple(plain(part) for part in answer.split("->", 1)) for answer in answers]
    assert taken == [("=[html]one = 1", "3"), ("=[html]x -&gt; y", "2"), ("=[html]three", "~1"), ("=", "4")]


def test_essays(tmp_path: Path) -> None:
    """Nothing to compare with, and a good answer afterwards."""
    question = gift(make("gift", tmp_path / "q.txt")[0])[1]["Q1.why"]
    assert (question.answers, question.general) == ((), "[html]<p>A correct answer: because of it</p>")


@pytest.mark.parametrize("form", ["gift", "qti"])
def test_the_language(tmp_path: Path, form: str) -> None:
    """One of the two."""
    path, _ = make(form, tmp_path / "q", lang="zh", questions=("Q2",))
    if form == "gift":
        assert "（中文）" in path.read_text(encoding="utf-8")
    else:
        (item,) = quiz(path).items.values()
        assert "（中文）" in "".join(item.itertext())


@pytest.mark.parametrize("form", ["gift", "qti"])
def test_nothing_to_ask(tmp_path: Path, form: str) -> None:
    """Is refused with what may help."""
    bare = replace(COURSE, questions=(replace(COURSE.questions[0], items=ITEMS[-1:]),))
    with pytest.raises(UsageError, match=r"no practice items.*--graded"):
        make(form, tmp_path / "q", bare)


def test_the_bundled_course(tmp_path: Path) -> None:
    """All of it can be exported, and only orders (in QTI pairs, too) are left out."""
    course = courses.load(loader.find(None))
    for form, left_out in (("gift", {"order"}), ("qti", {"order", "match"})):
        path, _ = make(form, tmp_path / form, course, graded=True)
        expected = {item.id for question in course.questions for item in question.items if item.kind not in left_out}
        assert set(gift(path)[1] if form == "gift" else quiz(path).items) == expected


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (12, "12"),
        (2**70, str(2**70)),
        (0.1, "0.1"),
        (1e-9, "0.000000001"),
        (1e20, "100000000000000000000"),
        (-2.50, "-2.5"),
    ],
)
def test_numbers_in_digits(value: float, written: str) -> None:
    """No exponents, which not every system reads."""
    assert decimal(value) == written


def test_text_as_html() -> None:
    """Paragraphs, lines and what is set in; nothing is markup, nothing invisible."""
    assert markup("a\nb\n\n  c <i>\x1b[1m\u202e") == "<p>a<br/>b</p><p>&#160;&#160;c &lt;i&gt;</p>"
    assert inline("a\nb") == "a<br/>b"
    assert escaped("a\n~") == r"a\n\~"
