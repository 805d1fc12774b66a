"""Blanks in a printed chain: each has a value and a form of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.marks import plain
from grader.core.model import Status, Text
from grader.core.text import show_path
from grader.course.items import Context, blanks
from grader.course.items._properties import Property
from grader.course.items._values import KnownWrongAnswer
from grader.course.items.blanks import Blank, Spec

ADA = Context("spring", "ada", "Q8.chain")
FIRST, SECOND = Text("Count head by head.", "请逐头计算。"), Text("Replace d_k.", "请换掉 d_k。")
SPEC = Spec(
    {"d": "positive integer", "h": "positive integer", "d_k": "d / h (definition)"},
    ("weights = [a]", "= [b]"),
    {
        "a": Blank("3 h d d_k + d^2", Text("head by head", "逐头"), Property(mentions=("h", "d_k")), FIRST),
        "b": Blank(
            "4 d^2",
            Text("simplified", "化简"),
            Property(free_of=("h", "d_k"), terms=1),
            SECOND,
            (KnownWrongAnswer("3 d^2", "output-projection-forgotten"),),
        ),
    },
)


@pytest.mark.parametrize(
    "answer",
    [
        "a: 3 h d d_k + d^2\nb: 4 d^2",
        "[a] = h (3 d d_k) + d d\n\n[b] = 4 d²  # four of them",
        "(a) 3 h d_k d + d²；(b) 4 d²",
        "b: 4 d d\na：h·3·d·d_k + d²",
        "3 h d d_k + d^2\n4 d^2",
        "3 h d d_k + d^2 = 4 d^2",
        {"a": "3 h d d_k + d^2", "b": "4 d^2"},
        ["a: 3 h d d_k + d^2", "b: 4 d^2"],
    ],
)
def test_right_formulas_pass(answer: object) -> None:
    """With their letters or in order, as lines or as a mapping."""
    assert blanks.judge(SPEC, answer, ADA).status is Status.PASSED


@pytest.mark.parametrize(
    ("answer", "fraction", "words", "line"),
    [
        ("a: 4 d^2\nb: 4 d^2", 0.5, "a: There is no h. Count head by head.", "1"),
        ("a: 4 d^2 + h d_k − h d_k\nb: 4 d^2", 0.5, "a: There is no h. Count head by head.", "1"),
        ("a: 3 h d d_k + d^2\n\nb: 4 h d d_k", 0.5, "b: There is still h. Replace d_k.", "3"),
        ("a: 3 h d d_k + d^2\nb: 3 d^2 + d^2", 0.5, "b: Replace d_k.", "2"),
        ("a: 5\nb: 4 d^2", 0.5, "a: Not the right formula", "1"),
    ],
)
def test_wrong_formulas_are_named(answer: str, fraction: float, words: str, line: str) -> None:
    """By the letter, with why; the other blanks earn their share."""
    found = blanks.judge(SPEC, answer, ADA)
    assert found.message is not None and plain(found.message.en).startswith(words)
    assert (found.status, found.fraction, found.place, found.readable) == (Status.FAILED, fraction, line, True)


def test_a_misconception_is_named() -> None:
    """That of the first wrong blank, in place of a message."""
    found = blanks.judge(SPEC, "a: 3 h d d_k + d^2\nb: 3 d^2", ADA)
    assert (found.misconception, found.message, found.fraction) == ("output-projection-forgotten", None, 0.5)


@pytest.mark.parametrize(
    ("answer", "words", "fraction"),
    [
        *(
            (value, "Write a line for each of a, b", 0)
            for value in ("", None, [[1]], {"c": "4 d^2"}, {"a": [1]}, "3 d^2", "a: 3 d^2\nand so on")
        ),
        ("b: 4 d^2", "Nothing is written for a.", 0.5),
        ("b: 4 d^2\na:", "Nothing is written for a.", 0.5),
        ("b: 4 d^2\nb: 4 d^2", "“b” occurs twice", 0),
        ("a: 3 h (\nb: 4 d^2", "a: ", 0.5),
    ],
)
def test_what_cannot_be_read_costs_no_try(answer: object, words: str, fraction: float) -> None:
    """In a file, the other blanks earn their share."""
    found = blanks.judge(SPEC, answer, ADA)
    assert found.message is not None and plain(found.message.en).startswith(words)
    assert (found.readable, found.fraction) == (False, fraction)


def test_what_is_asked_and_read() -> None:
    """The frame, what each blank asks for, and how the lines are read."""
    asked = blanks.prompt(SPEC, ADA)
    assert asked.form == "lines"
    assert [plain(fact.en) for fact in asked.facts][1:] == [
        "weights = [a]\n= [b]",
        "[a]: head by head",
        "[b]: simplified",
    ]
    assert plain(blanks.key(SPEC, ADA).en) == "a: 3 h d d_k + d²\nb: 4 d²"
    assert blanks.reading(SPEC, "a: 4 d**2\nb: d d") == (("4 d**2", "4 d²"), ("d d", "d d"))
    assert blanks.reading(SPEC, "a: 4 (\nb: d") == () and blanks.reading(SPEC, 3) == ()
    lines = blanks.read_lines(SPEC, "a: 4 d**2\n\nb: 3 (")
    assert [(line.number, line.shown) for line in lines] == [(1, "4 d²"), (3, None)]
    bare = blanks.without_key(SPEC)
    assert {blank.answer for blank in bare.blanks.values()} == {"0"}
    assert not blanks.judge(bare, "a: (\nb: 1", ADA).readable


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SPEC, []),
        (replace(SPEC, frame=("[a]",)), ['frame: found ["[a]"]; expected each of a, b once']),
        (replace(SPEC, symbols={"d": "natural"}), ["symbols.d: found 'natural'"]),
        (
            replace(SPEC, blanks={**SPEC.blanks, "b": replace(SPEC.blanks["b"], answer="4 w")}),
            ["blanks.b.answer: found '4 w'; expected a formula"],
        ),
        (
            replace(SPEC, blanks={**SPEC.blanks, "b": replace(SPEC.blanks["b"], answer="3 d^2 + d^2")}),
            ["blanks.b.answer: expected a correct answer, but: Replace d_k."],
        ),
        (
            replace(SPEC, blanks={**SPEC.blanks, "b": replace(SPEC.blanks["b"], is_=Property(free_of=("w",)))}),
            ["blanks.b.is: found 'w'; expected a symbol or an operator"],
        ),
    ],
)
def test_specs_are_checked(spec: Spec, words: list[str]) -> None:
    """Each blank is printed once, and each answer is judged correct."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in blanks.validate(spec)]
    assert len(found) == len(words), found
    assert all(fault.startswith(start) for fault, start in zip(found, words, strict=True)), found
