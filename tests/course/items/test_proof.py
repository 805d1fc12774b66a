"""Lines of a proof in order, each with its reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import Status, Text
from grader.core.text import show_path
from grader.course.items import Context, proof
from grader.course.items._options import Arrangeable
from grader.course.items.proof import Spec, WrongLine

ADA = Context("spring", "ada", "Q18.mean")


def things(names: str) -> tuple[Arrangeable, ...]:
    """One thing for each letter."""
    return tuple(Arrangeable(name, Text(f"line {name}", f"第 {name} 行")) for name in names)


SPEC = Spec(
    things("abcde"),
    things("1234"),
    (("d", "2"), ("a", "4"), ("b", "1"), ("c", "3")),
    (WrongLine("e", "mean-not-subtracted"),),
)


@pytest.mark.parametrize(
    "answer",
    [
        "d2 a4 b1 c3", "d: 2, a: 4, b: 1, c: 3", "d→2；a→4；b→1；c→3", "D2, A4, B1, C3", "d 2\na 4\nb 1\nc 3",
        {"d": 2, "a": "4", "b": 1, "c": 3}, ["d2", "a4", "b1", "c3"], [["d", 2], ["a", 4], ["b", 1], ["c", 3]],
    ],
)  # fmt: skip
def test_the_proof_passes(answer: object) -> None:
    """However it is written."""
    assert proof.judge(SPEC, answer, ADA).status is Status.PASSED


@pytest.mark.parametrize(
    ("answer", "fraction", "words"),
    [
        ("d2 a4 b1", 2 / 3, "3 of 4 lines in a row"),
        ("d2 a4 b3 c1", 1 / 3, "2 of 4 lines in a row"),
        ("a4 b1 d2 c3", 1 / 3, "2 of 4 lines in a row"),
        ("c3 b1 a4 d2", 0, "No two lines in a row"),
        ("d1 a2 b3 c4", 0, "No two lines in a row"),
        ("d2", 0, "No two lines in a row"),
    ],
)
def test_the_longest_run_counts(answer: str, fraction: float, words: str) -> None:
    """A single line earns nothing."""
    found = proof.judge(SPEC, answer, ADA)
    assert found.message is not None and found.message.en.startswith(words)
    assert (found.status, found.fraction) == (Status.FAILED, pytest.approx(fraction, abs=1e-3))


def test_a_line_that_belongs_nowhere() -> None:
    """It is named by its misconception, and never leaves everything."""
    found = proof.judge(SPEC, "d2 a4 b1 c3 e1", ADA)
    assert (found.status, found.misconception, found.fraction) == (Status.FAILED, "mean-not-subtracted", 0.75)


@pytest.mark.parametrize("answer", ["", None, 3, "x1", "d9", "d", "d2 and then a4", "d2 d3", {}, [], {"d": None}, "2d"])
def test_what_cannot_be_read_costs_no_try(answer: object) -> None:
    """The message shows the form of an answer."""
    found = proof.judge(SPEC, answer, ADA)
    assert found.message is not None and not found.readable


def test_what_is_asked() -> None:
    """Lines and reasons by their ids, an example that gives nothing away, and the key."""
    asked = proof.prompt(SPEC, ADA)
    assert asked.form == "line"
    said = [fact.en for fact in asked.facts]
    assert said[0] == "Lines:" and {"a: line a", "1: line 1", "Reasons:"} < {*said}
    assert proof.judge(SPEC, proof._example(SPEC), ADA).fraction == 0
    assert proof.key(SPEC, ADA).en.splitlines()[0] == "d2  # line d  # line 2"
    assert proof.without_key(SPEC).proof == ()
    assert not proof.judge(proof.without_key(SPEC), "x", ADA).readable
    assert proof.judge(proof.without_key(SPEC), "d2 a4", ADA).fraction == 0


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SPEC, []),
        (replace(SPEC, proof=(("d", "2"), ("x", "9"))), ["proof[1][0]", "proof[1][1]"]),
        (replace(SPEC, proof=(("d", "2"),)), ['proof: found ["d"]; expected two lines or more']),
        (replace(SPEC, lines=things("abcd"), wrong=()), ["lines: expected lines that belong nowhere"]),
        (
            replace(SPEC, wrong=(WrongLine("d", "m"),)),
            ["wrong[0].line: found 'd'; expected a line that belongs nowhere"],
        ),
        (replace(SPEC, wrong=(WrongLine("x", "m"),)), ["wrong[0].line: found 'x'"]),
    ],
)
def test_specs_are_checked(spec: Spec, words: list[str]) -> None:
    """The ids are known, and not every line is part of the proof."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in proof.validate(spec)]
    assert len(found) == len(words), found
    assert all(fault.startswith(start) for fault, start in zip(found, words, strict=True)), found
