"""The report as a page: what it says, that it works everywhere, and that nothing of a learner's works in it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from grader.core.model import (
    ArrayComparison,
    Course,
    Difference,
    Item,
    ItemResult,
    Lang,
    Notice,
    Outcome,
    Report,
    Status,
    Text,
    Verdict,
)
from grader.course.items.choice import Option
from grader.course.items.choice import Spec as Choice
from grader.course.items.text import Spec as OwnWords
from grader.report.html import SectionCache, brief, render, render_part, visible
from tests.report.test_terminal import changed

VOID = {"meta", "input", "br", "wbr"}
#: Elements that a page for reading has no use for.
STRANGE = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "audio", "video", "foreignobject"}


@dataclass
class Page(HTMLParser):
    """What a browser makes of a page: elements with their attributes, and text by language."""

    lang: Lang = "en"
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    open: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An empty element of an SVG."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """An element ends: the one that was opened last."""
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        """Text, unless it is in the other language."""
        tags, classes = {tag for tag, _ in self.open}, {name for _, name in self.open}
        if not tags & {"style", "title"} and ("zh" if self.lang == "en" else "en") not in classes:
            self.text += data


def read(page: str, lang: Lang = "en") -> Page:
    """Parses a page to its end."""
    parsed = Page(lang)
    parsed.feed(page)
    parsed.close()
    assert parsed.open == []
    return parsed


def said(page: str, lang: Lang = "en") -> str:
    """What a reader reads in one language, blanks as one."""
    return " ".join(read(page, lang).text.split())


def shown(**more: object) -> ArrayComparison:
    """Attention weights, the first of them wrong."""
    right = np.array([[0.5, 0.5], [0.25, 0.75]])
    wrong = np.array([[0.9, 0.1], [0.25, 0.75]])
    fields = {
        "exercise": "scaled_dot_product_attention",
        "case": "basic",
        "what": "weights",
        "expected": right,
        "actual": wrong,
        "difference": Difference((0, 0), "0.5", "0.9", 2, 4),
        "masks": (("mask", np.array([[True, False]])),),
    }
    return ArrayComparison(**fields | more)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------ the page


@pytest.mark.parametrize(
    "words",
    [
        "ada 5 of 21 points submitted 2 h 1 min late",
        "Q5 Scaled dot-product attention 5 of 21 points",
        "Q5.output ✗ not correct yet 0 of 1 What comes out? The output is a weighted mean of the values.",
        "→ What shape do the values have?",
        "not answered: Q5.scale",
        "Fix this first (values, case “basic”): The values differ. at [0, 2, 1]: expected 0.25, got 0.5 · 24 of "
        "120 entries differ Scores are divided by the square root of d_k. → What happens to the softmax as d_k grows?",
        "q05.py · tested with NumPy arrays",
        "The result has dtype float64.",
        "1 of 4 checks passed",
        "more keys than queries hidden ✗ not correct yet 0 of 4",
        "gradients basic – does not apply –",
        "Points decided by hidden cases: 4 of 7.",
        "Fix this first (values, hidden case “more keys than queries”): The values differ there too.",
        "uniform_attention – not found 0 of 4 Not defined anywhere.",
        "Please note notes.txt: This file was not read.",
        "Not attempted: Q1–Q3, Q6",
        "Sandbox seccomp, landlock-7 Seed public",
        "attncheck 0.0.9, torch 2.13.0",
    ],
)
def test_says(words: str, report: Report, course: Course) -> None:
    """Everything a learner or an instructor looks for has its place."""
    assert words in said(render(report, course, "en"))


def test_says_it_in_chinese(report: Report, course: Course) -> None:
    """Both languages are in the page, whichever comes first."""
    for lang in ("en", "zh"):
        words = said(render(report, course, lang), "zh")
        assert "先改这里（数值，用例“基本的例子”）： 数值不同。 [0, 2, 1] 处：应为 0.25，实际为 0.5" in words
        assert "数值 键比查询多 隐藏" in words
        assert "缩放点积注意力" in words
        assert "Scaled" not in words


@pytest.mark.parametrize(("lang", "first", "code"), [("en", "english", "en"), ("zh", "chinese", "zh-Hans")])
def test_the_first_language(lang: Lang, first: str, code: str, report: Report, course: Course) -> None:
    """``--lang`` decides what is seen first; the other language is one key or tap away, without a script."""
    elements = read(render(report, course, lang)).elements
    buttons = [attrs for tag, attrs in elements if tag == "input"]
    assert [each["id"] for each in buttons if "checked" in each] == [first]
    assert [each["type"] for each in buttons] == ["radio", "radio"]
    assert {attrs.get("for") for tag, attrs in elements if tag == "label"} == {"english", "chinese"}
    assert elements[0] == ("html", {"lang": code})
    alone = read(render(report, replace(course, languages=("zh",)), lang)).elements
    assert ("p", {"class": "switch", "hidden": None}) in alone and alone[0] == ("html", {"lang": "zh-Hans"})


def test_every_sentence_has_its_twin(report: Report, course: Course) -> None:
    """What is said in one language is said in the other, and marked as such for readers that speak."""
    elements = read(render(report, course, "en", [shown()])).elements
    spans = Counter((attrs["class"], attrs.get("lang")) for _, attrs in elements if attrs.get("class") in ("en", "zh"))
    assert set(spans) == {("en", "en"), ("zh", "zh-Hans")}
    assert len(set(spans.values())) == 1


@pytest.mark.parametrize("status", Status)
def test_statuses_are_told_without_colour(status: Status, report: Report, course: Course) -> None:
    """Every status has a sign and a word."""
    (question,) = report.questions
    item = replace(question.items[0], status=status)
    page = said(render(replace(report, questions=(replace(question, items=(item,), exercises=()),)), course, "en"))
    sign = {Status.PASSED: "✓", Status.PENDING: "…", Status.UNMARKED: "!", Status.SKIPPED: "–"}.get(status, "✗")
    words = {Status.PASSED: "passed", Status.PENDING: "needs manual grading", Status.UNMARKED: "could not be graded"}
    expected = "not answered: Q5.shape" if status is Status.MISSING else f"{sign} {words.get(status, '')}"
    assert expected in page


def test_headings_have_an_order(report: Report, course: Course) -> None:
    """One first heading, and no level left out on the way down."""
    levels = [int(tag[1]) for tag, _ in read(render(report, course, "en")).elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_ids_and_links_agree(report: Report, course: Course) -> None:
    """Names of places are unique; links lead to places of the page, and nowhere else."""
    (question,) = report.questions
    two = replace(report, questions=(question, replace(question, id="Q6", items=(), exercises=())))
    elements = read(render(two, course, "en")).elements
    ids = [attrs["id"] for _, attrs in elements if "id" in attrs]
    links = [attrs["href"] or "" for _, attrs in elements if "href" in attrs]
    assert len(ids) == len(set(ids))
    assert {"#Q5", "#Q6", "#Q5.scale"} == set(links)
    assert 'href="/items/Q5.scale"' in render_part(report, course, "en", style=False)
    assert {link[1:] for link in links} <= set(ids)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"unsafe": True}, "ran WITHOUT a sandbox"),
        ({"layers": ()}, "No code was run"),
        ({"questions": ()}, "0 of 0 points"),
        ({"late_by_seconds": None, "notices": (), "not_attempted": ()}, "ada 5 of 21 points Q5"),
    ],
)
def test_other_reports(change: dict[str, object], words: str, report: Report, course: Course) -> None:
    """What is missing or unusual is said, and leaves no hole."""
    assert words in said(render(replace(report, **change), course, "en"))  # type: ignore[arg-type]


def test_what_was_left_out_comes_first(report: Report, course: Course) -> None:
    """In the head of the page, and once; other notices stay in its foot."""
    left_out = Notice("answers.yaml", Text("Nobody can read this.", "读不懂。"), urgent=True)
    urgent = replace(report, notices=(left_out, Notice("notes.txt", Text("Not read.", "没有读取。"))))
    text = said(render(urgent, course, "en"))
    assert text.count("Nobody can read this.") == 1
    assert text.index("Nobody can read this.") < text.index("Q5.output") < text.index("notes.txt")


def test_all_passed(report: Report, course: Course) -> None:
    """There is a word of praise, and nothing to mend."""
    page = said(render(changed(report, items=report.questions[0].items[:1], exercises=()), course, "en"))
    assert "Everything is correct. Well done!" in page
    assert "mend" not in page


def test_incomplete(report: Report, course: Course) -> None:
    """What could not be graded is said at the top."""
    item = replace(report.questions[0].items[0], status=Status.UNMARKED)
    page = said(render(changed(report, items=(item,)), course, "en"))
    assert "It does not count for or against you" in page


def test_a_skipped_exercise_says_why(report: Report, course: Course) -> None:
    """An exercise that was not run has a message and no table."""
    first = report.questions[0].exercises[0]
    skipped = replace(first, status=Status.SKIPPED, message=Text("No time was left.", "没有时间了。"))
    page = said(render(changed(report, exercises=(skipped,)), course, "en"))
    assert "No time was left." in page
    assert "checks passed" not in page


def test_a_message_that_is_the_truth_is_said_once(report: Report, course: Course) -> None:
    """Grading may put the misconception's truth into the message; the page does not repeat it."""
    truth = course.questions[0].misconceptions[1].truth
    item = replace(report.questions[0].items[1], message=truth)
    page = render(changed(report, items=(item,), exercises=()), course, "en")
    assert page.count(truth.en) == 1


