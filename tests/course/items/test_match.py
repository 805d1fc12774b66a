from __future__ import annotations

import random
from dataclasses import replace

import pytest

from grader.core.marks import plain
from grader.core.model import Status, Text
from grader.core.text import show_path
from grader.course.items import Context, Judgment, match
from grader.course.items._options import Arrangeable
from grader.course.items.match import Spec, WrongPair

ADA = Context("spring", "ada", "Q16.methods")


def spec(left: str, right: str, partners: str, *wrong: WrongPair, reuse: bool = False) -> Spec:
    """Things with these ids, and the partners of the left ones in their order."""
    sides = [
        tuple(Arrangeable(name, Text(f"en {name}", f"中 {name}")) for name in ids.split()) for ids in (left, right)
    ]
    return Spec(sides[0], sides[1], dict(zip(left.split(), partners.split(), strict=False)), reuse, wrong)


PLAIN = spec("a B c d", "1 2 3 4", "2 1 4 3", WrongPair(("a", "1"), "swap"), WrongPair(("c", "3"), "late"))
MORE = spec("a b", "1 2 3 10", "10 3")
REUSE = spec("a b c", "1 2", "2 1 2", reuse=True)
WORDS = spec("rope alibi t5_bias", "scores keys10 x", "keys10 scores x")
LETTERS = spec("a b", "x y", "y x")


@pytest.mark.parametrize(
    ("which", "value"),
    [
        (PLAIN, {"a": 2, "b": 1, "c": 4, "d": 3}),
        (PLAIN, {"A": "2", " b ": 1, "c": " 4", "d": "３"}),
        (PLAIN, {"2": "a", "1": "b", "4": "c", "3": "d"}),
        (PLAIN, [["a", 2], ["b", 1], ["c", 4], ["d", 3]]),
        (PLAIN, [{"a": 2}, {"b": 1}, {"c": 4, "d": 3}]),
        (PLAIN, ["a2", "b-1", "c: 4", "d=3"]),
        (PLAIN, "a2 b1 c4 d3"),
        (PLAIN, "a2b1c4d3"),
        (PLAIN, "a-2, b-1, c-4, d-3"),
        (PLAIN, "a→2；b→1；c→4；d→3"),
        (PLAIN, "a->2, b->1, c->4, d->3"),
        (PLAIN, "a:2 b:1 c:4 d:3"),
        (PLAIN, "{a: 2, b: 1, c: 4, d: 3}"),
        (PLAIN, "a：2，b：1，c：4，d：3。"),
        (PLAIN, "Ａ２　Ｂ１　Ｃ４　Ｄ３"),
        (PLAIN, "d3 c4 b1 a2"),
        (PLAIN, "2a 1b 4c 3d"),
        (PLAIN, "2-a, 1-b, 4-c, 3-d"),
        (PLAIN, "(a, 2), (b, 1), (c, 4), (d, 3)"),
        (PLAIN, "a 2\nb 1\nc 4\nd 3"),
        (PLAIN, "a2 b1 c4 d3 a2"),
        (MORE, "a10 b3"),
        (MORE, "a-10; b-3"),
        (MORE, {"a": 10, "b": 3}),
        (REUSE, "a2 b1 c2"),
        (REUSE, "a, c → 2; b → 1"),
        (REUSE, "2: a, c; 1: b"),
        (REUSE, {"2": ["a", "c"], "1": ["b"]}),
        (REUSE, {"2": "a c", "1": "b"}),
        (WORDS, "rope: keys10, alibi: scores, t5_bias: x"),
        (WORDS, "RoPE→keys10 ALiBi→scores T5_bias→x"),
        (WORDS, {"rope": "keys10", "alibi": "scores", "t5_bias": "X"}),
        (LETTERS, "ay bx"),
        (LETTERS, "aybx"),
    ],
)
def test_the_right_pairs_pass_however_they_are_written(which: Spec, value: object) -> None:
    """Mappings, lists, texts with signs of all kinds, in any order and from either side."""
    assert match.judge(which, value, ADA) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("which", "value", "fraction", "misconception", "right"),
    [
        (PLAIN, "a2 b1 c4", 3 / 4, None, 3),
        (PLAIN, "a2", 1 / 4, None, 1),
        (PLAIN, "a2 b1 c3 d4", (2 - 2 / 3) / 4, "late", None),
        (PLAIN, "a1 b2 c4 d3", (2 - 2 / 3) / 4, "swap", None),
        (PLAIN, "a1 b2 c3 d4", 0, "swap", None),
        (PLAIN, "a4 b1 c2 d3", (2 - 2 / 3) / 4, None, 2),
        (PLAIN, "a3 b1 c2 d4", 0, None, 1),
        (PLAIN, "a3", 0, None, 0),
        (PLAIN, "a2 b2 c2 d2", 0, None, 1),
        (MORE, "a10 b1", (1 - 1 / 3) / 2, None, 1),
        (REUSE, "a2 b2 c2", 1 / 3, None, 2),
        (REUSE, "a1 b1 c1", 0, None, 1),
        (REUSE, "a, b, c → 1", 0, None, 1),
    ],
)
def test_each_pair_counts_and_wrong_ones_are_deducted(
    which: Spec, value: str, fraction: float, misconception: str | None, right: int | None
) -> None:
    """A pair that is left out costs its own points alone; the total is never below nothing."""
    found = match.judge(which, value, ADA)
    assert found.status is Status.FAILED and found.readable
    assert found.fraction == pytest.approx(fraction)
    assert found.misconception == misconception
    assert (found.message is None) is (right is None)
    assert right is None or f"right: {right} of {len(which.left)}." in str(found.message)


