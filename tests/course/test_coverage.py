from __future__ import annotations

import pytest

from grader.core.model import Course, Edit, Exercise, Item, Misconception, Mistake, Question, Text
from grader.course import loader
from grader.course.items.choice import Option, Spec
from grader.course.misconceptions import coverage_of, markdown
from grader.grading import courses

T = Text("t", "题")


def belief(name: str, ask_next: str | None = None) -> Misconception:
    """A misconception."""
    return Misconception(name, T, T, ask_next)


def exercise(name: str, *beliefs: str) -> Exercise:
    """An exercise with a mistake for each belief."""
    mistakes = tuple(Mistake(each, (Edit(name, None, ""),), ("values",)) for each in beliefs)
    return Exercise(name, "function", "()", (), T, T, "m.f", 4.0, (), (), mistakes=mistakes)


def item(name: str, *beliefs: str) -> Item:
    """A choice with a wrong option for each belief."""
    wrong = tuple(Option(str(at), T, misconception=each) for at, each in enumerate(beliefs))
    return Item(name, "choice", T, 1.0, "graded", Spec((Option("r", T, correct=True), *wrong)))


Q1 = Question(
    "Q1",
    Text("First", "第一"),
    "g",
    T,
    "q01.yaml",
    misconceptions=(belief("a"), belief("b", "Q1.one"), belief("c"), belief("d")),
    items=(item("Q1.one", "a"), item("Q1.two", "a", "d")),
    exercises=(exercise("first", "a", "c"), exercise("second", "c")),
)
Q2 = Question(
    "Q2", Text("Second", "第二"), "g", T, "q02.yaml", misconceptions=(belief("d"),), items=(item("Q2.one", "d"),)
)
COURSE = Course(Text("Course", "课程"), "c", (("g", T),), (Q1, Q2), (), (), "", "")


def test_the_map_says_what_is_about_what() -> None:
    """Items by what they ask and by what leads to them, the question's own first; exercises by their mistakes."""
    found = {each.misconception.id: (each.items, each.exercises) for each in coverage_of(COURSE)[0].beliefs}
    assert found == {
        "a": (("Q1.one", "Q1.two"), ("first",)),
        "b": (("Q1.one",), ()),
        "c": ((), ("first", "second")),
        "d": (("Q1.two", "Q2.one"), ()),
    }
    assert coverage_of(COURSE)[0].exercises == (("first", ("Q1.one", "Q1.two")), ("second", ()))
    assert coverage_of(COURSE, [Q2])[0].beliefs[0].items == ("Q2.one", "Q1.two")


def test_a_page_in_both_languages() -> None:
    """A table for each question, and the sums."""
    page = markdown(COURSE, "en")
    assert "Course: 2 questions, 3 items, 2 exercises, 5 misconceptions." in page
    assert "| a | Q1.one, Q1.two | `first` |" in page
    assert "| c | – | `first`, `second` |" in page
    assert "`first` (Q1.one, Q1.two); `second` (–)" in page
    assert "## Q2 第二" in markdown(COURSE, "zh")


@pytest.fixture(scope="module")
def bundled() -> Course:
    """The bundled course."""
    return courses.load(loader.find(None))


def test_the_bundled_course_has_no_gap(bundled: Course) -> None:
    """Every misconception has an item that asks about it, every exercise one about the same idea."""
    for place in coverage_of(bundled):
        assert [each.misconception.id for each in place.beliefs if not each.items] == [], place.question.id
        assert [name for name, items in place.exercises if not items] == [], place.question.id
