"""What learner code prints comes back until it has seen hidden inputs, and never in the way of its results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from grader.core.model import Call, Observed, Program, ResourceUsage, Returned
from grader.grading.exercise_results import MOST_IN_A_LINE, MOST_LINES, printable_output
from grader.sandbox import Sandbox
from grader.sandbox.children import MalformedFrame
from grader.sandbox.inside import frames
from grader.sandbox.inside.serve import MAX_BYTES
from grader.sandbox.launch import _observation, _Run
from grader.sandbox.wire import ChildTask
from tests.sandbox.conftest import QUICK, job

Watch = Callable[..., Observed]

SPEAKS = """
import sys
print("at import")
def f(x=0):
    print("here", x)
    print("wrong", file=sys.stderr)
    sys.stdout.buffer.write(b"raw\\n")
    return 1
def quiet():
    return 2
def fails():
    print("before")
    raise ValueError
"""


def test_each_program_has_what_it_printed(observed: Watch) -> None:
    """Both streams in order, without what was printed at import or by other programs; also if it raises."""
    seen = observed(SPEAKS, "f", "quiet", "fails")
    assert seen.printed == ("here 0\nwrong\nraw\n", "", "before\n")
    assert seen.observations[:2] == (Returned((1,)), Returned((2,)))
    assert observed(SPEAKS, "quiet").printed == ("",)


def test_nothing_once_hidden_inputs_were_sent(sandbox: Sandbox) -> None:
    """Neither from hidden programs, nor from those after them, in this job or the next one of the submission."""
    hidden = Program("unit", (Call("f", (7,)),), (0,), group="a", hidden=True)
    public = Program("unit", (Call("f", (5,)),), (0,), group="a")
    seen = sandbox.observe(job(SPEAKS, hidden, public), QUICK)
    assert seen.printed == ("", "here 5\nwrong\nraw\n")
    later = replace(job(SPEAKS, public), usage=ResourceUsage(hidden=True))
    assert sandbox.observe(later, QUICK).printed == ()


HOSTILE = {
    "flood": ("print('x' * (1 << 22))", MAX_BYTES),
    "many lines": ("[print(i) for i in range(20000)]", MAX_BYTES),
    "binary": ("sys.stdout.buffer.write(bytes(range(256)))", 256),
    "surrogates": ("print('\\ud800')", 7),
    "closed": ("sys.stdout.close()", 0),
    "gone": ("sys.stdout = sys.stderr = None", 0),
    "forged kept": ("print('a'); sys.stdout.buffer._kept = bytearray(b'b')", 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_output_costs_itself_only(observed: Watch, name: str) -> None:
    """The result arrives, and the rest of the output is bounded."""
    code, most = HOSTILE[name]
    seen = observed(f"import sys\ndef f():\n    {code}\n    return 1\n", "f")
    assert seen.observations == (Returned((1,)),)
    assert len("".join(seen.printed)) <= most


@pytest.mark.parametrize("forged", [5, ["x"], None, b"x"])
def test_a_forged_field_that_is_no_text_ends_the_child(forged: object) -> None:
    """It breaks the protocol, like any other field of another type."""
    run = _Run(job(SPEAKS, "quiet"), QUICK)
    task = ChildTask("unit", 0, run.job.programs[0])
    with pytest.raises(MalformedFrame):
        _observation(run, (frames.RETURNED, {"task": 0, "values": [1], "printed": forged}), 0, task)
    assert not run.printed


def test_a_forged_field_is_cut() -> None:
    """However long a text the child claims to have printed."""
    run = _Run(job(SPEAKS, "quiet"), QUICK)
    task = ChildTask("unit", 0, run.job.programs[0])
    _observation(run, (frames.RETURNED, {"task": 0, "values": [1], "printed": "x" * 100_000}), 0, task)
    assert len(run.printed[0]) == MAX_BYTES
    run.hidden = True
    run.printed.clear()
    _observation(run, (frames.RETURNED, {"task": 0, "values": [1], "printed": "secret"}), 0, task)
    assert not run.printed


def test_what_is_shown_is_clean_and_short() -> None:
    """The first lines, each cut; without terminal sequences, bidirectional overrides and control characters."""
    assert printable_output("a\x1b[31m b\x00\u202e\r\n  c\td\n") == "a b\n  c d"
    lines = printable_output("\n".join("x" * 500 for _ in range(50))).split("\n")
    assert len(lines) == MOST_LINES + 1 and lines[-1] == "…"
    assert max(map(len, lines)) == MOST_IN_A_LINE
    assert printable_output("") == printable_output("\n\n") == ""