@pytest.mark.parametrize(("which", "most"), [(PLAIN, 0.14), (MORE, 0.25), (REUSE, 0.3)])
def test_guessing_is_worth_little(which: Spec, most: float) -> None:
    """Drawing lots earns next to nothing, and the same partner for all earns nothing."""
    dice, right = random.Random(3), [thing.id for thing in which.right]
    earned = []
    for _ in range(400):
        partners = dice.choices(right, k=len(which.left)) if which.reuse else dice.sample(right, len(which.left))
        pairs = {thing.id: partner for thing, partner in zip(which.left, partners, strict=True)}
        earned.append(match.judge(which, pairs, ADA).fraction)
    assert min(earned) >= 0
    assert sum(earned) / len(earned) < most
    if which is PLAIN:
        assert all(match.judge(which, {thing.id: name for thing in which.left}, ADA).fraction == 0 for name in right)


@pytest.mark.parametrize(
    ("which", "value", "en", "zh"),
    [
        (PLAIN, "a5", "“a5” is not one of the choices here, which are a, b, c, d, 1, 2, 3, 4", "没有“a5”"),
        (PLAIN, {"a": "x"}, "“x”", "“x”"),
        (PLAIN, "a2 a3", "“a” has two matches", "“a”配了两个"),
        (PLAIN, "a2 b", "“b” has no match; write pairs such as `{a: …, B: …}`", "“b”没有配对"),
        (PLAIN, "a b 1", "“a” has no match", "“a”没有配对"),
        (PLAIN, "a, b → 1", "“a” has no match", "“a”没有配对"),
        (PLAIN, "2 1 4 3", "“2” has no match", "“2”没有配对"),
        (PLAIN, "a 2 3 b", "no match", "没有配对"),
        (REUSE, "a 2 1 b", "no match", "没有配对"),
        (PLAIN, "", "Write pairs such as `{a: …, B: …}`.", "请写成 `{a: …, B: …}` 这样的配对。"),
        *(
            (PLAIN, value, "Write pairs", "请写成")
            for value in ([], {}, None, True, 1.5, {"a": None}, {"a": True}, {None: 1}, {"a": {"b": {"c": [["d"]]}}})
        ),
        pytest.param(PLAIN, {"a": 10**30000}, "Write pairs", "请写成", id="huge"),
        pytest.param(PLAIN, "a2 " * 100_000, "Write pairs", "请写成", id="long"),
        (PLAIN, 120, "“120”", "“120”"),
        (PLAIN, "\ud800", "Write pairs", "请写成"),
        (PLAIN, "a\x1b[2m", "“2m”", "“2m”"),
        (PLAIN, "{said}", "“said”", "“said”"),
    ],
)
def test_what_are_no_pairs_is_told_what_they_look_like(which: Spec, value: object, en: str, zh: str) -> None:
    """It costs no try, and nothing that stands there is an exception."""
    found = match.judge(which, value, ADA)
    assert (found.status, found.fraction, found.readable) == (Status.FAILED, 0.0, False)
    assert found.message is not None
    assert en in plain(found.message.en)
    assert zh in plain(found.message.zh)


