"""``--pseudonyms``: nobody can be told from an export, and exports of one gradebook agree."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom.gradebook import LearnerRow
from grader.core.errors import UsageError
from grader.core.model import (
    Diagnosis,
    Difference,
    ExerciseResult,
    ItemResult,
    Outcome,
    QuestionResult,
    Span,
    Status,
    Text,
    Verdict,
)
from grader.instructor.export import _pseudonyms

if TYPE_CHECKING:
    from conftest import Made

#: Whatever tells of somebody: names, keys, files, answers, what was said about them, when.
TELLING = (
    "ada", "bo.py", "lovelace", "bø", "canvas-", "because", "my-own-words", "my reason", "invented", "/work",
    "valueerror", "not python", "2026-11", '"section": "a"',
)  # fmt: skip


def texts(path: Path) -> str:
    """All that an export says, with the names of its files."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return "\n".join(file.name + "\n" + file.read_text(encoding="utf-8") for file in files).lower()


@pytest.mark.parametrize(
    ("name", "options"),
    [("json", {}), ("csv", {}), ("csv", {"checks": True}), ("gradescope", {}), ("junit", {}), ("html", {})],
)
def test_nothing_tells_who_it_is(small: Made, tmp_path: Path, name: str, options: dict[str, bool]) -> None:
    """In any format: only pseudonyms, points, statuses and misconceptions are left."""
    found = texts(small.export(name, tmp_path / "out", pseudonyms=True, **options))
    assert re.search(r"p[0-9a-f]{12}", found)
    found = re.sub(r"\bp[0-9a-f]{12}\b", "", found)  # drawn at random: one may well have "ada" in it
    assert [word for word in TELLING if word in found] == []


OWN = Text("my-own-words", "my-own-words")
#: What learners wrote, chose or caused, in every field that can hold it.
WRITTEN = QuestionResult(
    "Q5",
    Text("Attention", "注意力"),
    (ItemResult("Q5.size", "formula", Status.FAILED, 0, 1, OWN, "no-scaling", "my-own-words", given="my-own-words"),),
    (
        ExerciseResult(
            "attention",
            Status.FAILED,
            0,
            1,
            (
                Outcome(
                    "values",
                    "basic",
                    "public",
                    Verdict(
                        Status.FAILED,
                        OWN,
                        Difference((0,), "my-own-words", "1", 1, 2),
                        OWN,
                        "no-scaling",
                        printed="my-own-words",
                    ),
                    0,
                    1,
                ),
            ),
            OWN,
            "no-scaling",
            "my-own-words.py",
            "torch",
            (OWN,),
            (Diagnosis("place", OWN, "no-scaling", Span("my-own-words.py", 1, 1, 0, 5, "my-own-words")),),
        ),
    ),
)


def test_every_field_that_can_quote_a_learner_is_left_out() -> None:
    """Whether a format of today shows it or not. A field that is added to a result joins ``WRITTEN``."""
    assert _unset(WRITTEN) == []
    kept = repr(_pseudonyms._silent(WRITTEN))
    assert "my-own-words" not in kept
    assert kept.count("no-scaling") == 3


def _unset(value: object) -> list[str]:
    """The fields in ``value`` that nothing is filled into."""
    if isinstance(value, tuple):
        return [name for entry in value for name in _unset(entry)]
    if not is_dataclass(value) or isinstance(value, type):
        return []
    held = {each.name: getattr(value, each.name) for each in fields(value)}
    empty = [f"{type(value).__name__}.{name}" for name, entry in held.items() if entry in (None, "", ())]
    return empty + [name for entry in held.values() for name in _unset(entry)]


def test_points_stay_what_they_are(small: Made, tmp_path: Path) -> None:
    """Lateness and points by hand count, though they are not told."""
    plain = json.loads(small.export("json", tmp_path / "plain.json").read_text(encoding="utf-8"))
    hidden = json.loads(small.export("json", tmp_path / "hidden.json", pseudonyms=True).read_text(encoding="utf-8"))
    assert sorted(mark["earned"] for mark in plain["marks"]) == sorted(mark["earned"] for mark in hidden["marks"])
    assert "no-scaling" in json.dumps(hidden)


def test_exports_agree(small: Made, tmp_path: Path) -> None:
    """The key stays in the gradebook: the same learner has the same pseudonym in every format."""
    first = small.export("json", tmp_path / "1.json", pseudonyms=True)
    assert first.read_bytes() == small.export("json", tmp_path / "2.json", pseudonyms=True).read_bytes()
    table = small.export("csv", tmp_path / "class.csv", pseudonyms=True)
    ids = [mark["learner"] for mark in json.loads(first.read_text(encoding="utf-8"))["marks"]]
    assert [line.split(",")[0].strip('"') for line in table.read_text(encoding="utf-8").splitlines()[1:]] == ids


def test_gradebooks_cannot_be_joined(small: Made, tmp_path: Path) -> None:
    """Another gradebook has another key."""
    first = small.export("csv", tmp_path / "1.csv", pseudonyms=True).read_text(encoding="utf-8")
    small.change(lambda book: book.gradebook.remember("pseudonyms", "00" * 32))
    assert small.export("csv", tmp_path / "2.csv", pseudonyms=True).read_text(encoding="utf-8") != first


def test_the_order_tells_nothing(made: Made, tmp_path: Path) -> None:
    """Learners stand in the order of their pseudonyms, not of the alphabet."""
    made.fill(*((LearnerRow(f"s{at:02}", ""), None, False, 0.0) for at in range(12)))
    lines = made.export("csv", tmp_path / "1.csv", pseudonyms=True).read_text(encoding="utf-8").splitlines()[1:]
    assert lines == sorted(lines)


def test_one_learner(small: Made, tmp_path: Path) -> None:
    """Is asked for by pseudonym: who knows it has no need of the name."""
    table = small.export("csv", tmp_path / "1.csv", pseudonyms=True).read_text(encoding="utf-8")
    name = table.splitlines()[1].split(",")[0].strip('"')
    found = small.export("json", tmp_path / "x", learner=name, pseudonyms=True).read_text(encoding="utf-8")
    assert [mark["learner"] for mark in json.loads(found)["marks"]] == [name]


def test_what_belongs_to_nobody(small: Made, tmp_path: Path) -> None:
    """Has a pseudonym, too."""
    small.change(lambda book: book.gradebook._connection.execute("DELETE FROM member"))
    found = json.loads(small.export("json", tmp_path / "x", pseudonyms=True).read_text(encoding="utf-8"))
    assert len(found["unmatched"]) == 3
    assert "canvas" not in json.dumps(found)


@pytest.mark.parametrize("name", ["canvas", "moodle"])
def test_not_where_names_are_needed(small: Made, tmp_path: Path, name: str) -> None:
    """A course system has to know whose grades these are."""
    with pytest.raises(
        UsageError, match=f"--pseudonyms cannot be used with {name}; it works with csv, gradescope, html"
    ):
        small.export(name, tmp_path / "x", pseudonyms=True)
