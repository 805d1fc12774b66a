"""Voice 1 from end to end: two typical mistakes at once, as learners make them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import Misconception, Mistake, Observation, Returned, Status, Text
from grader.grading.explaining.mistake import mistake
from grader.grading.explaining.mistakes import MistakeSignature
from tests.explaining import failure, gave, tried
from tests.helpers import submission
from tests.solving import Bench

FIRST_DRAFT = """
import torch

def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v
"""
STD_PLUS_EPS = """
def layer_norm(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + beta
"""


@pytest.mark.prove
@pytest.mark.parametrize(
    ("exercise", "text", "name"),
    [
        ("scaled_dot_product_attention", FIRST_DRAFT, "softmax-alone-is-attention"),
        ("layer_norm", STD_PLUS_EPS, "std-is-the-root"),
    ],
)
def test_the_commonest_first_drafts(exercise: str, text: str, name: str, bench: Bench) -> None:
    """Attention without scaling and without mask, and a norm that divides by x.std() + eps."""
    found = bench.grade(exercise, submission(draft=text), "public", "torch")
    named = [each.misconception for each in found.diagnosis if each.voice == "mistake"]
    assert named == [name]
    assert (found.misconception, found.message) == (name, found.diagnosis[0].text)


def ids(*values: int) -> tuple[Observation, ...]:
    """A program that returned a list of ids."""
    return (Returned((list(values),)),)


@pytest.mark.parametrize(
    ("wrong", "alike", "named"),
    [
        (ids(1, 2), [True, True], True),
        (ids(1, 2), [True, False], False),
        (ids(1, 2), [None, None], True),  # nothing can be run
        (ids(1, 200), [False, False], True),  # nobody returns that by chance
        (ids(*range(9)), [False, False], True),
        (gave([0.5, 0.25]), [False, False], True),
    ],
)
def test_a_few_ids_say_little(wrong: tuple[Observation, ...], alike: list[bool | None], named: bool) -> None:
    """Two wrong lists may agree with a mistake by chance, so the code has to agree with it for fresh inputs, too."""
    for count, expected in ((2, named), (3, True)):
        seen = [tried(str(at), Status.FAILED, got=wrong, expected=ids(3)) for at in range(count)]
        whole = failure(*seen, known=[MistakeSignature(Mistake("squares", (), ("values",)), [wrong] * count)])
        whole = replace(
            whole,
            question=replace(whole.question, misconceptions=(Misconception("squares", Text("No.", "不。")),)),
            rerun=lambda asked, files=None, reference=None: alike,
        )
        assert [each.misconception for each in mistake(whole)] == (["squares"] if expected else [])


def test_what_the_report_shows_first_is_explained_first() -> None:
    """Of two mistakes, the one that fails the first check that failed."""
    right, one, two, both = map(
        gave, ([0.0, 1.0, 0.5, 2.0], [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 3.0, 2.0, 8.0])
    )
    checks = zip(("causal", "values", "values", "values"), (both, one, two, both), strict=True)
    seen = [tried("c", Status.FAILED, check=check, got=got) for check, got in checks]
    norm = MistakeSignature(Mistake("norm", (), ("values",)), [both, one, right, two])
    mask = MistakeSignature(Mistake("mask", (), ("causal", "values/2")), [both, right, two, one])
    pair = [both, one, two, both]
    whole = failure(
        *seen, known=[norm, mask], changed=[{1, 3}, {2, 3}], pair=lambda a, b, at: [pair[place] for place in at]
    )
    believed = Misconception("norm", Text("No.", "不。")), Misconception("mask", Text("No.", "不。"))
    whole = replace(whole, question=replace(whole.question, misconceptions=believed))
    assert [each.misconception for each in mistake(whole)] == ["mask", "norm"]
