"""Grades the answers of a submission, within limits on computing time."""

from __future__ import annotations

from grader.core import bounded, score
from grader.core.bounded import Bounds
from grader.core.model import Item, ItemResult, Message, Question, Status, Submission
from grader.course import items
from grader.grading.context import GradingContext
from grader.grading.selection import ChosenQuestion

#: Limits on items that are expensive to judge: of one answer, on steps for all answers, and on the number of time-outs.
_JUDGING = Bounds(cpu=5.0)
_MOST_STEPS = 3_000_000
_MOST_ENDED = 3
#: The maximum length and nesting depth of an answer that is stored in a result; the rest becomes "…".
_LONGEST, _DEEPEST = 1000, 3
_TOO_HEAVY = Message("Checking this answer takes too much computing time; write a shorter one.")


def as_written(value: object) -> str:
    """An answer as a learner would type it, cut to ``_LONGEST`` characters. ``value`` comes from a learner."""
    text = _plain(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _plain(value: object, depth: int = 0) -> str:
    if depth > _DEEPEST:
        return "…"
    match value:
        case str():
            return value.strip()
        case bool():
            return str(value).lower()
        case list() | tuple():
            return f"[{', '.join(_plain(part, depth + 1) for part in value)}]"
        case dict():
            pairs = (f"{_plain(key, depth + 1)}: {_plain(part, depth + 1)}" for key, part in value.items())
            return f"{{{', '.join(pairs)}}}"
    try:
        return str(value)
    except ValueError:  # an integer with too many digits
        return "…"


def judge_answer(item: Item, value: object, context: items.Context) -> items.Judgment:
    """Judges one answer; items that are expensive to judge in a process with limits."""
    if not items.is_heavy(item):
        return items.judge(item, value, context)
    try:
        return bounded.call(_JUDGING, items.judge, item, value, context)
    except bounded.Exceeded:
        return items.Judgment(Status.FAILED, 0.0, _TOO_HEAVY, readable=False)


class AnswerGrading:
    """Grades the answers of one submission."""

    def __init__(self, context: GradingContext, submission: Submission, chosen: tuple[ChosenQuestion, ...]) -> None:
        given = [answer for answer in submission.answers or () if answer.value is not None]
        self._answers = {answer.item: answer for answer in given}
        self._context, self._learner = context, submission.learner
        self._steps, self._ended = _MOST_STEPS, 0
        if any(item.id in self._answers and items.is_heavy(item) for question in chosen for item in question.items):
            bounded.start()  # so that it is ready when the code has been graded

    def result(self, item: Item, question: Question) -> ItemResult:
        """The result of one item."""
        answer = self._answers.get(item.id)
        if answer is None:
            return self._context.unanswered(item)
        value = answer.value
        context = items.Context(self._context.course.public_id, self._learner, item.id)
        if answer.problem is not None:
            judged = items.unreadable(answer.problem)
        elif items.is_heavy(item):
            judged = self._heavy(item, value, context)
        else:
            judged = items.judge(item, value, context)
        earned = score.tidy(item.points * judged.fraction)
        believed = question.misconception(judged.misconception)
        message = judged.message or (believed.truth if believed else None)
        judged_as = judged.misconception, judged.reading, judged.readable, as_written(value)
        return ItemResult(item.id, item.kind, judged.status, earned, item.points, message, *judged_as)

    def _heavy(self, item: Item, value: object, context: items.Context) -> items.Judgment:
        if self._ended < _MOST_ENDED:
            try:
                judged, self._steps = bounded.call(_JUDGING, items.judge_within, self._steps, item, value, context)
            except bounded.Exceeded:
                self._ended += 1
            else:
                return judged
        return items.Judgment(Status.FAILED, 0.0, _TOO_HEAVY, readable=False)
