"""Quiz items for Canvas, in QTI."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.instructor.export.quiz_course import QTI, STRANGE, conditions, feedback, fields, make, quiz


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
        "Q1.pairs": ("matching_question", "1"),
        "Q1.why": ("essay_question", "1"),
        "Q2.multi": ("multiple_answers_question", "0.5"),
    }
    assert "QTI has no matching question type: Q1.steps" in told
    items = {name: item for name, item in quiz(path).items.items() if name != "Q1.pairs"}  # which repeats its choices
    idents = [part.get("ident") for item in items.values() for part in item.iter(f"{QTI}response_label")]
    chosen = [ident for ident in idents if ident != "answer1"]
    assert len(chosen) == len(set(chosen)) == 10


def test_pairs(tmp_path: Path) -> None:
    """One choice for each left side, among all right sides, which have numbers; each right pair gives its share."""
    item = quiz(make("qti", tmp_path / "q.zip")[0]).items["Q1.pairs"]
    asked = {}
    for response in item.iter(f"{QTI}response_lid"):
        texts = [part.text for part in response.iter(f"{QTI}mattext")]
        labels = [part.get("ident") for part in response.iter(f"{QTI}response_label")]
        asked[response.get("ident")] = texts[0], dict(zip(labels, texts[1:], strict=True))
    found = []
    for inner, points, _ in conditions(item):
        chosen = inner.find(f"{QTI}varequal")
        if chosen is not None:
            left, rights = asked[chosen.get("respident")]
            found.append((left, rights[chosen.text], points))
    assert found == [("one = 1", "3", "33.33"), ("x -&gt; y", "2", "33.33"), ("three", "~1", "33.33")]
    assert all(sorted(map(str, rights.values())) == ["2", "3", "4", "~1"] for _, rights in asked.values())
    assert all(list(rights) == ["right_1", "right_2", "right_3", "right_4"] for _, rights in asked.values())


def test_choices_have_their_feedback(tmp_path: Path) -> None:
    """The right one gives the points; a wrong one shows what is true instead; strange signs are what they are."""
    item = quiz(make("qti", tmp_path / "q.zip")[0]).items["Q1.choice"]
    assert {link: points for _, points, link in conditions(item)} == {
        "general_fb": None, "option_a_fb": None, None: "100",
    }  # fmt: skip
    (right,) = (inner for inner, points, _ in conditions(item) if points)
    assert "".join(right.itertext()).strip() == "Q1_choice_b"
    escaped_html = STRANGE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert feedback(item) == {
        "general_fb": f"<p>because {escaped_html}</p>",
        "option_a_fb": f"<p>Truth {escaped_html}</p>",
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
