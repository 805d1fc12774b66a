"""An explained point, for people and as data."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from grader.core.model import Diagnosis, Difference, Lang, Misconception, Status, Text
from grader.core.serialize import to_json
from grader.instructor.explain import Confinement, Explanation, PointsByHand, Provenance, ShownValue, lines

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SANDBOX = Confinement(("seccomp", "rlimits"), unsafe=False)
GRADED = Provenance(NOW, 0.25, "file:ab12", "c" * 64, "v" * 32, {"torch": "2.13.0"}, SANDBOX)
X = ShownValue(Text("x", "x"), Text("float32 (2,)", "float32 (2,)"), "[1. 2.]")
FOUND = Explanation(
    learner="bo\x1b[2J",
    submission="bo.py",
    check=Text("double/values/long", "double/values/长数组"),
    status=Status.FAILED,
    earned=0.0,
    possible=1.5,
    message=Text("the values are wrong", "结果的数值不对"),
    graded=GRADED,
    agrees=False,
    replayed=Status.TIMED_OUT,
    told=Text("the values differ\x1b[2J", "数值不同"),
    misconception=Misconception("squares", Text("Twice is not squared.", "两倍不是平方。")),
    visibility="hidden",
    diagnosis=(Diagnosis("relation", Text("It is the square.", "是平方。")),),
    inputs=(X,),
    expected=(X,),
    actual=(ShownValue(Text("result", "结果"), Text("None\x1b[2J", "None"), "[3.\x1b[2J 4.]"),),
    difference=Difference((0, 1), "1", "2", 1, 2),
    file="bo.py",
    array_type="torch",
    variant="mask per sample",
    changed=True,
    override=PointsByHand(3.0, "Prof. Invented", "nearly"),
)
ITEM = replace(
    FOUND,
    check=Text("Q1.a", "Q1.a"),
    ask=Text("Twice 2?", "2 的两倍？"),
    visibility="public",
    agrees=True,
    changed=False,
    told=FOUND.message,
    expected=(),
    actual=(),
    difference=Difference((), "1", "2", 1, 1),
    file=None,
    override=None,
    misconception=None,
    graded=replace(GRADED, sandbox=replace(GRADED.sandbox, unsafe=True)),
)


@pytest.mark.parametrize(
    ("found", "lang", "there", "not_there"),
    [
        (
            FOUND,
            "en",
            [
                "bo, double/values/long: not correct yet, 0 of 1.5 points\n",
                "This case is hidden: do not show the following to learners.",
                "What the learner sees: the values are wrong\n",
                "With nothing hidden: the values differ\n",
                "Misconception squares: Twice is not squared.\n",
                "Inputs\n  x: float32 (2,)\n    [1. 2.]\n",
                "Actual\n  result: None\n    [3. 4.]\n",
                "  at [0, 1]: expected 1, got 2\n  1 of 2 entries differ\n",
                "Submission bo.py, file bo.py: tested with torch tensors; called in the form\n",
                "Graded 2026-11-21 12:00 UTC (0.2 s), seed file:ab12; torch 2.13.0\n",
                "Course cccccccccccc, question vvvvvvvvvvvv\nSandbox: seccomp, rlimits\n",
                "Points given by hand count instead: 3, by Prof. Invented: nearly\n",
                "The question has changed since it was graded",
                "gave a different result (took too long)",
            ],
            ["gave the same result"],
        ),
        (FOUND, "zh", ["bo，double/values/长数组：还不正确，0 / 1.5 分", "输入\n", "结果不同（超时）"], ["Twice"]),
        (
            ITEM,
            "en",
            ["Twice 2?\n", "does not compare", "Actual\n  nothing\n", "expected 1, got 2", "WITHOUT"],
            ["hidden", "With nothing", "entries differ", "Submission", "by hand", "has changed", "Misconception"],
        ),
        (replace(ITEM, file="a.py", array_type=None, inputs=()), "en", ["file a.py: none; called in"], ["Inputs"]),
    ],
)
def test_for_people(found: Explanation, lang: Lang, there: list[str], not_there: list[str]) -> None:
    """On 80 columns, and without anything that could move the cursor."""
    text = "\n".join(lines(found, lang)) + "\n"
    for fragment in there:
        assert fragment in text
    for fragment in not_there:
        assert fragment not in text
    assert max(map(cell_len, text.splitlines())) <= 80
    assert "\x1b" not in text


@pytest.mark.parametrize("found", [FOUND, ITEM])
def test_for_programs(found: Explanation) -> None:
    """Everything, as plain data."""
    data = json.loads(json.dumps(to_json(found, "en")))
    assert (data["learner"], data["check"], data["agrees"]) == ("bo", found.check.en, found.agrees)
    assert (data["diagnosis"][0]["text"], data["diagnosis"][0]["line"]) == ("It is the square.", None)
    assert data["inputs"] == [{"name": "x", "kind": "float32 (2,)", "text": "[1. 2.]"}]
    assert data["graded"]["sandbox"] == {"layers": ["seccomp", "rlimits"], "unsafe": found is ITEM}
    assert data["difference"]["index"] == ([0, 1] if found is FOUND else [])
    assert (data["override"] is None) == (data["misconception"] is None) == (data["file"] is None) == (found is ITEM)
    assert "\x1b" not in json.dumps(data, ensure_ascii=False)
    assert to_json(replace(found, difference=None), "zh")["difference"] is None
