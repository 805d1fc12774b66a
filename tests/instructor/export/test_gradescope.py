"""``export gradescope``: results.json as Gradescope documents it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from grader.core.errors import UsageError
from tests.tiny import give

if TYPE_CHECKING:
    from conftest import Made


VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
#: What Gradescope's documentation says of the file, and nothing besides.
SCHEMA = {
    "type": "object",
    "required": ["tests", "score"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string", "pattern": "^[^\n]+$"},
                    "name_format": FORMAT,
                    "number": {"type": "string", "pattern": r"^\d+\.\d+$"},
                    "output": {"type": "string"},
                    "output_format": FORMAT,
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": VISIBILITY,
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}


def read(path: Path) -> dict[str, Any]:
    """The file, which keeps to the format."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(found, SCHEMA)
    return found


def test_one_file_for_each_who_handed_in(small: Made, tmp_path: Path) -> None:
    """Every one of them valid; who handed in nothing has none."""
    folder = small.export("gradescope", tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["ada.json", "bo.json", "dee.json"]
    for path in folder.iterdir():
        read(path)


def test_what_is_in_it(small: Made, tmp_path: Path) -> None:
    """The score is what counts; points by hand take the place of those earned; tests are numbered by question."""
    found = read(small.export("gradescope", tmp_path / "ada.json", learner="ada"))
    assert found["score"] == 5.4
    assert found["output"].startswith("Gradescope shows the results of answers and hidden cases after the due date")
    assert found["extra_data"]["sandbox"] == {"layers": ["seccomp", "rlimits"], "unsafe": False}
    assert found["extra_data"]["submission"] == "canvas-11"
    assert [(test["number"], test["name"]) for test in found["tests"]] == [
        ("5.1", "Q5.output"),
        ("5.2", "Q5.size"),
        ("5.3", "Q5.why"),
        ("5.4", "attention: values, basic"),
        ("5.5", "attention: values, more keys"),
        ("6.1", "lookup"),
    ]
    given = found["tests"][1]
    assert (given["score"], given["max_score"]) == (1, 1)
    assert "given by the instructor" in given["output"]


@pytest.mark.parametrize(
    ("rule", "visibility"), [("always", "visible"), ("after-due", "after_due_date"), ("never", "hidden")]
)
def test_when_hidden_cases_are_seen(small: Made, tmp_path: Path, rule: str, visibility: str) -> None:
    """As the course decides, like the results of answers; hidden cases say no more than a verdict and a truth."""
    small.course = replace(small.course, rules=replace(small.course.rules, hidden_results=rule))  # type: ignore[arg-type]
    found = read(small.export("gradescope", tmp_path / "bo.json", learner="bo"))
    item, public, hidden = found["tests"][0], *found["tests"][3:5]
    assert (item["visibility"], public["visibility"], hidden["visibility"]) == (visibility, "visible", visibility)
    assert "raised ValueError" in public["output"]
    assert hidden["output"] == "not correct yet\nDivide by √d_k."
    assert "0.123456" not in json.dumps(found)


def test_points_in_words(small: Made, tmp_path: Path) -> None:
    """Only where everything is shown at once: else they would tell what hidden cases found."""
    small.course = replace(small.course, rules=replace(small.course.rules, hidden_results="always"))
    ada = read(small.export("gradescope", tmp_path / "ada.json", learner="ada"))
    assert ada["output"].splitlines()[:3] == [
        "5.4 of 10 points",
        "6 points; after deductions for lateness and further attempts, 90 % of them count: 5.4.",
        "Q5: 6 of 7",
    ]
    bo = read(small.export("gradescope", tmp_path / "bo.json", learner="bo"))
    assert "attention: raised ValueError: bo" in bo["output"]
    assert "bo.txt: not read" in bo["output"]


def test_what_happened_to_the_grading_is_said(small: Made, tmp_path: Path) -> None:
    """Without a sandbox, or with something that could not be graded through a fault of ours."""

    small.change(lambda book: book.gradebook._connection.execute("UPDATE setting SET unsafe = 1"))
    small.reword('"missing"', '"unmarked"')
    found = read(small.export("gradescope", tmp_path / "ada.json", learner="ada"))
    assert "ran WITHOUT a sandbox" in found["output"]
    assert "Something could not be graded" in found["output"]
    assert found["extra_data"]["complete"] is False


def test_an_exercise_with_points_by_hand(small: Made, tmp_path: Path) -> None:
    """Its checks say their verdicts, and give no points any more."""
    small.change(
        lambda book: give(book.gradebook, replace(book.gradebook.overrides()[0], part="attention", points=2.5))
    )
    found = read(small.export("gradescope", tmp_path / "ada.json", learner="ada"))
    given, basic = found["tests"][3:5]
    assert (given["name"], given["score"], given["status"]) == ("attention", 2.5, "failed")
    assert "score" not in basic
    assert found["score"] == pytest.approx(0.9 * 4.5)


def test_what_could_not_be_read(small: Made, tmp_path: Path) -> None:
    """Says so, without the paths of the instructor's machine."""
    found = read(small.export("gradescope", tmp_path / "dee.json", learner="dee"))
    assert (found["score"], found["tests"]) == (0, [])
    assert found["output"] == "This submission could not be graded: canvas-14: not Python"


@pytest.mark.parametrize(("learner", "said"), [("cy", "has not submitted anything"), ("zoe", "no learner")])
def test_nobody_to_export(small: Made, tmp_path: Path, learner: str, said: str) -> None:
    """Is said."""
    with pytest.raises(UsageError, match=said):
        small.export("gradescope", tmp_path / "out.json", learner=learner)


def test_hostile_names(hostile: Made, tmp_path: Path, names: tuple[str, ...]) -> None:
    """Each gets a file in the folder itself, and what they wrote is printable text."""
    folder = hostile.export("gradescope", tmp_path / "out")
    assert len(list(folder.iterdir())) == len(names)
    assert not [path for path in tmp_path.iterdir() if path.name not in ("out", "results")]
    for path in folder.iterdir():
        text = json.dumps(read(path), ensure_ascii=False)
        assert not set("\x1b\u202e") & set(text)
        assert "\\u001b" not in text


def test_points_by_hand_without_anything_graded(by_hand: Made, tmp_path: Path) -> None:
    """Count, and are told."""
    folder = by_hand.export("gradescope", tmp_path / "out")
    for name, why in (("cy", "no submission"), ("dee", "could not be graded")):
        found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        jsonschema.validate(found, SCHEMA)
        assert found["score"] == 0.5
        assert why in found["output"]
        assert "Q5.why: Points given by the instructor: 0.5." in found["output"]


def test_where_points_come_from(small: Made, tmp_path: Path) -> None:
    """Question by question, with the version that graded, whatever version exports."""
    found = json.loads(small.export("gradescope", tmp_path / "bo.json", learner="bo").read_text(encoding="utf-8"))
    data = found["extra_data"]
    assert data["attncheck"] == data["provenance"]["Q6"]["versions"]["attncheck"] == "0.1.0"
    assert set(data["provenance"]) == {"Q5", "Q6"}
