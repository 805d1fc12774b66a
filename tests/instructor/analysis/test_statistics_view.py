"""What an instructor reads about a class: on a terminal, as data, and as a page."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

from grader.classroom.gradebook import LearnerRow
from grader.core.layout import cells
from grader.core.model import Course, Item, Lang, Misconception, Question, Text
from grader.core.page import Page
from grader.core.serialize import to_json
from grader.course.items.choice import Spec
from grader.course.items.multi import Spec as Multi
from grader.instructor.analysis import statistics_view
from grader.instructor.analysis.answers import BorrowedAnswer
from grader.instructor.analysis.statistics import (
    CheckStatistics,
    Disagreement,
    PartStatistics,
    PublicOnly,
    Statistics,
    class_statistics,
)
from grader.instructor.analysis.statistics_view import render_html
from tests.instructor.analysis.test_statistics import CLASS, Row, row
from tests.report.test_html import STRANGE
from tests.report.test_html import Page as Parsed

ADDS = Misconception(
    "adds", Text("Numbers are <b>divided</b> & summed.", "先除再加。"), Text("What is e⁰?", "e⁰ 是多少？")
)
EXP = Misconception("exp-is-enough", Text("Exponentials do not sum to 1.", "指数之和不是 1。"))
HOSTILE = "<script>alert(1)</script>‮"


def option(name: str, right: bool = False, belief: str | None = None) -> object:
    """An option of a choice."""
    from grader.course.items._options import Option

    return Option(name, Text(f"option {name}", f"选项 {name}"), right, belief)


@pytest.fixture
def course() -> Course:
    """The course that the class of tests/instructor/analysis/test_statistics.py has taken."""
    options = (option("a", True), option("b", belief="adds"), option("c"))
    several = (option("a", True), option("odd"))
    items = (
        Item("Q3.a", "choice", Text("?", "？"), 1.0, "graded", Spec(options)),  # type: ignore[arg-type]
        Item("Q3.b", "multi", Text("?", "？"), 1.0, "graded", Multi(several)),  # type: ignore[arg-type]
    )
    question = Question("Q3", Text("Softmax", "柔性最大值"), "g", Text("", ""), "q", (), (ADDS, EXP), items)
    return Course(Text("Attention", "注意力"), "id", (("g", Text("G", "组")),), (question,), (), (), "digest", ".")


def shown(found: Statistics, course: Course, lang: Lang = "en", width: int = 80) -> str:
    """What a terminal of that width shows."""
    file = io.StringIO()
    statistics_view.render(Page(Console(file=file, width=width, color_system=None), lang), found, course)
    return file.getvalue()


def many(learners: int, *, code: float = 2) -> list[Row]:
    """A class of learners who differ."""
    return [row(f"x{n:02}", n % 2, n % 3 == 0, code, answer="ab"[n % 2 == 0]) for n in range(learners)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_terminal_has_80_columns(course: Course, lang: Lang) -> None:
    """Nothing is wider, in either language, and the course's words are in the language asked for."""
    text = shown(class_statistics(CLASS), course, lang)
    assert max(map(cells, text.splitlines())) <= 80
    assert ("Attention" in text, "注意力" in text) == (lang == "en", lang == "zh")


def test_what_the_terminal_says(course: Course) -> None:
    """The class, its parts with the most frequent mistake and the truth about it, misconceptions, what to do."""
    text = shown(class_statistics(CLASS), course)
    assert "6 learners, 6 submitted" in text
    assert "Mean 50%" in text
    assert "softmax()" in text
    assert "b (1×): Numbers are <b>divided</b> & summed." in text
    assert "exp-is-enough (2×): Exponentials" in text
    assert "Hidden cases that nobody passes:\n   – softmax: dtype, case “basic”\n" in text
    assert "Ask the class: What is e⁰?" in text
    assert "Q3: missed 2 times in a class of 6: Exponentials do not sum to 1." in text


def test_a_large_class_needs_no_warning(course: Course) -> None:
    """It is for fewer than thirty."""
    assert "Only" not in shown(class_statistics(many(30)), course)
    assert "Only 29 learners" in shown(class_statistics(many(29)), course)


def test_nobody(course: Course) -> None:
    """An empty gradebook is said to be one, everywhere."""
    found = class_statistics([])
    assert "has no learners yet" in shown(found, course)
    assert to_json(statistics_view.as_data(found, course))["learners"] == 0
    assert "has no learners yet" in render_html(found, course, "en")


