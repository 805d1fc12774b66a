"""Letters tell nothing: no answer that is the same everywhere earns much more than chance."""

from __future__ import annotations

import functools
import itertools
import re

import pytest

from grader.authoring import giveaways
from grader.core.model import Course, Item, Text
from grader.course import items, loader
from grader.course.items import choice, match, multi, order
from grader.course.items._options import Arrangeable, Option
from grader.grading import courses
from tests.helpers import WORDS, course, question


@functools.cache
def shipped() -> Course:
    """The course of the project."""
    return courses.load(loader.find(None))


def shipped_items(use: str) -> list[Item]:
    """Its graded items, or all."""
    every = (item for question in shipped().questions for item in question.items)
    return [item for item in every if use in ("all", item.use)]


def share_of(item: Item, answer: object) -> float:
    """The share of its points that ``answer`` earns."""
    judged: items.Judgment = items.judge(item, answer, items.Context("", "", item.id))
    return judged.fraction


@pytest.mark.parametrize(
    "use", ["graded", *(pytest.param(use, marks=pytest.mark.prove) for use in ("practice", "all"))]
)
@pytest.mark.parametrize("kind", ["choice", "multi", "match", "order"])
def test_no_constant_answer_pays_in_the_shipped_course(kind: str, use: str) -> None:
    """Whatever letters, pairs or order somebody gives everywhere."""
    best = giveaways.best_constant(kind, shipped_items(use))
    assert best is None or best.earns <= best.chance + giveaways.MARGIN


@pytest.mark.parametrize("use", ["graded", "all"])
def test_every_set_of_letters_in_every_multi_item(use: str) -> None:
    """Counted here once more: a set that an item lacks letters of is answered without them."""
    of = [item for item in shipped_items(use) if item.kind == "multi"]
    best = giveaways.best_constant("multi", of)
    assert best is not None
    for size in (1, 2, 3, 4):
        for chosen in itertools.combinations("abcdef", size):
            earned = sum(item.points * share_of(item, [name for name in chosen if name in ids(item)]) for item in of)
            assert earned / sum(item.points for item in of) <= best.earns + 1e-9


def ids(item: Item) -> list[str]:
    """The ids of the options of a ``multi`` item."""
    assert isinstance(item.spec, multi.Spec)
    return [option.id for option in item.spec.options]


def test_letters_of_multi_items_are_right_equally_often() -> None:
    """Alone and as neighbours, within a tenth of the items of what chance would give."""
    of = [item for item in shipped_items("graded") if item.kind == "multi"]
    right = [[option.correct for option in item.spec.options] for item in of]
    for at in range(5):
        expected = sum(sum(flags) / len(flags) for flags in right if at < len(flags))
        assert abs(sum(flags[at] for flags in right if at < len(flags)) - expected) <= 0.1 * len(of)
    together = sum(one and other for flags in right for one, other in itertools.pairwise(flags))
    expected = sum(sum(flags) * (sum(flags) - 1) / len(flags) for flags in right)
    assert abs(together - expected) <= 0.1 * len(of)


def test_the_shipped_options_are_in_the_order_of_their_ids() -> None:
    """So that a reader of the bank finds them where files have them."""
    for item in shipped_items("all"):
        if item.kind in ("choice", "multi"):
            found = [option.id for option in item.spec.options]
            assert found == sorted(found), item.id


# ------------------------------------------------------------------------------------------- refused banks


def made(kind: str, at: int, *, told: bool) -> Item:
    """An item whose answer is at the same letters everywhere (``told``), or at others for each ``at``."""
    turn = 0 if told else at
    names = "abcdef"

    def text(name: str) -> Text:
        return Text(f"{name} {at}", f"{name} {at}")

    right = {names[turn % 6], names[(turn + 2 + turn // 6) % 6]}
    spec: object
    if kind == "choice":
        spec = choice.Spec(tuple(Option(each, text(each), each == names[turn % 6]) for each in names))
    elif kind == "multi":
        spec = multi.Spec(tuple(Option(each, text(each), each in right) for each in names))
    elif kind == "match":
        partners = {name: str((place * (1 + turn % 5) + turn) % 6 + 1) for place, name in enumerate(names)}
        right_side = tuple(Arrangeable(str(number), text(str(number))) for number in range(1, 7))
        spec = match.Spec(tuple(Arrangeable(each, text(each)) for each in names), right_side, partners, reuse=True)
    else:
        orders = list(itertools.permutations("abcdef"))
        spec = order.Spec(tuple(Arrangeable(each, text(each)) for each in orders[97 + 61 * turn % 600]))
    return Item(f"Q1.{kind}{at}", kind, WORDS, 1, "graded", spec)


@pytest.mark.parametrize("kind", ["choice", "multi", "match", "order"])
def test_a_bank_whose_letters_tell_is_refused(kind: str) -> None:
    """With the answer, what it earns, what chance earns, and items to change; a few items are not refused."""
    told = [made(kind, at, told=True) for at in range(12)]
    (found,) = giveaways.letter_problems(course(question("Q1", items=told)))
    assert found.id == "given-away" and "earns 100%" in found.text
    assert f"every graded {kind} item" in found.text and "exchange the ids" in found.text
    assert f"Q1.{kind}0" in found.text
    assert found in list(giveaways.problems(course(question("Q1", items=told))))
    few = told[: giveaways.FEWEST_ASKED - 1]
    assert not list(giveaways.letter_problems(course(question("Q1", items=few))))


@pytest.mark.parametrize("kind", ["choice", "multi"])
def test_a_bank_whose_letters_vary_is_not_refused(kind: str) -> None:
    """With as many items."""
    varied = [made(kind, at, told=False) for at in range(24)]
    assert not list(giveaways.letter_problems(course(question("Q1", items=varied))))


@pytest.mark.parametrize(("kind", "chance"), [("choice", 1 / 6), ("multi", 1 / 15)])
def test_chance(kind: str, chance: float) -> None:
    """One letter of six; two letters of six, which are both right once in 15 times, and else earn nothing."""
    best = giveaways.best_constant(kind, [made(kind, at, told=True) for at in range(12)])
    assert best is not None and best.chance == pytest.approx(chance)


#: How a text would name an option: “as in b”, “option c”.
_NAMES = re.compile(r"(?:\b(?:options?|as in|except in|line)|选项|像|除) [a-j]\b(?! ?[=·+−*/])")


def test_no_text_names_an_option_by_its_letter() -> None:
    """Screens show numbers, in an order that differs between learners."""
    for item in shipped_items("all"):
        if item.kind in giveaways.KINDS:
            for text in filter(None, (item.ask, item.explain)):
                assert not _NAMES.search(text.en) and not _NAMES.search(text.zh), item.id
