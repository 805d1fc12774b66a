"""The result is the reference's: float32 inputs, against float64 computed from the same numbers."""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.model import CheckSpec, Program, Returned, Status, Verdict
from grader.grading.checks import Seen, read
from grader.grading.compare import SECRETS as SHARED
from grader.grading.compare import compare
from grader.grading.failures import our_trouble, trouble
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

REFERENCE = True
WEIGHT = 4.0
EVERY_CASE = True


@dataclass(frozen=True, slots=True)
class Options:
    """Tolerances."""

    rtol: float = 1e-4
    atol: float = 1e-5


SECRETS = SHARED


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call."""
    writer = Writer.to(target)
    return (writer.program(writer.call(drawn).output),)


def judge(seen: Seen) -> Verdict:
    """Compares kind, shape, finiteness and values, in this order."""
    options = read(seen.spec, Options)
    if bad := our_trouble(seen.expected) or trouble(seen.got, seen.case):
        return bad
    match seen.got, seen.expected:
        case (Returned((got,)),), (Returned((expected,)),):
            found = compare(expected, got, options.rtol, options.atol)
            if found is None:
                return Verdict(Status.PASSED)
            if seen.case.public:
                return Verdict(Status.FAILED, found.text, found.difference)
            return Verdict(Status.FAILED, found.secret)
    raise ValueError("values asks for one program")