CHECK = CheckStatistics("softmax", "values", "large", "hidden", 9, 1.0, None)
ALONE = PublicOnly("dora\x1b[2J", "softmax", "values", 2, 9)


@pytest.mark.parametrize("names", [False, True])
def test_learners_are_named_where_that_is_asked_for(course: Course, names: bool) -> None:
    """Whoever passes public cases alone is counted, and named by ``--names`` only, without what a terminal would do."""
    found = replace(class_statistics(many(40)), public_only=(ALONE,))
    data = to_json(statistics_view.as_data(found, course, names=names))
    assert data["public_only"][0]["learner"] == ("dora" if names else None)
    said = [each["found"] for each in data["findings"] if each["kind"] == "public-only"]
    assert said == [f"softmax: 1 pass values on every public case and on no hidden one (2 and 9){': dora' * names}."]
    assert ("dora" in render_html(found, course, "en", names=names)) == names


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"negative": ("Q3.a",)}, "negative", "a wrong key"),
        ({"everybody": (CHECK,)}, "everybody-passes", "do not discriminate"),
        ({"nobody": (CHECK,) * 8}, "nobody-passes", "Check whether the question says"),
        ({"public_only": (ALONE,) * 2}, "public-only", "never proof"),
        ({"alpha": 0.3}, "unreliable", "small differences"),
        ({"disagreements": (Disagreement("Q3", 0.9, 0.2),)}, "disagreement", "not write it"),
        ({"disagreements": (Disagreement("Q3", 0.2, 0.9),)}, "disagreement", "explained line by line"),
        ({"misconceptions": (("Q3", "adds", 20),)}, "misconception", "What is e⁰?"),
    ],
)
def test_every_finding_says_what_to_do(course: Course, changed: dict[str, object], kind: str, words: str) -> None:
    """One sentence of what was found, one of what to do, in both languages."""
    clear = {"negative": (), "everybody": (), "nobody": (), "alpha": 0.9, "disagreements": (), "misconceptions": ()}
    found = replace(class_statistics(many(40)), **(clear | changed))  # type: ignore[arg-type]
    (finding,) = statistics_view.findings(found, course)
    assert finding.kind == kind
    assert words in finding.todo.en
    assert finding.todo.zh != finding.todo.en
    if kind == "nobody-passes":
        assert "and 2 more" in finding.found.en


def test_answers_with_others_numbers(course: Course) -> None:
    """One finding for all; it names those with several, and only if names are asked for; data is pseudonymous too."""
    answers = [("ada", "Q3.a"), ("bo", "Q3.a"), ("bo", "Q3.n")]
    own, theirs = (("n", 3),), (("n", 5),)
    found = replace(
        class_statistics(CLASS),
        borrowed=tuple(BorrowedAnswer(who, item, "10", own, theirs, ("cy", "dee")) for who, item in answers),
    )
    for names, said in ((True, "others in the class: 3; learners with two or more of them: 1: bo."), (False, ": 1.")):
        (one,) = (
            each for each in statistics_view.findings(found, course, names=names) if each.kind == "others-numbers"
        )
        assert said in one.found.en and one.parts == ("Q3.a", "Q3.n")
    named, hidden = (
        to_json(statistics_view.as_data(found, course, names=names))["others_numbers"][2] for names in (True, False)
    )
    assert named == {"learner": "bo", "item": "Q3.n", "answer": "10", "own": {"n": 3}, "theirs": {"n": 5}} | {
        "sources": ["cy", "dee"],
        "signed": None,
    }
    assert hidden == named | {"learner": None, "sources": 2}


def test_what_hardly_anybody_gets_right(course: Course) -> None:
    """Is named, too; and where nothing is suspicious, that is said."""
    found = class_statistics(many(40, code=0))
    assert "hard" in [each.kind for each in statistics_view.findings(found, course)]
    quiet = replace(class_statistics([row("x", 1, 1, 4)]), misconceptions=())
    assert "Nothing here is suspicious." in shown(quiet, course)


def test_misconceptions_that_the_course_does_not_know(course: Course) -> None:
    """A bank may have changed since: what it no longer explains is counted all the same."""
    empty = replace(course, questions=())
    found = class_statistics(CLASS)
    assert "exp-is-enough (2×)" in shown(found, empty)
    assert "misconception" not in [each.kind for each in statistics_view.findings(found, empty)]
    assert "exp is enough" in render_html(found, empty, "en")


