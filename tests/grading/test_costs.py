"""What correct code costs: counted in the sandbox where it can be, read from the syntax tree otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.model import Course, Text
from grader.grading import costs
from grader.grading.costs import Cost
from grader.report import beside
from grader.sandbox import Sandbox
from grader.submission import read
from tests.helpers import WORDS

LOOPED = '''import torch

# A comment.

def rows(x):
    """A docstring
    of two lines."""
    return [torch.exp(row) for row in x]


def softmax(x, axis=-1):
    """Another."""
    moved = x.movedim(axis, -1)
    flat = moved.reshape(-1, moved.shape[-1])
    made = []
    for row in rows(flat - flat.amax(-1, keepdim=True)):
        made.append(row / row.sum())
    return torch.stack(made).reshape(moved.shape).movedim(-1, axis)


def unused():
    while True:
        pass
'''


def test_code_beside_the_reference(course: Course, sandbox: Sandbox, tmp_path: Path) -> None:
    """Lines and loops of the function and its helpers; operations in torch only; no row for code that is not there."""
    (tmp_path / "q03.py").write_text(LOOPED)
    question = course.question("Q3")
    assert question is not None
    softmax = question.exercises[0]
    observe = sandbox.observe
    mine, reference, *others = costs.compare_costs(course, softmax, question, read(tmp_path), observe, observe)
    assert (mine.who, mine.lines, mine.loops, mine.library) == ("yours", 9, 2, "torch")
    assert mine.work is not None and reference.work is not None and mine.work >= reference.work > 0
    assert (reference.loops, [each.library for each in others]) == (0, ["numpy", "torch"])
    assert others[0].work is None and others[1].work is not None
    alone = costs.compare_costs(course, softmax, question, None, observe, observe)
    assert [each.who for each in alone] == ["reference", "alternative", "alternative"]
    (tmp_path / "q03.py").write_text("import torch\n\ndef softmax(x, axis=-1):\n    return torch.rand(3).tolist()\n")
    mine, *_ = costs.compare_costs(course, softmax, question, read(tmp_path), observe, observe)
    assert mine.work is None


def test_definitions() -> None:
    """The last one, with its decorators; nothing for what is not there, or not Python."""
    text = "def f():\n    return 1\n\n@cached\ndef f():\n    return 2\n\ng = f\n"
    assert costs.definition(text, "f") == "@cached\ndef f():\n    return 2"
    assert costs.definition(text, "g") is None and costs.definition("def f(:", "f") is None


def test_every_alternative_is_another_way(course: Course) -> None:
    """The commonest exercises have two, each with a note in both languages, and with code of its own."""
    found = {e.name: e for question in course.questions for e in question.exercises if e.alternatives}
    common = {"softmax", "scaled_scores", "scaled_dot_product_attention", "causal_mask", "layer_norm", "split_heads"}
    assert common <= found.keys()
    for name, exercise in found.items():
        codes = [exercise.reference, *(each.code for each in exercise.alternatives)]
        assert len(set(codes)) == len(codes) == 3, name
        assert all(each.note.en != each.note.zh for each in exercise.alternatives)


YOURS, REFERENCE = Cost("yours", 4, 0, "torch", 100, 10, WORDS), Cost("reference", 4, 0, "torch", 100, 10, WORDS)


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        (YOURS, "much the same"),
        (Cost("yours", 4, 1, "torch"), "Yours has one loop, the reference none"),
        (Cost("yours", 9, 3, "torch"), "Yours has 3 loops"),
        (Cost("yours", 8, 0, "torch"), "8 lines of code, the reference 4"),
        (Cost("yours", 4, 0, "torch", 250, 10, WORDS), "2.5 times the operations"),
        (Cost("yours", 4, 0, "torch", 50, 10, WORDS), "only 50 % of the operations"),
        (Cost("yours", 4, 0, "torch", 100, 40, WORDS), "largest array is 4.0 times"),
        (Cost("yours", 4, 0, "torch", 100, 1, WORDS), "only 10 % of the numbers"),
        (Cost("yours", 4, 0, "numpy"), "written in NumPy, the reference in PyTorch"),
    ],
)
def test_what_differs_is_said(mine: Cost, said: str) -> None:
    """In a sentence each; nothing is said about what could not be counted."""
    found = beside.differences((mine, REFERENCE))
    assert any(said in each.en for each in found), found
    assert all("–" not in each.en and each.en != each.zh for each in found)
    assert len(list(beside.lines((mine, REFERENCE), "zh"))) >= 4


def test_plain_numbers_have_no_library() -> None:
    """Nothing is said about the library, or about loops, where the reference has no arrays, or loops itself."""
    both = (Cost("yours", 4, 3, "numpy"), Cost("reference", 4, 2, "torch"))
    assert "NumPy" not in str(beside.rows(both, "en")) and "much the same" in beside.differences(both)[0].en


def test_nothing_to_compare() -> None:
    """Without the learner's code nothing differs; without a count no case is named."""
    assert beside.differences((REFERENCE,)) == ()
    assert beside.counted_units_sentence((Cost("reference", 1, 0, "numpy"),)) is None
    assert isinstance(beside.counted_units_sentence((REFERENCE,)), Text)
