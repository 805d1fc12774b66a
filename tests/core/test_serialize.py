from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import pytest

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
from grader.core.serialize import Shown, ShownText, Unrounded, Written, dump, load, to_json

TEXT = Text("wrong", "不对")
VERDICT = Verdict(Status.FAILED, TEXT, Difference((0, 2), "1", "nan", 3, 6), misconception="no-scaling", applies=False)
RESULT = QuestionResult(
    "Q3",
    Text("Why?", "为什么？"),
    (
        ItemResult("Q3.size", "number", Status.PENDING, 0.0, 1.0),
        ItemResult("Q3.why", "choice", Status.PASSED, 1.0, 1.0),
    ),
    (
        ExerciseResult(
            "softmax",
            Status.TIMED_OUT,
            0.5,
            4.0,
            (Outcome("values", "basic", "public", VERDICT, 0.0, 4.0),),
            TEXT,
            None,
            "q03.py",
            "torch",
            (TEXT, TEXT),
            (
                Diagnosis("place", TEXT, span=Span("q03.py", 3, 4, 0, 9, "    return 键")),
                Diagnosis("mistake", TEXT, "no-scaling"),
            ),
        ),
    ),
)


def test_nothing_is_lost() -> None:
    """Through JSON and back a result is what it was, in both languages."""
    assert load(QuestionResult, json.loads(json.dumps(dump(RESULT)))) == RESULT


def test_results_from_before_there_was_a_diagnosis() -> None:
    """Load all the same, and so do those whose places have no source."""
    data = dump(RESULT)
    del data["exercises"][0]["diagnosis"][0]["span"]["source"]
    assert load(QuestionResult, data).exercises[0].diagnosis[0].span == Span("q03.py", 3, 4, 0, 9)
    del data["exercises"][0]["diagnosis"]
    assert load(QuestionResult, data).exercises[0].diagnosis == ()


def test_what_says_nothing_is_left_out() -> None:
    """Thousands of these are kept."""
    assert dump(Verdict(Status.PASSED)) == {"status": "passed"}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"id": "Q3"},
        {"id": 3, "title": {"en": "", "zh": ""}, "items": [], "exercises": []},
        {"id": "Q3", "title": {"en": "", "zh": ""}, "items": [], "exercises": [], "more": 1},
        {"id": "Q3", "title": {"en": "", "zh": ""}, "items": [{"status": "perfect"}], "exercises": []},
        {"id": "Q3", "title": {"en": "", "zh": ""}, "items": {"a": 1}, "exercises": []},
    ],
)
def test_what_is_no_record(data: object) -> None:
    """A book that somebody edited is refused, not believed."""
    with pytest.raises(ValueError, match=r"not a|is"):
        load(QuestionResult, data)


@dataclass(frozen=True)
class Odd:
    visibility: str
    pair: tuple[str, float] = ("", 0.0)
    more: object = None


def test_tuples_of_fixed_length() -> None:
    """Every place has its own type; a whole number is a float where one is meant."""
    assert load(Odd, {"visibility": "x", "pair": ["a", 1]}) == Odd("x", ("a", 1.0))
    with pytest.raises(ValueError, match="zip"):
        load(Odd, {"visibility": "x", "pair": ["a"]})


def test_truth_values_are_not_numbers() -> None:
    """``true`` is neither 1 nor 1.0."""
    for kind in (int, float):
        with pytest.raises(ValueError, match="True is not"):
            load(kind, True)
    assert load(bool, True) is True


def test_words_of_a_choice() -> None:
    """Only those that the type names."""
    data = dump(RESULT)
    data["exercises"][0]["array_type"] = "jax"
    with pytest.raises(ValueError, match="jax"):
        load(QuestionResult, data)


def test_what_has_no_plain_form() -> None:
    """Nothing is kept that could not be read again."""
    with pytest.raises(TypeError, match="set"):
        dump(Odd("x", more=set()))


def _length(text: str) -> int:
    return len(text)


@dataclass(frozen=True)
class Row:
    """Of a table, with one field of each kind."""

    name: Shown
    other: Shown | None
    said: ShownText | None
    length: Annotated[str, Written(_length)]
    share: float
    weight: Unrounded
    by_name: Mapping[str, float]
    status: Status
    at: datetime
    path: Path
    from_: bool
    inner: tuple[Row, ...] = ()


ROW = Row(
    "a\x1b[2J", None, Text("a\x1b[2J\nb", "甲"), "four", 1 / 3, Unrounded(2.0), {"x": 2.0}, Status.FAILED,
    datetime(2026, 11, 21, tzinfo=UTC), Path("in/a"), True,
)  # fmt: skip


def test_data_for_readers_is_as_it_is_declared() -> None:
    """Cleaned and converted where that is declared, also inside of others; every field is there, in its order."""
    expected = {
        "name": "a", "other": None, "said": "a\nb", "length": 4, "share": 0.333333, "weight": 2.0, "by_name": {"x": 2},
        "status": "failed", "at": "2026-11-21T00:00:00+00:00", "path": "in/a", "from": True,
    }  # fmt: skip
    whole = to_json(dataclasses.replace(ROW, inner=(ROW,)))
    assert list(whole) == [*expected, "inner"]
    assert whole == {**expected, "inner": [{**expected, "inner": []}]}
    assert to_json([dataclasses.replace(ROW, other="b\x1b[2J")], "zh")[0]["other"] == "b"
    assert to_json(ROW, "zh")["said"] == "甲"
    assert json.dumps(to_json(Unrounded(2.0))) == "2.0"


def test_data_of_other_types_are_refused() -> None:
    """By the name of the type."""
    with pytest.raises(TypeError, match="complex cannot be written as JSON"):
        to_json(1j)


def test_a_union_refuses_what_its_member_does() -> None:
    """It has no name of its own, which is no reason for an exception of another kind."""
    with pytest.raises(ValueError, match=r"not a .*Text \| None: .* is not a str"):
        load(Text | None, {"en": {"a": None}, "zh": ""})
