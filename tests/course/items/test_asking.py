from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.marks import plain
from grader.core.model import Item, Status, Text
from grader.course.items import Choice, Context, Prompt, ask, choice, judge, key, multi, number, shuffled
from grader.course.items._options import Option

ADA = Context("spring", "ada", "Q3.size")
OPTIONS = tuple(Option(name, Text(f"en {name}", f"中 {name}"), name in "bd") for name in "abcde")


def test_an_order_is_kept_for_a_learner() -> None:
    """Whoever comes back finds the options where they were, on every machine."""
    assert shuffled("abcde", ADA) == shuffled("abcde", ADA) == ("d", "a", "b", "e", "c")


def test_every_order_comes_up() -> None:
    """Over many learners each option stands at each place, none much more often than others."""
    orders = [shuffled("abc", replace(ADA, learner=str(n))) for n in range(300)]
    assert len(set(orders)) == 6
    assert min(sum(order[0] == name for order in orders) for name in "abc") > 70


def test_nobody_sees_the_order_of_the_bank() -> None:
    """What is printed for all, is printed as the author wrote it."""
    assert shuffled("abcde", replace(ADA, learner="")) == tuple("abcde")


@pytest.mark.parametrize(("kind", "form"), [(choice, "one"), (multi, "many")])
def test_options_are_asked_in_the_learners_order(kind: object, form: str) -> None:
    """Ids stay with their texts, so that an answer means the same in the quiz and in answers.yaml."""
    asked: Prompt = kind.prompt(kind.Spec(OPTIONS), ADA)  # type: ignore[attr-defined]
    assert asked.form == form
    assert asked.choices == shuffled([Choice(option.id, option.text) for option in OPTIONS], ADA)


def test_keys_are_what_passes() -> None:
    """The words of the key name all that is right, and nothing else."""
    assert multi.key(multi.Spec(OPTIONS), ADA) == Text("b: en b\nd: en d", "b: 中 b\nd: 中 d")
    assert choice.key(choice.Spec(OPTIONS[:2]), ADA) == Text("b: en b", "b: 中 b")


@pytest.mark.parametrize(
    ("spec", "en", "zh"),
    [
        (number.Spec("4 * d", {"d": (2, 2)}), "8", "8"),
        (number.Spec("d / 3", {"d": (2, 2)}), "0.666667", "0.666667"),
        (number.Spec(0.5, unit="GiB"), "0.5 GiB", "0.5 GiB"),
        (number.Spec(3, unit=Text("bytes", "字节")), "3 bytes", "3 字节"),
    ],
)
def test_the_key_of_a_number_passes(spec: number.Spec, en: str, zh: str) -> None:
    """It is the number of this learner, with its unit."""
    found = number.key(spec, ADA)
    assert (plain(found.en), plain(found.zh)) == (en, zh)
    assert number.judge(spec, en, ADA).status is number.judge(spec, zh, ADA).status is Status.PASSED


def test_a_unit_is_said_beforehand() -> None:
    """Nobody has to guess what is counted."""
    assert number.prompt(number.Spec(3), ADA).facts == ()
    assert "GiB" in number.prompt(number.Spec(3, unit="GiB"), ADA).facts[0].zh


def test_an_item_is_asked_and_judged_by_its_kind() -> None:
    """Who has an item need not know its kind."""
    item = Item("Q3.size", "number", Text("?", "？"), 1.0, "graded", number.Spec(3))
    assert ask(item, ADA) == number.prompt(item.spec, ADA)
    assert key(item, ADA) == number.key(item.spec, ADA)
    assert judge(item, "3", ADA).status is Status.PASSED