def test_numbers_of_the_learner(report: Report, course: Course) -> None:
    """What an item asks is shown with the numbers that this learner had."""

    @dataclass(frozen=True)
    class Spec:
        draw: dict[str, tuple[int, ...]]

    (question,) = course.questions
    item = Item("Q5.output", "number", Text("With d = {d}?", "d = {d} 时？"), 1, "graded", Spec({"d": (7,)}))
    page = said(render(report, replace(course, questions=(replace(question, items=(item,)),)), "en"))
    assert "With d = 7?" in page


def test_sections_made_before(report: Report, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class's pages are as if each were made alone, and a section that several learners have is made once.

    Sections with drawn numbers, with links to items that are on one page only, or in a learners' edition are apart.
    """

    @dataclass(frozen=True)
    class Spec:
        draw: dict[str, tuple[int, ...]]

    (asked,) = course.questions
    drawing = Item(
        "Q5.output", "number", Text("With d = {d}?", "d = {d} 时？"), 1, "graded", Spec({"d": tuple(range(50))})
    )
    drawn = replace(course, questions=(replace(asked, items=(drawing, *asked.items[1:])),))
    fewer = replace(report.questions[0], items=())
    pages = [
        report,
        replace(report, learner="ben"),
        replace(report, edition=True),
        replace(report, questions=(*report.questions, replace(fewer, id="Q6"))),
        replace(report, questions=(fewer,)),
    ]
    for of in (course, drawn):
        sections = SectionCache(1 << 20)
        assert [render(page, of, "en", sections=sections) for page in pages] == [
            render(page, of, "en") for page in pages
        ]
    sections, kept = SectionCache(1 << 20), []
    monkeypatch.setattr(sections, "put", lambda *made, put=sections.put: (kept.append(made), put(*made)))
    for page in pages[:2]:
        render(page, course, "en", sections=sections)
    assert len(kept) == len(report.questions)


# -------------------------------------------------------------------------------------- the pictures


@pytest.mark.parametrize(
    ("change", "sealed", "shown"),
    [
        ({}, False, True),
        ({"status": Status.PASSED}, False, True),
        ({}, True, False),
        ({"status": Status.MISSING}, False, False),
        ({"status": Status.FAILED, "readable": False}, False, False),
    ],
)
def test_own_words_are_compared_with_key_points(
    change: dict[str, object], sealed: bool, shown: bool, report: Report, course: Course
) -> None:
    """Where a person marks an answer, the learner sees the model answer and its key points; not in a sealed edition."""
    points = (Text("Point <one>.", "第一点。"), Text("Point two.", "第二点。"))
    spec = OwnWords(points, Text("The model answer.", "参考答案全文。"))
    own = Item("Q5.why", "text", Text("Why?", "为什么？"), spec=spec, sealed=sealed)
    known = replace(course, questions=(replace(course.questions[0], items=(own,)),))
    result = replace(ItemResult("Q5.why", "text", Status.PENDING, 0, 1), **change)  # type: ignore[arg-type]
    page = render(replace(report, questions=(replace(report.questions[0], items=(result,)),)), known, "en")
    for lang, parts in (("en", ("The model answer.", "Point <one>.")), ("zh", ("参考答案全文。", "第一点。"))):
        assert [part in read(page, lang).text for part in parts] == [shown] * 2  # type: ignore[arg-type]
    assert ("could not be read" in read(page).text) is (not result.readable)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("b", "Your answer b: Means"),
        ("1/<2>", "Your answer 1/<2>"),
        ("\u202eabc", "Your answer ⟨U+202E⟩abc"),
        (None, ""),
    ],
)
def test_the_learners_answer(given: str | None, said: str, report: Report, course: Course) -> None:
    """Next to what is said about it, with the words of the option; harmless, and nothing if it is not known."""
    spec = Choice((Option("a", Text("Scores", "得分")), Option("b", Text("Means", "平均"), correct=True)))
    item = Item("Q5.why", "choice", Text("Why?", "为什么？"), spec=spec)
    known = replace(course, questions=(replace(course.questions[0], items=(item,)),))
    result = ItemResult("Q5.why", "choice", Status.FAILED, 0, 1, given=given)
    page = render(replace(report, questions=(replace(report.questions[0], items=(result,)),)), known, "en")
    assert said in " ".join(read(page).text.split())
    assert ("Your answer" in read(page).text) is (given is not None)


def test_pictures(report: Report, course: Course) -> None:
    """The learner's array stands beside the expected one, with what they are in words."""
    page = render(report, course, "en", [shown(), shown(case="other", what="result", difference=None, actual=[])][:1])
    words = said(page)
    assert "Attention weights, case “basic” ✗ differs at [0, 0]: expected 0.5, got 0.9 · 2 of 4 entries" in words
    assert "Expected shape (2, 2), 0.25 to 0.75 Yours shape (2, 2), 0.1 to 0.9" in words
    assert "0 0.9 first difference" in words
    assert "mask (input) True False" in words
    elements = read(page).elements
    assert [("open" in attrs) for tag, attrs in elements if attrs.get("class") == "picture"] == [True]
    assert all(attrs.get("aria-hidden") == "true" for tag, attrs in elements if tag == "svg")


@pytest.mark.parametrize(
    ("more", "words", "is_open"),
    [
        ({"difference": None, "actual": np.ones((2, 2)), "expected": np.ones((2, 2))}, "✓ no difference", False),
        ({"difference": None, "actual": np.ones((3, 2))}, "✗ differs The shapes differ.", True),
        ({"what": "result"}, "Result, case “basic” ✗ differs", True),
        ({"expected": np.eye(2) > 0, "actual": np.eye(2) < 1}, "True False first difference", True),
        ({"actual": np.full((2, 30), np.nan), "expected": np.ones((2, 30))}, "✕ NaN", True),
        ({"actual": np.ones((2, 100)), "expected": np.ones((2, 100)), "difference": None}, "columns 0 to 63", False),
    ],
)
def test_other_pictures(more: dict[str, object], words: str, is_open: bool, report: Report, course: Course) -> None:
    """What differs is open; what does not waits folded up."""
    page = render(report, course, "en", [shown(**more)])
    assert words in said(page)
    assert [("open" in attrs) for _, attrs in read(page).elements if attrs.get("class") == "picture"] == [is_open]


# ---------------------------------------------------------------------------------------- the safety


def written_by_a_learner(report: Report, text: str) -> Report:
    """The report with ``text`` wherever a learner's words may stand."""
    both = Text(text, text)
    (question,) = report.questions
    worst = Verdict(Status.RAISED, both, Difference((1,), text, text, 2, 3), remark=both)
    exercise = replace(
        question.exercises[0],
        outcomes=(Outcome("values", "basic", "public", worst, 0, 7), *question.exercises[0].outcomes[1:]),
        message=both,
        misconception=None,
        file=text,
        remarks=(both, both),
    )
    items = tuple(replace(item, message=both, misconception=None) for item in question.items)
    return replace(
        report,
        learner=text,
        questions=(replace(question, items=items, exercises=(exercise, *question.exercises[1:])),),
        notices=(Notice(text, both),),
    )


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "attribute": "' autofocus onfocus='alert(1)",
    "style": "</style><style>*{display:none}",
    "title": "</title><script>alert(1)</script>",
    "comment": "--><!-- <!doctype svg> <![CDATA[",
    "svg": "<svg/onload=alert(1)><foreignObject>",
    "link": "javascript:alert(1)",
    "template": "{{ 7 * 7 }} {% include '/etc/passwd' %} {# gone #}",
    "entity": "&lt;b&gt; &#60;script&#62; &NotAnEntity; &",
    "bidi": "gpj\u202egnp.exe\u2066\u2069\u200f",
    "controls": "a\x00b\x08c\x1b[31m\x1b]0;title\x07d\x7f\x85\u2028",
    "surrogate": "a\ud800b\udfff\ufffe\U0010ffff",
    "invisible": "pass\u200bword\u00ad\ufeff\U000e0041",
    "long": "<b>x" * 250_000,
    "wide": "﷽" * 3000,
    "lines": "\n".join("<p>" for _ in range(3000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_words_of_learners_stay_words(name: str, report: Report, course: Course) -> None:
    """Whatever they are, the page has the very elements and attributes that it has for harmless words."""
    harmless = read(render(written_by_a_learner(report, "word"), course, "en", [shown()]))
    page = render(written_by_a_learner(report, HOSTILE[name]), course, "en", [shown()])
    assert read(page).elements == harmless.elements
    assert len(page) < 300_000
    page.encode()  # no surrogate is left


@pytest.mark.parametrize("name", ["bidi", "controls", "surrogate", "invisible"])
def test_characters_that_work_in_secret_are_seen(name: str, report: Report, course: Course) -> None:
    """None of them is left in the page: each is shown by its number."""
    page = render(written_by_a_learner(report, HOSTILE[name]), course, "en")
    assert not [char for char in page if not char.isprintable() and char != "\n"]
    for char in HOSTILE[name]:
        assert char.isprintable() or char.isspace() or f"⟨U+{ord(char):04X}⟩" in page


def test_only_our_style_sheet_works(report: Report, course: Course) -> None:
    """The policy names the style sheet of the page by its digest; there is nothing else that it could allow."""
    page = render(report, course, "en", [shown()])
    style = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style[0].encode()).digest()).decode()
    elements = read(page).elements
    policies = [attrs["content"] for _, attrs in elements if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policies == [f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"]
    assert not {tag for tag, _ in elements} & STRANGE
    names = {name for _, attrs in elements for name in attrs}
    assert not [name for name in names if name.startswith("on") or name in ("src", "style", "srcset", "xlink:href")]
    assert not re.search(r"@import|url\(|expression|https?:", style[0])


def test_hidden_values_stay_hidden(report: Report, course: Course) -> None:
    """Neither expected nor actual values of a hidden case are in the page, nor its message in the table."""
    page = render(changed(report, exercises=report.questions[0].exercises[:1]), course, "en")
    assert "more keys than queries" in page
    assert not [text for text in ("7.125", "8.375", "The values differ there too.") if text in page]


def test_a_hidden_case_names_the_misconception(report: Report, course: Course) -> None:
    """What a hidden case may say is the belief behind its failure."""
    first = report.questions[0].exercises[1]
    verdict = Verdict(Status.FAILED, Text("secret", "秘密"), misconception="no-scaling")
    public = replace(first.outcomes[0], verdict=Verdict(Status.FAILED, Text("open", "公开")))
    hidden = replace(first.outcomes[1], verdict=verdict)
    page = render(changed(report, exercises=(replace(first, outcomes=(public, hidden)),), items=()), course, "en")
    assert "secret" not in page
    assert "Scores are divided by the square root of d_k." in said(page)


@pytest.mark.parametrize(
    ("text", "seen"),
    [("plain 文字 é", "plain 文字 é"), ("a\tb\n", "a\tb\n"), ("\x1b[1m", "⟨U+001B⟩[1m"), ("\u202e", "⟨U+202E⟩")],
)
def test_visible(text: str, seen: str) -> None:
    """Blanks and letters of any script stay; the rest becomes a sign."""
    assert visible(text) == seen


def test_brief() -> None:
    """Names are one line, and not long."""
    assert brief("a\nb\x00") == "a b⟨U+0000⟩"
    assert len(brief("x" * 1000)) == 80


def test_a_stub_is_not_explained(stub: Report, course: Course) -> None:
    """Its status says where to write; there is nothing to fix first."""
    page = said(render(stub, course, "en"))
    assert "soft_lookup – not written yet at q05.py, line 9 0 of 7" in page
    assert "Fix this first" not in page


def test_names_are_whole(report: Report, course: Course) -> None:
    """In the title and the heading."""
    name = "a" * 150
    assert render(replace(report, learner=name), course, "en").count(name) == 2
