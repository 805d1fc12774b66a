from __future__ import annotations

import itertools

import pytest

from grader.core.model import Status, Text
from grader.core.text import show_path
from grader.course.items import Context, Judgment, multi
from grader.course.items._options import Option
from grader.course.items.multi import Spec
from tests.helpers import option

CONTEXT = Context("course", "ada", "Q5.output")


SPEC = Spec(
    (
        option("a", correct=True),
        option("b", misconception="sum"),
        option("c", correct=True),
        option("d"),
        option("E", correct=True),
        option("f", misconception="mean"),
    )
)
WORDS = Spec((option("10", correct=True), option("ab"), option("b", correct=True)))


@pytest.mark.parametrize(
    "value",
    [
        ["a", "c", "e"],
        ["E", "c", "A", "a"],
        "a, c, e",
        "a，c，e",
        "a、c、e",
        "a c e",
        "ACE",
        " a;c / e ",
        "a + c & e",
        "a and c AND e",
        "a和c和e",
        "(a) (c) (e)。",
        "ａ，ｃ，Ｅ",
        ["a", " c ", "e"],
        ("a", "c", "e"),
        ["ac", "e"],
    ],
)
def test_exactly_the_right_ones_pass(value: object) -> None:
    """A list, or a text as people write it; case, order and repetition do not matter."""
    assert multi.judge(SPEC, value, CONTEXT) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize("value", [["b", 10], "10 b", "10,b"])
def test_ids_of_several_characters_are_whole_words(value: object) -> None:
    """``ab`` is an option there, and not a and b."""
    assert multi.judge(WORDS, value, CONTEXT) == Judgment(Status.PASSED, 1.0)
    assert multi.judge(WORDS, "ab", CONTEXT).message == Text("Not everything you chose is right.", "选的不全对。")
    assert "“b10”" in str(multi.judge(WORDS, "b10", CONTEXT).message)


@pytest.mark.parametrize(
    ("value", "fraction", "misconception", "said"),
    [
        ("a", 1 / 3, None, "something is missing"),
        ("a c", 2 / 3, None, "something is missing"),
        ("a c e b", 2 / 3, "sum", None),
        ("a c e d", 2 / 3, None, "Not everything"),
        ("a c b", 1 / 3, "sum", None),
        ("a b", 0, "sum", None),
        ("f b", 0, "sum", None),
        ("d f", 0, "mean", None),
        ("d", 0, None, "Not everything"),
        ("a b c d e f", 0, "sum", None),
    ],
)
def test_each_wrong_one_takes_a_right_one_away(
    value: str, fraction: float, misconception: str | None, said: str | None
) -> None:
    """Choosing everything is worth nothing, and the first wrong belief is named."""
    found = multi.judge(SPEC, value, CONTEXT)
    assert found.status is Status.FAILED
    assert found.fraction == pytest.approx(fraction)
    assert found.misconception == misconception
    assert (found.message is None) is (said is None)
    assert said is None or (found.message is not None and said in found.message.en)


def test_no_choice_is_worth_less_than_nothing_or_more_than_all() -> None:
    """Of all that can be chosen, only what is right alone is worth all of it."""
    fractions = [
        multi.judge(SPEC, chosen, CONTEXT).fraction
        for size in range(1, 7)
        for chosen in itertools.combinations("abcdef", size)
    ]
    assert min(fractions) == 0
    assert sorted(fractions)[-2:] == [pytest.approx(2 / 3), 1.0]


@pytest.mark.parametrize(
    ("value", "en", "zh"),
    [
        ("a, x", "no option “x”; choose from a, b, c, d, E, f", "没有选项“x”，请从 a、b、c、d、E、f 中"),
        (["a, x"], "no option “x”", "没有选项“x”"),
        (["a", "\x1b[0m"], "“0m”", "“0m”"),
        ("acx", "no option “acx”", "没有选项“acx”"),
        (7, "no option “7”", "没有选项“7”"),
        ([], "Choose at least one of a, b", "至少选择一个"),
        (" ", "Choose at least one of a, b", "至少选择一个"),
        (True, "a list of options, such as [a, f]", "例如 [a, f]"),
        *(
            (value, "a list of options", "选项的列表")
            for value in (1.5, {"a": True}, ["a", ["c"]], ["a", None], ["a", True])
        ),
        pytest.param(["a", 10**5000], "a list of options", "选项的列表", id="huge"),
    ],
)
def test_what_is_no_choice_is_told_what_one_looks_like(value: object, en: str, zh: str) -> None:
    """Anything may stand in an answers file, and nothing of it is an exception or half a point."""
    found = multi.judge(SPEC, value, CONTEXT)
    assert (found.status, found.fraction, found.misconception) == (Status.FAILED, 0.0, None)
    assert found.message is not None
    assert en in found.message.en
    assert zh in found.message.zh


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([option("a", correct=True), option("b")], []),
        ([option("a", correct=True), option("b", correct=True), option("c")], []),
        ([option("a"), option("b")], ["options: found none marked as correct; expected some"]),
        (
            [option("a", correct=True), option("b", correct=True)],
            ["options: found all marked as correct; expected some"],
        ),
        ([option("a", correct=True)], ["options: found 1 of them", "options: found all"]),
        ([option("a", correct=True), option("A")], ["options[1].id: found 'A'"]),
        ([option("a", correct=True, misconception="sum"), option("b")], ["options[0].misconception: found 'sum'"]),
    ],
)
def test_specs_are_checked(options: list[Option], said: list[str]) -> None:
    """Ids of their own, and both right and wrong ones among them."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in multi.validate(Spec(tuple(options)))]
    assert len(found) == len(said)
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)