def test_what_nobody_has_begun(course: Course) -> None:
    """Is one line, not a row for each part."""
    found = class_statistics(CLASS)
    found = replace(
        found, questions=("Q3", "Q4"), parts=(*found.parts, PartStatistics("Q4.a", "Q4", "item", 6, 0, 0.0, None))
    )
    for text in (shown(found, course), render_html(found, course, "en")):
        assert "Nobody has started: Q4." in text
        assert "Q4.a" not in text


def test_what_waits_to_be_marked(course: Course) -> None:
    """Has been begun, and a dash where numbers will be."""
    open_part = PartStatistics("Q4.why", "Q4", "item", 0, 0, None, None)
    found = replace(class_statistics(CLASS), questions=("Q3", "Q4"))
    found = replace(found, parts=(*found.parts, open_part))
    for text in (shown(found, course), render_html(found, course, "en")):
        assert "Nobody has started" not in text
    assert re.search(r"Q4.why +– +–", shown(found, course))
    assert to_json(statistics_view.as_data(found, course))["parts"][-1]["difficulty"] is None


def test_more_misconceptions_than_fit(course: Course) -> None:
    """The terminal shows the most frequent, and says how many there are besides."""
    found = replace(class_statistics(CLASS), misconceptions=tuple(("Q3", f"m{n}", 99 - n) for n in range(12)))
    assert "and 2 more" in shown(found, course)
    assert "2 more" in render_html(found, course, "en")


def test_json_is_whole_and_pseudonymous(course: Course) -> None:
    """Every number is there, nobody's name unless asked for; rows stand in the order of points."""
    found = class_statistics(CLASS)
    data = json.loads(json.dumps(to_json(statistics_view.as_data(found, course))))
    assert data["names"] is None
    assert data["grid"] == [[1], [1], [0.5], [0.5], [0], [0]]
    assert to_json(statistics_view.as_data(found, course, names=True))["names"][:2] == ["a", "b"]
    first = data["parts"][0]
    assert first["answers"][:2] == [
        {"option": "a", "times": 3, "correct": True},
        {"option": "b", "times": 1, "correct": False},
    ]
    assert first["misconceptions"][0] == {"misconception": "adds", "times": 2, "truth": ADDS.truth.en}
    assert data["misconceptions"][0]["question"] == "Q3"
    assert data["checks"][0]["exercise"] == "softmax"
    assert {"kind", "parts", "found", "todo"} == set(data["findings"][0])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_stands_alone(course: Course, lang: Lang) -> None:
    """Whole elements, no script, nothing to load; one language is chosen and the other is there."""
    text = render_html(class_statistics(many(40)), course, lang)
    page = Parsed(lang)
    page.feed(text)
    assert not page.open
    assert not {tag for tag, _ in page.elements} & STRANGE
    assert not [name for _, having in page.elements for name in having if name.startswith("on") or name == "style"]
    assert not [having for _, having in page.elements if "src" in having or "href" in having]
    (policy,) = (having["content"] for tag, having in page.elements if having.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(text.split("<style>")[1].split("</style>")[0].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert ("Class statistics" in page.text, "班级统计" in page.text) == (lang == "en", lang == "zh")


def test_nobody_is_named_unless_asked_for(course: Course) -> None:
    """Rows have numbers; with names, hostile ones are escaped, and turned-round text is seen."""
    marks = [(replace(mark, learner=LearnerRow(HOSTILE, HOSTILE)), answers) for mark, answers in CLASS]
    found = class_statistics(marks)
    assert "script" not in render_html(found, course, "en")
    named = render_html(found, course, "en", names=True)
    assert "&lt;script&gt;" in named
    assert "<script" not in named
    assert "‮" not in named


def test_a_large_class_is_drawn_small(course: Course) -> None:
    """A row of the map stands for several learners; a suspicious part has its name in the picture."""
    found = replace(class_statistics(many(450)), negative=("Q3.a", "softmax"))
    page = render_html(found, course, "en")
    assert "Each row is the mean of 3 learners" in page
    assert ">448–450<" in page or ">1–3<" in page
    assert 'class="named' in page
    assert len(page) < 100_000


def test_pictures_that_have_nothing_to_show(course: Course) -> None:
    """Are left out: no discrimination, no question."""
    page = render_html(class_statistics(CLASS[:2]), course, "en")
    assert 'class="scatter"' not in page
    assert 'class="map"' not in render_html(replace(class_statistics(CLASS), questions=()), course, "en")
