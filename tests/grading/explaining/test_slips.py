"""Slips in code: what looks like one, how it is fixed, and when it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grader.core.marks import plain
from grader.core.model import Parameter, Part, SourceFile, Status
from grader.grading.explaining.slip import slip, small_slip
from grader.grading.explaining.slips import slips
from tests.explaining import EXERCISE, ROWS, failure, tried
from tests.samples import samples
from tests.solving import Bench

RIGHT, WRONG = Status.PASSED, Status.FAILED
F = replace(EXERCISE, parameters=(Parameter("x", True),))


def found(text: str, small: bool = False) -> list[tuple[str, str]]:
    """What is said of the file ``text``, which defines ``f``, each with the line that is changed or added."""
    file = SourceFile("q.py", "q", (Part("q.py", text),), defines=(("f", 1),))
    lines = text.split("\n")
    said = []
    for each in slips(F, file, (file,), small):
        (changed,) = each.files
        new = [line for line in changed.parts[0].text.split("\n") if line not in lines]
        said.append((each.said.en, new[-1].strip()))
    return said


@pytest.mark.parametrize(
    ("body", "word", "line"),
    [
        ("    x.masked_fill(x > 0, 0.0)\n    return x", "thrown away: `x`", "x = x.masked_fill(x > 0, 0.0)"),
        ("    y = x + 1\n    y.mT\n    y @ x\n    return y", "thrown away: `y`", "y = y @ x"),
        ("    F.relu(x)\n    return x", "thrown away: `x`", "x = F.relu(x)"),
        ("    self.s.softmax(-1)\n    return x", "thrown away: `self.s`", "self.s = self.s.softmax(-1)"),
        ("    y = x + 1\n    return x", "`y` is computed here and never used", "x = x + 1"),
        ("    for y in x:\n        if y:\n            break", "`break` ends", "continue"),
        ("    for y in x:\n        if y:\n            continue", "`continue` goes on", "break"),
        ("    return x[::-1]", "reverses the order", "return x"),
        ("    return [*reversed(x)]", "reverses the order", "return [*x]"),
        ("    return torch.flip(x, [0])", "reverses the order", "return x"),
        ("    return x.flip(0)", "reverses the order", "return x"),
        ("    return x.sort(descending=True)", "wrong way round", "return x.sort(descending=False)"),
        ("    return F.leaky_relu(x)", "should be ReLU, not `leaky_relu`", "return F.relu(x)"),
        ("    return g(x) // n", "round up here", "return (-(-(g(x)) // (n)))"),
        ("    return (x) <= (n)", "`<=` with another operator", "return (x) < (n)"),
        ("    return x * -2", "replace `*` with", "return x + -2"),
        ("    return x @ -2, True", "`-2` with another number", "return x @ (-1), True or return x @ (-3), True"),
        (
            "class f:\n    seen = []\n\n    def __init__(self):\n        pass\n",
            "belongs to the class",
            "self.seen = []",
        ),
        ("class f:\n    seen = []\n\n    def g(self):\n        pass\n", "belongs to the class", "self.seen = []"),
        ("class f:\n    a = []\n    b: list = []\n", "`a` and `b` belong to the class", "self.a = []; self.b = []"),
        (
            "class f:\n    def g(self, x):\n        self.w += x\n        return self.w\n",
            "changes `self.w` itself",
            "return stored",
        ),
        ("def f(x, seen={}):\n    return x\n", "default value of `seen`", "seen = {}"),
        ("def f(x, *, seen=list()):\n    return x\n", "default value of `seen`", "seen = list()"),
        ("seen = {}\n\n\ndef f(x):\n    return seen\n", "still holds what earlier calls", "seen.clear()"),
        ("def g(x):\n    x.abs()\n    return x\n\n\ndef f(x):\n    return g(x)\n", "thrown away", "x = x.abs()"),
    ],
)
def test_what_looks_like_a_slip(body: str, word: str, line: str) -> None:
    """It is found in and around the function, and in those that it uses, and the change fixes it."""
    text = f"def f(x):\n{body}\n" if body.startswith(" ") else body
    both = [*found(text), *found(text, small=True)]
    assert [changed for said, changed in both if word in plain(said)] == line.split(" or ")


@pytest.mark.parametrize(
    "body",
    [
        "    seen.append(x)\n    print(x)\n    x.add_(1)\n    self.train()\n    super().__init__()\n    return x",
        "    a, b = x.shape\n    y = x + 1\n    return y",
        "    '''Words.'''\n    return [y for y in x]",
        "    return x\n\n\ndef g(x):\n    x.abs()\n    return x",
    ],
)
def test_what_is_no_slip(body: str) -> None:
    """Calls for their effect, values that are used, words, and another function of the file."""
    assert found(f"def f(x):\n{body}\n") == []


@pytest.mark.parametrize(
    ("right", "most", "said"),
    [
        (lambda number: True, 3, "every wrong value becomes correct"),
        (lambda number: number != 3, 3, "more values are correct"),
        (lambda number: number < 1, 3, None),
        (lambda number: number != 4, 3, None),
        (lambda number: None, 3, None),
        (lambda number: True, 0, None),  # the code as it is is right, too, if nothing was called before
    ],
)
def test_a_slip_is_said_if_it_matters(right: Callable[[int], bool | None], most: int, said: str | None) -> None:
    """The code without it has to be right in two more cases, or in all, and wrong in none that was right before."""
    text = "def f(x):\n    x.abs()\n    return x\n"
    cases = [tried(str(number), WRONG if number < 4 else RIGHT, x=ROWS, number=number) for number in range(5)]
    whole = replace(failure(*cases, text=text), exercise=F)

    def rerun(asked: Any, files: Any = None, reference: Any = None) -> list[bool | None]:
        numbers = [drawn.value("number") for _, drawn in asked]
        return [right(number) if files else number > most for number in numbers]

    told = list(slip(replace(whole, rerun=rerun)))
    assert [said in plain(each.text.en) for each in told] == ([] if said is None else [True])
    assert all(each.voice == "place" and each.span and each.span.line == 2 for each in told)


@pytest.mark.parametrize(
    ("unlike", "said"), [(None, ["One way to fix it: replace `2` with another number."]), ("fresh", []), (3, [])]
)
def test_a_number_is_said_if_another_one_fixes_everything(unlike: object, said: list[str]) -> None:
    """Every case has to be right with it, and inputs that no case has."""
    cases = [tried(str(number), WRONG if number < 4 else RIGHT, x=ROWS, number=number) for number in range(5)]
    fresh = [(cases[0].seen.spec, replace(cases[0].seen.drawn, args=(("number", "fresh"),)))]

    def rerun(asked: Any, files: Any = None, reference: Any = None) -> list[bool | None]:
        return ["(3)" in files[0].parts[0].text and drawn.value("number") != unlike for _, drawn in asked]

    whole = replace(failure(*cases, text="def f(x):\n    return 2\n"), exercise=F, rerun=rerun, fresh=lambda: fresh)
    told = list(small_slip(whole))
    assert [plain(each.text.en).split(" With")[0] for each in told] == said
    assert all(each.repairs and each.span and each.span.line == 2 for each in told)


@pytest.mark.prove
@pytest.mark.parametrize(
    ("exercise", "name", "said"),
    [
        ("KVCache", "shared_by_all", "`pieces` belongs to the class"),
        ("scaled_dot_product_attention", "mask_not_assigned", "thrown away: `scores`"),
        ("scaled_dot_product_attention", "masked_scores_unused", "`masked` is computed here and never used"),
        ("moe_route", "a_full_expert_ends_the_token", "`break` ends the whole loop"),
        ("softmax_backward", "without_the_diagonal", "minus this term: the incoming gradient times the weights"),
    ],
)
def test_code_that_used_to_get_no_reason(exercise: str, name: str, said: str, bench: Bench) -> None:
    """Each of these solutions is told what is wrong, in both languages."""
    (sample,) = [each for each in samples("wrong", exercise) if each.name == name]
    told = [each.text for each in bench.grade(exercise, sample.submission, "public").diagnosis]
    assert any(said in plain(text.en) for text in told)
    assert all(plain(text.zh) and plain(text.zh) != plain(text.en) for text in told)