def test_both_sides_are_shown_in_an_order_of_their_own() -> None:
    """The order of one side says nothing about that of the other."""
    orders = set()
    for learner in map(str, range(100)):
        asked = match.prompt(PLAIN, replace(ADA, learner=learner))
        assert asked.form == "pairs"
        orders.add((tuple(c.id for c in asked.choices), tuple(c.id for c in asked.partners)))
    assert len({left for left, _ in orders}) > 15
    assert len(orders) > 80
    shown = match.prompt(PLAIN, ADA)
    assert "{a: …, B: …}" in shown.how.en and shown.facts[0].en == "Each match is used at most once."
    assert "几项可以对应同一项。" in match.prompt(REUSE, ADA).facts[0].zh


def test_the_key_says_the_pairs_in_words() -> None:
    """Ids and texts of both."""
    assert match.key(MORE, ADA) == Text("a–10: en a – en 10\nb–3: en b – en 3", "a–10: 中 a – 中 10\nb–3: 中 b – 中 3")


@pytest.mark.parametrize(
    ("which", "said"),
    [
        *((which, []) for which in (PLAIN, MORE, REUSE, WORDS, LETTERS)),
        (spec("a", "1 2", "2"), ["left: found 1 of them; expected 2 to 10"]),
        (spec("a b", "1", "1 1", reuse=True), ["right: found 1 of them; expected 2 to 10"]),
        (spec("a A", "1 2", "2 1"), ["left[1].id: found 'A'; expected an id that no other entry has"]),
        (spec("a 1b", "1 2", "2 1"), ["left[1].id: found '1b'; expected an id that begins with a letter"]),
        (spec("a b", "A 2", "2 A"), ["right[0].id: found 'A'; expected an id that no entry of `left` has"]),
        (spec("a b", "1 2", "1 2"), ["right: every partner is in the same position as its entry"]),
        (spec("a b", "1 2 3", "2 2"), ["pairs: one partner is used twice; expected each once, or `reuse"]),
        (spec("a b c", "1 2 3", "2 1"), ["pairs: expected a partner for c as well"]),
        (spec("a b", "1 2 3", "2 4"), ["pairs.b: found '4'; expected an id of `right`: 1, 2, 3"]),
        (
            replace(LETTERS, pairs={"a": "y", "b": "x", "c": "x"}, reuse=True),
            ["pairs.c: found 'c'; expected an id of `left`"],
        ),
        (
            spec("a b", "1 2", "2 1", WrongPair(("c", "3"), "m")),
            ["wrong[0].pair[0]: found 'c'", "wrong[0].pair[1]: found '3'"],
        ),
        (
            spec("a b", "1 2", "2 1", WrongPair(("a", "2"), "m")),
            ['wrong[0].pair: found ["a", "2"]; expected a pair that is'],
        ),
    ],
)
def test_specs_are_checked(which: Spec, said: list[str]) -> None:
    """Everything has one partner, which ids and places do not give away."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in match.validate(which)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)
