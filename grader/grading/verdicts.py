"""Judges checks, and removes from verdicts on hidden cases everything that learner code could choose.

The verdict on a hidden case has a status and one of a few fixed sentences. A sentence with variable parts (the type of
an exception, a line, an exit code, a name) is kept only if a public case of the same check got the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from grader.core.errors import AttncheckError, LibrariesChanged
from grader.core.model import CheckSpec, Message, Observation, Returned, Status, Text, Verdict
from grader.grading import checks
from grader.grading.checks import Failed, JudgeInput
from grader.grading.failures import FORBIDDEN, FORM, failure_verdict, reference_failure
from grader.grading.inputs import Drawn

_T = TypeVar("_T")

#: The sentence if a judge raises an exception. The check earns no points; the rest of the submission is unaffected.
_BROKEN = Message(
    "the check itself failed on this result, which is a bug in attncheck. It counts as incorrect; please report it to "
    "your instructor"
)
_WRONG = Message("the result is wrong")
_NO_VERDICT = Message("no verdict in this case")
#: Sentences for hidden cases that did not return or were not run.
_STOPPED = {
    Status.RAISED: Message("it raised an exception"),
    Status.TIMED_OUT: Message("it took too long and was stopped"),
    Status.DIED: Message("the process crashed or exited"),
    Status.SKIPPED: Message("not run: earlier calls used up the time or memory, or crashed too often"),
}
#: Sentences that every check may use for a hidden case, besides its own ``SECRETS``.
COMMON = (*_STOPPED.values(), FORM, FORBIDDEN, _BROKEN, _WRONG, _NO_VERDICT)


def judge(seen: JudgeInput) -> Verdict:
    """The verdict of the check. If it raises an exception, which is our bug, the check counts as failed.

    It does not apply where nothing was run, because the inputs do not have the form in which the exercise is called.

    Raises our own errors, such as CourseError for a check that does not suit its exercise, and LibrariesChanged
    if the check cannot import something: no result of a learner's can cause that.
    """
    if not seen.got:
        return Verdict(Status.SKIPPED, _NO_VERDICT, applies=False)
    with np.errstate(all="ignore"):
        broken = Verdict(Status.FAILED, _BROKEN, broken=True)
        return _or_else(broken, lambda: _judged(seen))


def _judged(seen: JudgeInput) -> Verdict:
    check = checks.kinds()[seen.spec.kind]
    failed = reference_failure(seen.expected) or failure_verdict(seen.got, seen.case)
    try:
        return check.judge(seen) if check.KIND.failures or failed is None else failed
    except Failed as failure:
        return Verdict(Status.FAILED, failure.text)


def signature(spec: CheckSpec, drawn: Drawn, got: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """The part of ``got`` to compare with typical mistakes; all of it if the check raises an exception."""
    return _or_else(got, lambda: checks.signature(spec, drawn, got))


_LIBRARY_GONE = Message(
    "a library that a check needs cannot be imported any more ({error}), so nothing could be graded. Was the Python "
    "environment updated or removed? Make sure that attncheck is installed, and run the command again"
)


def _or_else(broken: _T, ask: Callable[[], _T]) -> _T:
    """What ``ask`` returns; ``broken`` if it raises an exception that is not one of our own errors."""
    try:
        return ask()
    except AttncheckError:
        raise
    except ImportError as error:
        raise LibrariesChanged(_LIBRARY_GONE.fill(error=error)) from error
    except Exception:  # including MemoryError and RecursionError: other points must not depend on it
        return broken


def judge_exercise(entries: Sequence[JudgeInput]) -> list[Verdict]:
    """The verdicts on all checks and cases of one exercise, as the learner may see them."""
    judged = [judge(seen) for seen in entries]
    shown: dict[str, set[Text | None]] = {}
    for seen, verdict in zip(entries, judged, strict=True):
        if seen.case.public and verdict.message is not None:
            as_hidden = judge(replace(seen, case=replace(seen.case, public=False)))
            shown.setdefault(seen.spec.kind, set()).add(as_hidden.message)
    return [
        verdict if seen.case.public else _redacted(seen, verdict, shown.get(seen.spec.kind, ()))
        for seen, verdict in zip(entries, judged, strict=True)
    ]


def _redacted(seen: JudgeInput, verdict: Verdict, shown: Container[Text | None]) -> Verdict:
    """The verdict on a hidden case as learners see it; ``known`` are messages that public cases of the check show."""
    secrets = checks.kinds()[seen.spec.kind].SECRETS
    message = verdict.message
    if verdict.status is not Status.UNMARKED and not (
        message is None or message in shown or message in secrets or message in COMMON
    ):
        message = _fixed_message(seen, verdict)
    remark = verdict.remark if verdict.remark in secrets else None
    return replace(verdict, message=message, difference=None, remark=remark)


def _fixed_message(seen: JudgeInput, verdict: Verdict) -> Text:
    """A fixed sentence in place of one whose words the code could have chosen."""
    if not verdict.applies:
        return _NO_VERDICT
    if verdict.status in _STOPPED:
        return _STOPPED[verdict.status]
    returned = all(isinstance(observation, Returned) for observation in seen.got)
    return _WRONG if returned else FORM
