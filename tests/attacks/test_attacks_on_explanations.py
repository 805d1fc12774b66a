"""What code returns is all that the voices beside the place see. Reading, lying, looping and flooding are in vain."""

from __future__ import annotations

import pytest

from grader.core.marks import plain
from grader.core.model import Course, ExerciseResult
from grader.grading import code_grading
from grader.grading.context import GradingContext
from grader.grading.explaining.explain import EXPLAINERS, explain
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.sandbox import Sandbox
from tests.helpers import submission

SECRET = Seed("file:test", b"file nobody knows this", secret=True)
CODE = """
import sys
import torch
def other():
    return 0
def residual(x, sublayer):
    {attack}
"""
ATTACKS = {
    # reads: nothing of other cases is there to be returned
    "what the frames hold": "return repr([list(sys._getframe(n).f_locals) for n in range(2)])",
    "references in memory": "return [name for name in sys.modules if 'reference' in name]",
    # lies
    "a truth of its own": "return {{'\\x1b[31mPASSED\\n' + 'k' * 9999: x + sublayer(x)}}",
    "right in the first call": "other.n = getattr(other, 'n', 0) + 1\n    return (x + sublayer(x)) * (other.n == 1)",
    "another type": "return type('Tensor', (), {{'shape': (1 << 60,), 'dtype': 'PASSED'}})()",
    "numbers that no float holds": "return [10**400] * 9",
    "not a number": "return x * float('nan')",
    "a name in the exception": "raise type('PASSED\\x1b[31m' * 999, (Exception,), {{}})('PASSED')",
    # loops
    "a list in itself": "a = []\n    a.append(a)\n    return a",
    "no end": "return iter(int, 1)",
    # floods
    "many values": "return [x[:1, :1]] * 500",
    "many keys": "return {{str(n): 1.0 for n in range(500)}}",
    "deep": "a = x\n    for _ in range(900):\n        a = [a]\n    return a",
    "large": "return torch.zeros(1 << 22)",
    "many axes": "return x.reshape((1,) * 40 + tuple(x.shape))",
}


@pytest.fixture(scope="module")
def context(course: Course, sandbox: Sandbox) -> GradingContext:
    """With a secret seed."""
    return GradingContext(course, SECRET, sandbox.observe)


def graded(context: GradingContext, sandbox: Sandbox, attack: str) -> ExerciseResult:
    """The result of a function that does this."""
    code = submission(attention=CODE.format(attack=attack.format()))
    report = grade(context.course, code, sandbox.observe, selection=Selection(exercises=("residual",)), context=context)
    return report.questions[0].exercises[0]


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_is_gained(
    context: GradingContext, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Points are those of grading without any voice, and what is said has no word that the code chose."""
    explained = graded(context, sandbox, ATTACKS[name])
    monkeypatch.setattr(code_grading, "explain", lambda failure, names_only: ())
    silent = graded(context, sandbox, ATTACKS[name])
    assert (explained.earned, explained.status, explained.outcomes) == (silent.earned, silent.status, silent.outcomes)
    assert explained.misconception is None
    for each in explained.diagnosis:
        assert plain(each.text.en).isprintable() and len(each.text.en) <= 2000
        assert "\x1b" not in each.text.zh


def test_every_voice_was_attacked(context: GradingContext, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is asked about code that lies: none is left out because an earlier one failed."""
    asked = []

    def listening(failure, names_only):  # type: ignore[no-untyped-def]
        for voice, _ in EXPLAINERS:
            list(voice(failure))
            asked.append(voice.__name__)
        return explain(failure, names_only)

    monkeypatch.setattr(code_grading, "explain", listening)
    graded(context, sandbox, ATTACKS["many values"])
    assert asked == [voice.__name__ for voice, _ in EXPLAINERS]
