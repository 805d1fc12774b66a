from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from grader.core.model import Status, Text
from grader.core.text import show_path
from grader.course.items import Context, Judgment, order
from grader.course.items._options import Arrangeable
from grader.course.items.order import Spec, WrongOrder

ADA = Context("spring", "ada", "Q11.steps")


def spec(ids: str, *, either: tuple[tuple[str, ...], ...] = (), wrong: tuple[WrongOrder, ...] = ()) -> Spec:
    """Things with these ids (letters, or words), in their right order."""
    names = ids.split() if " " in ids else list(ids)
    return Spec(tuple(Arrangeable(name, Text(f"en {name}", f"中 {name}")) for name in names), either, wrong)


PLAIN = spec("CABED", wrong=(WrongOrder("backwards", tuple("DEBAC")), WrongOrder("a-first", before=("A", "C"))))
EITHER = spec("cabed", either=(("b", "e"),))
WORDS = spec("softmax scale_2 mask 10", either=(("softmax", "mask"), ("softmax", "scale_2")))


@pytest.mark.parametrize(
    "value",
    [
        "c a b e d",
        "cabed",
        "CABED",
        "c,a,b,e,d",
        "c > a > b > e > d",
        "c→a→b→e→d",
        "c -> a -> b -> e -> d",
        "c、a、b、e、d",
        "ｃ，ａ，ｂ，ｅ，ｄ",
        "c；a；b；e；d。",
        "(c) (a) (b) (e) (d)",
        "[c, a, b, e, d]",
        "c-a-b-e-d",
        "ca bed",
        "1. c\n2. a\n3. b\n4. e\n5. d",
        "1）c 2）a 3）b 4）e 5）d",
        ["c", "a", "b", "e", "d"],
        ["C", " a ", "b", "E", "d"],
        ("c", "a", "b", "e", "d"),
        ["cab", "ed"],
    ],
)
def test_the_right_order_passes_however_it_is_written(value: object) -> None:
    """Lists, arrows, commas of either language, letters run together, numbered lines."""
    assert order.judge(PLAIN, value, ADA) == Judgment(Status.PASSED, 1.0)
    assert order.judge(EITHER, value, ADA) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("which", "value"),
    [
        (EITHER, "c a e b d"),
        (WORDS, "softmax, scale_2, mask, 10"),
        (WORDS, ["scale_2", "mask", "softmax", 10]),
        (WORDS, "Scale_2 → Softmax → mask → １０"),
    ],
)
def test_what_may_be_exchanged_passes_either_way(which: Spec, value: object) -> None:
    """Only what has to stand before something else is asked for; ids may be words and numbers."""
    assert order.judge(which, value, ADA) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("which", "value", "fraction", "misconception", "moved"),
    [
        (PLAIN, "c a b d e", 0.5, None, 1),
        (PLAIN, "c b e d a", 0.5, None, 1),
        (PLAIN, "d c a b e", 0.5, None, 1),
        (PLAIN, "d e c a b", 0, None, 2),
        (PLAIN, "a c b e d", 0.5, "a-first", None),
        (PLAIN, "d e b a c", 0, "backwards", None),
        (PLAIN, "e d b a c", 0, "a-first", None),
        (EITHER, "c a e d b", 0.5, None, 1),
        (EITHER, "b e a c d", 0, None, 2),
        (WORDS, "softmax 10 scale_2 mask", 0, None, 1),
    ],
)
def test_what_stands_right_counts_beyond_chance(
    which: Spec, value: str, fraction: float, misconception: str | None, moved: int | None
) -> None:
    """One thing out of place costs some of the points; the message says how many, and not which."""
    found = order.judge(which, value, ADA)
    assert found.status is Status.FAILED and found.readable
    assert found.fraction == pytest.approx(fraction)
    assert found.misconception == misconception
    assert (found.message is None) is (moved is None)
    assert moved is None or f"moving {moved} of" in str(found.message)


@pytest.mark.parametrize(("ids", "most"), [("bac", 0.23), ("cabd", 0.06), ("cabed", 0.09), ("cabedfgihj", 0.06)])
def test_guessing_is_worth_next_to_nothing(ids: str, most: float) -> None:
    """Over random orders hardly a point is earned, and never less than none."""
    dice, which = random.Random(7), spec(ids)
    earned = [order.judge(which, dice.sample(ids, len(ids)), ADA).fraction for _ in range(400)]
    assert min(earned) >= 0
    assert sum(earned) / len(earned) < most


@pytest.mark.parametrize("either", [(), (("b", "e"),), (("c", "a", "b"), ("e", "d")), (("d", "e"), ("d", "b"))])
def test_what_is_kept_is_the_longest_part_in_order(either: tuple[tuple[str, ...], ...]) -> None:
    """Every order of five things, compared with trying all subsets."""
    before = order._before(spec("cabed", either=either))
    for given in itertools.permutations("cabed"):
        best = max(
            size
            for size in range(1, 6)
            for kept in itertools.combinations(given, size)
            if not any((later, earlier) in before for earlier, later in itertools.combinations(kept, 2))
        )
        assert order._kept(given, before) == best


