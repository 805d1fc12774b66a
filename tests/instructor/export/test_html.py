"""``export html`` and ``export junit``: pages and documents for each learner."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from grader.classroom.gradebook import LearnerRow
from grader.classroom.marks import Mark
from grader.core.model import Diagnosis, ExerciseResult, Outcome, QuestionResult, Report, Rules, Status, Text, Verdict
from grader.course import items
from grader.instructor.mark_reports import visible_report

if TYPE_CHECKING:
    from conftest import Made

    from grader.classroom.results import Book


class Page(HTMLParser):
    """What a page holds: its tags, where its links lead, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        self.text += data


def test_an_index_and_a_page_for_each(small: Made, tmp_path: Path) -> None:
    """Everybody is in the index; who was graded has a page, with what counts."""
    folder = small.export("html", tmp_path / "site")
    assert sorted(path.name for path in folder.iterdir()) == ["ada.html", "bo.html", "index.html", "table.js"]
    index = Page(folder / "index.html")
    assert index.links == ["table.js", "ada.html", "bo.html"]
    text = " ".join(index.text.split())
    assert "3 of 4 learners submitted; mean 1.8 of 10 points." in text
    assert "Ada Lovelace ada A 5.4 / 10 3 h3 小时 graded; submitted 3 h late; answers still to mark: 1" in text
    assert "Cy cy – / 10 no submission没有提交 –– Dee dee – / 10" in text
    assert "canvas-14: not Python" in text
    ada = Page(folder / "ada.html")
    assert "Ada Lovelace" in ada.text
    assert "6 points; after deductions for lateness and further attempts, 90 % of them count" in ada.text
    assert "not answered" not in ada.text
    assert "How large for" in ada.text


def test_numbers_are_those_that_were_drawn(small: Made, tmp_path: Path) -> None:
    """For the name that was answered under, which may be a nickname, or that of another member of a group."""
    item = small.course.questions[0].items[1]
    drawn = {str(n): items.draw(item.spec, items.Context("test", str(n), item.id))["d"] for n in range(20)}
    assert set(drawn.values()) == {4, 8}
    for name in ("0", next(name for name in drawn if drawn[name] != drawn["0"])):

        def edit(book: Book, name: str = name) -> None:
            digest = next(row.digest for row in book.gradebook.submissions() if row.key == "canvas-11")
            for table in ("content", "submission"):
                book.gradebook._connection.execute(f"UPDATE {table} SET draws = ? WHERE digest = ?", (name, digest))

        small.change(edit)
        page = Page(small.export("html", tmp_path / name) / "ada.html").text
        assert f"How large for {drawn[name]}?" in page


def test_in_chinese(small: Made, tmp_path: Path) -> None:
    """The index as asked for; pages have both languages."""
    folder = small.export("html", tmp_path / "site", lang="zh")
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in text
    assert "4 人中有 3 人提交" in text
    assert "<title>全班成绩" in text


def test_pages_are_self_contained(hostile: Made, tmp_path: Path, names: tuple[str, ...]) -> None:
    """They load nothing and run nothing, whatever learners are called; links lead to pages that are there.

    Only the index has a script, a file of ours beside it.
    """
    folder = hostile.export("html", tmp_path / "site")
    pages = sorted(folder.glob("*.html"))
    assert len(pages) == len(names) + 1
    for path in pages:
        page = Page(path)
        text = path.read_text(encoding="utf-8")
        if path.name == "index.html":
            assert page.tags.count("script") == text.count('<script src="table.js" defer></script>') == 1
            page.tags.remove("script")
            assert "default-src &#39;none&#39;; script-src &#39;self&#39;; style-src &#39;sha256-" in text
        else:
            assert "default-src &#39;none&#39;; style-src &#39;sha256-" in text
        assert not {"script", "img", "iframe", "link", "b"} & set(page.tags)
        assert not [name for name in page.attributes if name.startswith("on")]
        assert not [link for link in page.links if ":" in unquote(link).partition("/")[0] or link.startswith("/")]
        assert "\x1b" not in page.text
        assert "\u202e" not in page.text
    links = [unquote(link) for link in Page(folder / "index.html").links]
    assert sorted(links) == sorted(path.name for path in folder.iterdir() if path.name != "index.html")


