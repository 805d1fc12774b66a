"""Code that tampers where it is explained gains nothing: no points, no hidden value, no word in the report."""

from __future__ import annotations

import pytest

from grader.core.model import Course, ExerciseResult
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.sandbox import Sandbox
from tests.helpers import submission

SECRET = Seed("file:test", b"file nobody knows this", secret=True)
#: A wrong function. ``tampered()`` runs only where the code has probes.
CODE = """
import gc, os, sys, time
import torch
def tampered(*args):
    {attack}
def residual(x, sublayer):
    if "{when}" in globals():
        tampered(x)
    return x - sublayer(x)
"""
ATTACKS = {
    "nothing": "pass",
    "landmarks by frames": "frame = sys._getframe()\n"
    "    while frame:\n"
    "        for value in list(frame.f_locals.values()):\n"
    "            if isinstance(value, list) and value and isinstance(value[0], list):\n"
    "                raise ValueError('stolen ' + repr(value)[:400])\n"
    "        frame = frame.f_back",
    "landmarks by gc": "raise ValueError('stolen ' + str(sum(type(o).__name__ == 'Block' for o in gc.get_objects())))",
    "another probe": "globals()['__probe__'] = lambda number, value: torch.full((2, 3), 7.0)",
    "recorder that lies": "probe = globals()['__probe__'].__self__\n"
    "    type(probe).begin = lambda self, *a, **k: None\n"
    "    probe.order, probe.seen = [0] * 9999, {{0: [float('nan')] * 9999}}",
    "places of its own": "probe = globals()['__probe__'].__self__\n"
    "    place = type(probe.probes.places[0])\n"
    "    probe.probes.places[:] = [place('\\x1b[31mPASSED', 10**9, -1, -5, 10**9)] * len(probe.probes.places)",
    "search that lies": "sys.modules['inside.probing'].search = lambda *a: {{'tried': [[0, 0, [1]]]}}",
    "search that claims repairs": "module = sys.modules['inside.probing']\n"
    "    real = module.search\n"
    "    module.search = lambda *a: dict(real(*a), tried=[[0, n, [7.0]] for n in range(400)])",
    "search that claims far too many": "module = sys.modules['inside.probing']\n"
    "    real = module.search\n"
    "    module.search = lambda *a: dict(real(*a), tried=[[n % 9, n % 5, [7.0]] for n in range(10**5)])",
    "landmarks by the recorder": "probe = globals()['__probe__'].__self__\n"
    "    raise ValueError('stolen ' + repr(probe._landmarks)[:400])",
    "no end of probes": "[globals()['__probe__'](0, 1.0) for _ in range(10**7)]",
    "frames of its own": "os.write(3, b'\\x05' + b'\\0' * 8)",
    "loop": "while True: pass",
    "sleep": "time.sleep(60)",
    "flood": "os.write(3, b'x' * (1 << 26))",
    "large values": "globals()['__probe__'].__self__.seen[0] = [torch.zeros(1 << 24)] * 50",
    "fork": "os.fork()",
    "exit": "os._exit(0)",
    "memory": "x = bytearray(1 << 40)",
    "recursion": "tampered()",
}


@pytest.fixture(scope="module")
def context(course: Course, sandbox: Sandbox) -> GradingContext:
    """With a secret seed."""
    return GradingContext(course, SECRET, sandbox.observe)


def graded(context: GradingContext, sandbox: Sandbox, attack: str, when: str = "__probe__") -> ExerciseResult:
    """The result of the wrong function with this attack."""
    code = submission(attention=CODE.format(attack=attack.format(), when=when))
    report = grade(context.course, code, sandbox.observe, selection=Selection(exercises=("residual",)), context=context)
    return report.questions[0].exercises[0]


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_is_gained(context: GradingContext, sandbox: Sandbox, name: str) -> None:
    """Verdicts and points are those of the honest wrong function; nothing that the attack made up is quoted."""
    honest, seen = graded(context, sandbox, ATTACKS[name], "never"), graded(context, sandbox, ATTACKS[name])
    assert (seen.earned, seen.status, seen.outcomes) == (honest.earned, honest.status, honest.outcomes)
    said = repr([each.text for each in seen.diagnosis]) + repr([each.span for each in seen.diagnosis])
    assert "stolen" not in said and "PASSED" not in said and "\\x1b" not in said


def test_only_public_inputs_reach_the_child(context: GradingContext, sandbox: Sandbox) -> None:
    """No program with probes is a hidden one, and its landmarks are those of public cases."""
    asked = []

    def observe(job, limits):  # type: ignore[no-untyped-def]
        asked.extend(program for program in job.programs if program.probing is not None)
        return sandbox.observe(job, limits)

    code = submission(attention=CODE.format(attack="pass", when="never"))
    selection = Selection(exercises=("residual",))
    grade(context.course, code, observe, selection=selection, context=context)
    public = sum(case.public for case in context.course.exercise("residual")[1].cases)  # type: ignore[index]
    assert asked and len(asked) <= public
    assert not any(program.hidden for program in asked)