@pytest.mark.parametrize(
    ("value", "en", "zh"),
    [
        ("c a x", "“x” is not one of the choices here, which are A, B, C, D, E", "没有“x”，只有 A、B、C、D、E"),
        ("c, a\x1b[0m", "“0m”", "“0m”"),
        ("caxbed", "“caxbed”", "“caxbed”"),
        ("c a b", "Missing: d, e.", "还缺：d、e。"),
        ("", "Missing: a, b, c, d, e.", "还缺"),
        ("c a b e d c", "“c” occurs twice", "“c”写了两次"),
        ("cabedc", "“c” occurs twice", "“c”写了两次"),
        *(
            (value, "Missing", "还缺")
            for value in ([], None, ["c", ["a"]], {"c": 1}, ["c", None], ["c", True], True, 1.5, "\ud800")
        ),
        (3, "“3”", "“3”"),
        pytest.param([10**30000], "Missing", "还缺", id="huge"),
        pytest.param("c" * 100_000, "Missing", "还缺", id="long"),
        ("{said}", "“said”", "“said”"),
    ],
)
def test_what_is_no_order_is_told_what_is_missing(value: object, en: str, zh: str) -> None:
    """It costs no try, and nothing that stands there is an exception."""
    found = order.judge(PLAIN, value, ADA)
    assert (found.status, found.fraction, found.readable) == (Status.FAILED, 0.0, False)
    assert found.message is not None
    assert en in found.message.en
    assert zh in found.message.zh


@pytest.mark.parametrize("learner", ["", *"abcdefghij"])
def test_nobody_is_shown_the_right_order(learner: str) -> None:
    """The ids alone say nothing, and no learner is lucky."""
    which, context = spec("bac", either=(("a", "c"),)), replace(ADA, learner=learner)
    shown = order.prompt(which, context)
    assert shown.form == "order"
    assert sorted(choice.id for choice in shown.choices) == ["a", "b", "c"]
    assert order.judge(which, [choice.id for choice in shown.choices], context).status is Status.FAILED
    assert "[a, b, c]" in shown.how.en


def test_the_key_is_a_right_order_in_words() -> None:
    """With what may change places."""
    found = order.key(EITHER, ADA)
    assert found.en.splitlines() == [*(f"{name}: en {name}" for name in "cabed"), "These may be in any order: b, e."]
    assert found.zh.splitlines()[-1] == "以下各项之间顺序不限：b、e。"


@pytest.mark.parametrize(
    ("which", "said"),
    [
        (PLAIN, []),
        (EITHER, []),
        (WORDS, []),
        (spec("ba"), ["things: found 2 of them; expected 3 to 10"]),
        (spec("cbadefghijk"), ["things: found 11 of them"]),
        (spec("abc"), ["things: expected ids whose own order is wrong, but a, b, c would be right"]),
        (spec("caC"), ["things[2].id: found 'C'; expected an id that no other entry has"]),
        (spec("c a b-d"), ["things[2].id: found 'b-d'; expected an id of letters and digits"]),
        (spec("cab", either=(("a", "x"),)), ["either[0][1]: found 'x'; expected the id of a thing: c, a, b"]),
        (spec("cab", either=(("a",),)), ['either[0]: found ["a"]; expected two ids or more']),
        (spec("cab", either=(("c", "b"),)), ["either: expected no group with both c and b: a has to come between"]),
        (spec("cab", either=(("c", "a", "b"),)), ["either: every order is right"]),
        (spec("cab", wrong=(WrongOrder("m"),)), ["wrong[0]: expected either `order: […]`, all ids, or `before"]),
        (spec("cab", wrong=(WrongOrder("m", tuple("abc"), ("a", "c")),)), ["wrong[0]: expected either"]),
        (
            spec("cab", wrong=(WrongOrder("m", before=("c", "a")),)),
            ['wrong[0].before: found ["c", "a"]; expected the later'],
        ),
        (spec("cab", wrong=(WrongOrder("m", before=("c", "x")),)), ["wrong[0].before[1]: found 'x'; expected the id"]),
        (
            spec("cab", wrong=(WrongOrder("m", tuple("ca")),)),
            ['wrong[0].order: found ["c", "a"]; expected every id once'],
        ),
        (
            spec("cab", wrong=(WrongOrder("m", tuple("cab")),)),
            ['wrong[0].order: found ["c", "a", "b"]; expected an order'],
        ),
    ],
)
def test_specs_are_checked(which: Spec, said: list[str]) -> None:
    """The order is not given away, can be told, and is not among the wrong ones."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in order.validate(which)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)
