"""One check on one case → its verdict: never an exception, and of a hidden case nothing that its code could choose.

A hidden case tells its status, and one of a few sentences. A sentence with something else in it (the type of an
exception, a line, an exit code, a name) is told only where a public case of the same check was told the same.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from grader.core.errors import AttncheckError
from grader.core.model import CheckSpec, Observation, Returned, Status, Text, Verdict
from grader.grading import checks
from grader.grading.checks import Seen
from grader.grading.failures import FORBIDDEN, FORM
from grader.grading.inputs import Drawn

#: What is said where a judge has raised. No point is earned by it, and the rest of the submission is not touched.
BROKEN = Text(
    "the check itself broke on this result: a bug in attncheck. It counts as not right; please tell your instructor",
    "检查程序本身在处理这个结果时出错，这是 attncheck 的缺陷。这一项不算正确，请告诉老师",
)
_WRONG = Text("the result is not right", "结果不对")
_NO_VERDICT = Text("no verdict in this case", "这个用例无法判定")
#: What is said of a hidden case that did not return, or was not run.
_STOPPED = {
    Status.RAISED: Text("it raised an exception", "运行时抛出了异常"),
    Status.TIMED_OUT: Text("it took too long and was stopped", "运行超时，已被停止"),
    Status.DIED: Text("the process ended", "进程结束了"),
    Status.SKIPPED: Text(
        "not run: earlier calls used up the time, the memory or the number of crashes allowed",
        "没有运行：前面的调用已用完时间、内存或允许的崩溃次数",
    ),
}
#: What every check may say of a hidden case, besides its own ``SECRETS``.
COMMON = (*_STOPPED.values(), FORM, FORBIDDEN, BROKEN, _WRONG, _NO_VERDICT)


def judge(seen: Seen) -> Verdict:
    """What the check says. An exception in it is our fault, and still no reason for points: that check has failed.

    Raises what we raise ourselves, such as CourseError for a check that does not fit its exercise.
    """
    try:
        with np.errstate(all="ignore"):
            return checks.kinds()[seen.spec.kind].judge(seen)
    except AttncheckError:
        raise
    except Exception:  # whatever it is, MemoryError and RecursionError included: nobody else's points depend on it
        return Verdict(Status.FAILED, BROKEN, broken=True)


def essence(spec: CheckSpec, drawn: Drawn, got: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """What of ``got`` is compared with typical mistakes; all of it where that cannot be worked out."""
    try:
        return checks.signature(spec, drawn, got)
    except AttncheckError:
        raise
    except Exception:
        return got


def judge_exercise(entries: Sequence[Seen]) -> list[Verdict]:
    """The verdicts on all checks and cases of one exercise, as they may be told to its learner."""
    found = [judge(seen) for seen in entries]
    known: dict[str, set[Text | None]] = {}
    for seen, verdict in zip(entries, found, strict=True):
        if seen.case.public and verdict.message is not None:
            as_hidden = judge(replace(seen, case=replace(seen.case, public=False)))
            known.setdefault(seen.spec.kind, set()).add(as_hidden.message)
    return [
        verdict if seen.case.public else _told(seen, verdict, known.get(seen.spec.kind, ()))
        for seen, verdict in zip(entries, found, strict=True)
    ]


def _told(seen: Seen, verdict: Verdict, known: Container[Text | None]) -> Verdict:
    """What is told of the verdict on a hidden case; ``known`` is what public cases of this check were told."""
    secrets = checks.kinds()[seen.spec.kind].SECRETS
    message = verdict.message
    if verdict.status is not Status.UNMARKED and not (
        message is None or message in known or message in secrets or message in COMMON
    ):
        message = _instead(seen, verdict)
    remark = verdict.remark if verdict.remark in secrets else None
    return replace(verdict, message=message, difference=None, remark=remark)


def _instead(seen: Seen, verdict: Verdict) -> Text:
    """The sentence for a verdict whose own has something in it that the code could have chosen."""
    if not verdict.applies:
        return _NO_VERDICT
    if verdict.status in _STOPPED:
        return _STOPPED[verdict.status]
    returned = all(isinstance(each, Returned) for each in seen.got)
    return _WRONG if returned else FORM