def test_one_page(small: Made, tmp_path: Path) -> None:
    """With --learner: the same page as one file."""
    folder = small.export("html", tmp_path / "site")
    alone = small.export("html", tmp_path / "ada.html", learner="ada")
    assert alone.read_text(encoding="utf-8") == (folder / "ada.html").read_text(encoding="utf-8")


def test_an_empty_class(made: Made, tmp_path: Path) -> None:
    """Has an index that says so."""
    made.fill()
    assert "Nobody has submitted anything." in Page(made.export("html", tmp_path / "site") / "index.html").text


@pytest.mark.parametrize(
    ("rule", "hours", "shown"), [("always", -1, True), ("after-due", 24 * 9 + 1, True), ("never", 1, False)]
)
def test_hidden_cases_are_shown_when_the_course_shows_them(
    rule: str, hours: float, shown: bool, small: Made, tmp_path: Path
) -> None:
    """Without them, only what they decide is told; public cases and points stay."""
    now = datetime.fromisoformat(small.course.rules.due or "") + timedelta(hours=hours)
    small.course = replace(small.course, rules=replace(small.course.rules, hidden_results=rule))  # type: ignore[arg-type]
    page = Page(small.export("html", tmp_path / "site", now=now) / "bo.html").text
    assert ("more keys" in page, "Their results are not shown." in page) == (shown, not shown)
    assert "basic" in page
    assert "Points decided by hidden cases: 2 of 4." in page
    document = ET.parse(small.export("junit", tmp_path / "bo.xml", learner="bo", now=now))
    cases = [case.get("name") for case in document.findall("testsuite[@name='Q5.attention']/testcase")]
    assert cases == ["values: basic", *(["values: more keys (hidden)"] if shown else []), "gradients: basic"]


def test_what_a_hidden_case_says_is_not_told_instead() -> None:
    """Where it is the first that fails, neither its message nor its misconception is shown."""
    rules = Rules(hidden_results="never")
    said = Text("secret", "秘密")
    good, bad = Verdict(Status.PASSED), Verdict(Status.FAILED, said, misconception="x")
    outcomes = (Outcome("values", "a", "public", good, 1, 1), Outcome("values", "b", "hidden", bad, 0, 1))
    why = tuple(Diagnosis(voice, said) for voice in ("mistake", "place", "relation", "condition"))
    result = ExerciseResult("f", Status.FAILED, 1, 2, outcomes, said, "x", diagnosis=why)
    whole = ExerciseResult("g", Status.PASSED, 1, 1, outcomes[:1])
    report = Report("ada", said, "d", "s", (QuestionResult("Q1", said, (), (result, whole)),), (), False, (), 0.0)
    mark = Mark(LearnerRow("ada", "Ada", "", 2.0), None, ())
    f, g = visible_report(report, mark, rules).questions[0].exercises
    assert (f.message, f.misconception, f.outcomes, f.earned, g) == (None, None, outcomes[:1], 1, whole)
    assert f.diagnosis == why[1:3], "the other two look at hidden cases, too"
    assert visible_report(report, mark, replace(rules, hidden_results="always")).questions is report.questions
    assert not visible_report(report, mark, replace(rules, hidden_results="always")).course_digest


@pytest.mark.parametrize("name", ["html", "junit"])
def test_files_have_names_that_any_system_can_keep(hostile: Made, tmp_path: Path, name: str) -> None:
    """No separators, no devices, no two that differ in case only."""
    found = [path.stem for path in hostile.export(name, tmp_path / "out").iterdir()]
    assert all(re.fullmatch(r"[\w.()\- @]+", stem) and stem.strip(". ") == stem for stem in found)
    assert "CON_" in found
    assert len({stem.casefold() for stem in found}) == len(found)


def test_points_by_hand_are_in_the_index(by_hand: Made, tmp_path: Path) -> None:
    """Also of those without a page, and it says who gave them."""
    index = (by_hand.export("html", tmp_path / "pages") / "index.html").read_text(encoding="utf-8")
    assert index.count("; includes points given by the instructor") == 2
    assert "–" not in index
