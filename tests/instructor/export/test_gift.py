"""Quiz items for Moodle, in GIFT."""

from __future__ import annotations

from pathlib import Path

from tests.instructor.export.quiz_course import STRANGE, gift, make, plain


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
