"""What lets somebody guess is found, and a course without it is left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grader.authoring import giveaways
from grader.authoring.giveaways import ENOUGH
from grader.core.model import Item, Misconception, Text
from grader.course import items
from grader.course.problems import Problem
from tests.helpers import WORDS, course, exercise, question

SHOWN_BY_GUESSING = {*("no-level", "few-hard-items", "length-tells", "wording-tells", "stem-tells", "key-shown")}
Option = items.kind("choice").Option


def both(en: str) -> Text:
    """The same words in either language, for what does not depend on it."""
    return Text(en, en)


def choice(number: int, right: str, *wrong: str, ask: Text = WORDS) -> Item:
    """A single-choice item. The letter of the right option differs between items, as it does in a course."""
    texts = list(wrong)
    texts.insert(number % (len(wrong) + 1), right)
    options = [Option("abcd"[at], both(text), correct=text == right) for at, text in enumerate(texts)]
    return Item(f"Q1.n{number}", "choice", ask, spec=items.kind("choice").Spec(tuple(options)))


def found(*asked: Item, **more: Any) -> list[Problem]:
    """The problems of a course of one question."""
    return list(giveaways.problems(course(question("Q1", exercise("half(x)"), items=asked, **more))))


def kinds(problems: list[Problem]) -> list[str]:
    """Their kinds."""
    return [problem.id for problem in problems]


#: Right options of every length: a third the longest, a third the shortest.
BALANCED: tuple[Callable[[int], Item], ...] = (
    lambda n: choice(n, "12345", "123", "1234"),
    lambda n: choice(n, "1234", "123", "12345"),
    lambda n: choice(n, "123", "1234", "12345"),
)


def test_a_balanced_course_has_no_problem() -> None:
    """Lengths as chance makes them, no telling words."""
    assert found(*(BALANCED[n % 3](n) for n in range(ENOUGH))) == []


@pytest.mark.parametrize(("right", "what"), [("12345", "longest"), ("12", "shortest")])
def test_lengths(right: str, what: str) -> None:
    """The right option is always, and never, the longest (or the shortest); a small course is left alone."""
    same = [choice(n, right, "123", "1234") for n in range(ENOUGH)]
    said = [str(problem) for problem in found(*same)]
    assert len(said) == 4
    assert sum(f"is the {what} in {ENOUGH} of {ENOUGH} items" in text for text in said) == 2
    assert found(*same[:-1]) == []


@pytest.mark.parametrize("word", ["It always holds", "永远成立", "It depends on x", "视情况而定"])
def test_words(word: str) -> None:
    """A word that only wrong options have is found; as soon as right ones have it as often, it is not."""
    one_sided = [BALANCED[n % 3](n) for n in range(ENOUGH)]
    one_sided += [choice(100 + n, "12345", "123", word) for n in range(8)]
    assert "wording-tells" in kinds(found(*one_sided))
    even = [*one_sided, *(choice(200 + n, word, "123", "12345") for n in range(4))]
    assert "wording-tells" not in kinds(found(*even))


@pytest.mark.parametrize(
    ("right", "wrong", "shared"),
    [
        ("The gradients vanish", "They explode", "gradient"),
        ("The gradients vanish", "The gradient explodes", None),
        ("They vanish", "They explode", None),
        ("缩放让梯度变小", "分数变大", "让梯度"),
    ],
)
def test_the_stem(right: str, wrong: str, shared: str | None) -> None:
    """A word of the question that only the right option repeats."""
    asked = choice(1, right, wrong, ask=Text("What happens to each gradient?", "什么会让梯度消失？"))
    said = [str(problem) for problem in found(asked) if problem.id == "stem-tells"]
    assert bool(said) is (shared is not None)
    assert shared is None or any(f"“{shared}" in text for text in said)


def test_levels() -> None:
    """Nothing is asked of a course without levels; otherwise all items need one, and many items two hard ones."""
    plain = [BALANCED[n % 3](n) for n in range(9)]
    assert found(*plain) == []
    one = [replace(plain[0], level=3), *plain[1:]]
    assert kinds(found(*one)) == ["no-level", "few-hard-items"]
    rated = [replace(item, level=3 if n < 2 else 1) for n, item in enumerate(plain)]
    assert found(*rated) == []


def formula(name: str, use: Any = "graded", **more: Any) -> Item:
    """An item whose key is 4 n d^2."""
    spec = items.kind("expression").Spec({"n": "positive integer", "d": "positive integer"}, "4 n d^2")
    return replace(Item(name, "expression", WORDS, use=use, spec=spec), **more)


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ({"ask": Text("Why is it 4·n·d^2?", "为什么？")}, True),
        ({"use": "practice", "explain": Text("It is 4 n d^2.", "是它。")}, True),
        ({"use": "practice"}, True),
        ({}, False),
        ({"ask": Text("def half(x): return x", "？")}, True),
    ],
)
def test_keys(other: dict[str, Any], shown: bool) -> None:
    """The key of a graded item stands in no other item, and no item solves an exercise."""
    said = [p for p in found(formula("Q1.a"), formula("Q1.b", **other)) if p.id == "key-shown"]
    assert bool(said) is shown


@pytest.mark.parametrize(
    ("answer", "said", "shown"),
    [
        ("(batch, h, n, d_k)", "It returns (B, h, n, d / h), one row for each token.", True),
        ("(batch, h, n, d_k)", "It returns (batch, n, h, d_k).", False),
        ("(n, d)", "It returns (n, d).", False),
    ],
)
def test_shapes(answer: str, said: str, shown: bool) -> None:
    """A shape of three or more axes stands in no text, however it is written; shorter ones occur by chance."""
    sizes = {name: WORDS for name in ("batch", "h", "n", "d_k", "d")}
    spec = items.kind("shape").Spec(answer, sizes, equal={"d": "h * d_k"}, aliases={"batch": ("B",)})
    item = Item("Q1.a", "shape", WORDS, use="graded", spec=spec)
    belief = Misconception("slow", Text(said, "是它。"), WORDS)
    told = [str(problem) for problem in found(item, misconceptions=[belief])]
    assert bool(told) is shown and all("misconception slow of Q1 shows its key" in each for each in told)


def test_keys_in_texts_and_derivations() -> None:
    """The key in a misconception, and as the end of a derivation in another spelling."""
    belief = Misconception("slow", Text("It takes 4 n d^2.", "是它。"), WORDS)
    said = [str(problem) for problem in found(formula("Q1.a"), misconceptions=[belief])]
    assert len(said) == 1 and "misconception slow of Q1 shows its key" in said[0]
    module = items.kind("derivation")
    symbols = {"n": "positive integer", "d": "positive integer"}
    spec = module.Spec(symbols, "2 n d d + 2 n d^2", "4 d n d", ("2 n d^2 + 2 n d^2",), ())
    chain = Item("Q1.chain", "derivation", WORDS, spec=spec)
    assert sum("Q1.chain shows a formula equal to its key" in str(p) for p in found(formula("Q1.a"), chain)) == 1
    hidden = replace(chain, spec=replace(spec, from_="n", hide_to=True))
    assert found(formula("Q1.a"), hidden) == []
