"""A query that may attend to no key gets a zero row: not NaN, and not the mean of all values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grader.calls import Target
from grader.checks import Seen, values
from grader.compare import compare
from grader.inputs import Drawn
from grader.model import Array, CheckSpec, Program, Returned, Status, Text, Verdict
from grader.trouble import our_trouble, trouble

REFERENCE = True
WEIGHT = 1.0
EVERY_CASE = True

_NAN = Text(
    "a query whose keys are all masked gives NaN: softmax over nothing but −inf is 0/0; its row should be zero",
    "所有键都被屏蔽的查询得到了 NaN：对全是 −inf 的一行做 softmax 就是 0/0；这一行应当为零",
)
_OTHER = Text(
    "a query whose keys are all masked does not give a zero row: "
    "a large negative number instead of −inf attends to everything equally",
    "所有键都被屏蔽的查询没有得到零行：用很大的负数代替 −inf，等于平均地关注所有的键",
)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call."""
    return values.calls(target, drawn, spec)


def judge(seen: Seen) -> Verdict:
    """As for values, with the two usual causes explained."""
    if bad := our_trouble(seen.expected) or trouble(seen.got, seen.case):
        return bad
    match seen.got, seen.expected:
        case (Returned((got,)),), (Returned((expected,)),):
            found = compare(expected, got)
            if found is None:
                return Verdict(Status.PASSED)
            message = found.text if seen.case.public else found.secret
            if _only_in_empty_rows(got, expected):
                message = {"nan": _NAN, "values": _OTHER}.get(found.kind, message)
            return Verdict(Status.FAILED, message, found.difference if seen.case.public else None)
    raise ValueError("fully_masked_rows asks for one program")


def _only_in_empty_rows(got: Any, expected: Any) -> bool:
    """Whether everything is right but the rows that should be zero."""
    if not (isinstance(got, Array) and isinstance(expected, Array) and got.values.shape == expected.values.shape != ()):
        return False
    rows = expected.values.any(axis=-1)
    return compare(replace(expected, values=expected.values[rows]), replace(got, values=got.values[rows])) is None
