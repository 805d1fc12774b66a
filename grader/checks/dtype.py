"""The precision of the inputs is kept: float64 in gives float64 out, computed in float64.

In torch float32 stays float32, too. NumPy's promotion from float32 to float64 is remarked on, and costs nothing.
"""

from __future__ import annotations

from grader.calls import Target, Writer
from grader.checks import Seen
from grader.compare import compare
from grader.inputs import Drawn
from grader.model import Array, CheckSpec, Program, Returned, Status, Text, Verdict
from grader.trouble import our_trouble, trouble

REFERENCE = True
WEIGHT = 1.0
EVERY_CASE = False

_OTHER = Text(
    "{given} in, {got} out: the dtype of the inputs is not kept",
    "输入是 {given}，输出却是 {got}：没有保持输入的精度（dtype）",
)
_LOSS = Text(
    "float64 in and float64 out, but with the accuracy of float32: something in between is computed in lower precision",
    "输入和输出都是 float64，精度却只有 float32 的水平：中间有一步用了更低的精度",
)
_PROMOTED = Text(
    "float32 inputs become float64 results: NumPy promotes them (a float64 constant?); no points are lost",
    "float32 的输入得到了 float64 的结果：NumPy 做了类型提升（也许有 float64 的常数）；不扣分",
)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call in float64, one in float32."""
    programs = []
    for precision in ("float64", "float32"):
        writer = Writer.to(target, precision)
        programs.append(writer.program(writer.call(drawn).output))
    return tuple(programs)


def judge(seen: Seen) -> Verdict:
    """The dtypes, then the accuracy that float64 promises."""
    if bad := our_trouble(seen.expected) or trouble(seen.got, seen.case):
        return bad
    match seen.got, seen.expected:
        case (Returned((Array() as wide,)), Returned((Array() as narrow,))), (Returned((expected,)), *_):
            return _judge(wide, narrow, expected, seen.array_type)
        case (Returned((got,)), _), (Returned((expected,)), *_):
            found = compare(expected, got)
            return Verdict(Status.FAILED, found.secret if found else None)
    raise ValueError("dtype asks for two programs")


def _judge(wide: Array, narrow: Array, expected: object, array_type: str) -> Verdict:
    if wide.dtype != "float64":
        return Verdict(Status.FAILED, _OTHER.fill(given="float64", got=wide.dtype))
    if narrow.dtype != "float32" and (array_type == "torch" or narrow.dtype != "float64"):
        return Verdict(Status.FAILED, _OTHER.fill(given="float32", got=narrow.dtype))
    if found := compare(expected, wide, 1e-8, 1e-9):
        coarse = compare(expected, wide) is None
        return Verdict(Status.FAILED, _LOSS if coarse else found.secret)
    return Verdict(Status.PASSED, remark=_PROMOTED if narrow.dtype == "float64" else None)
