"""The sentences of a report in English and Chinese, shared by the terminal and HTML."""

from __future__ import annotations

from grader.core.model import Course, ExerciseResult, Message, Outcome, Report, Status, Text
from grader.core.score import MOST_IF_WRONG
from grader.core.tables import texts
from grader.core.text import STATUS, name_list, same
from grader.grading.failures import is_not_written


def check_label(name: str) -> Text:
    """The name of a check for people; a name from another version of attncheck is the same in both languages."""
    from grader.grading import checks  # loads numpy

    return checks.kinds()[name].KIND.about if name in checks.kinds() else same(name.replace("_", " "))


def all_passed(report: Report) -> Text:
    """The sentence for a report in which everything passed, or all code."""
    if any(notice.urgent for notice in report.notices):
        return Message("Everything that could be graded is correct.")
    items = [item for question in report.questions for item in question.items]
    if report.passed:
        return Message("Everything is correct. Well done!") if items and not report.pending_points else HERE_PASSED
    left = [item for item in items if item.status not in (Status.PASSED, Status.PENDING)]
    given = sum(item.status is not Status.MISSING for item in left)
    names = name_list([question.id for question in report.questions if question.exercises])
    which = ("one_" if len(left) == 1 else "") + ("wrong" if given else "left")
    said = texts(__file__, "code_passed.yaml")[which if left else "waits"]
    return said.fill(names=names, left=len(left), given=given)


def seed(report: Report) -> Text:
    """What hidden cases were drawn from."""
    return Message("public", "seed") if report.seed == "public" else same(report.seed)


def failure_heading(exercise: ExerciseResult, outcome: Outcome, course: Course) -> Text:
    """The heading above the first failure. It names check and case, unless everything fails in the same way."""
    counted = [each for each in exercise.outcomes if each.verdict.applies]
    shown = [each for each in counted if each.visibility == "public"] or counted  # hidden cases say less
    alike = len({each.status for each in counted}) == 1 and len({each.verdict.message for each in shown}) == 1
    if len(counted) > 1 and alike and outcome.verdict.difference is None:
        return FIRST
    where = PUBLIC_CASE if outcome.visibility == "public" else HIDDEN_CASE
    case = course.case_title(exercise.name, outcome.case)
    return Message("Fix this first ({where}):").fill(where=where.fill(check=check_label(outcome.check), case=case))


def is_stub(exercise: ExerciseResult) -> bool:
    """Whether the learner has not written this exercise yet: it is a stub, or raises ``NotImplementedError``."""
    return exercise.status in (Status.RAISED, Status.MISSING) and is_not_written(exercise.message)


def hidden_points(exercise: ExerciseResult) -> float:
    """The points that hidden cases decide: their own, or half of all if wrong results there may cost these."""
    hidden = [outcome for outcome in exercise.outcomes if outcome.visibility == "hidden"]
    most = (1 - MOST_IF_WRONG) * exercise.possible if any(each.check == "values" for each in hidden) else 0.0
    return max(most, sum(outcome.possible for outcome in hidden))


def printed(exercise: ExerciseResult) -> str:
    """What the learner's code printed in the case to fix first; empty for a hidden case."""
    first = exercise.first_failure
    return first.verdict.printed if first is not None and first.visibility == "public" else ""


def exercise_status(exercise: ExerciseResult) -> Text:
    """What to say of an exercise beside its name."""
    if exercise.status is Status.PENDING:
        return DECIDED_ELSEWHERE
    if exercise.message is not None and is_stub(exercise):
        return exercise.message
    return STATUS[exercise.status]


READ_AS = Message("Read as: {formula}")
OF = Message("{earned} of {possible}")
FIRST = Message("Fix this first:")
PUBLIC_CASE = Message("{check}, case “{case}”")
HIDDEN_CASE = Message("{check}, hidden case “{case}”")
AT = Message("at {index}: {values}")
VALUES_ONLY = Message("expected {expected}, got {actual}")
DIFFERING = Message("{differing} of {size} entries differ")
PRINTED = Message("Your code printed:")
CHECKS = Message("{passed} of {all} checks passed")
HIDDEN_DECIDE = Message("Points decided by hidden cases: {points} of {possible}.")
GIVEN = {"torch": Message("tested with torch tensors"), "numpy": Message("tested with NumPy arrays")}
#: On pages, where the item may be a link.
ASK_NEXT_ON_PAGE = Message("Practise this idea: {item}")
ASK_NEXT = Message("Practise this idea: `attncheck quiz {item}`")
ASK_NEXT_IN_NOTEBOOK = Message('Practise this idea: `quiz("{item}")`')
EXPLANATION = Message("Explanation")
NOTES = Message("Please note")
LATE = Message("submitted {time} late")
HERE_PASSED = Message("Everything that is graded here is correct. Well done!")
ELSEWHERE = Message(
    "{points} more points are not graded here: your instructor grades the answers to graded items and runs the hidden "
    "cases."
)
DECIDED_ELSEWHERE = Message("graded by your instructor")
INCOMPLETE = Message(
    "Something could not be graded because of an error in the course or in attncheck. It does not count for or against "
    "you; please tell your instructor."
)
SANDBOX = Message("Sandbox: {layers}")
NO_SANDBOX = Message("This code ran WITHOUT a sandbox: it could read and change everything that you can.").with_advice(
    Message("Run `attncheck doctor` to see what is missing.")
)
NOTHING_RUN = Message("No code was run")
SECONDS = Message("{seconds} s")

NOT_READABLE = Message("could not be read")
ANSWERS_RIGHT = Message("answers: {right} of {count} correct")
ANSWERS_RIGHT_SOME_UNREAD = Message("answers: {right} of {count} correct, {unread} could not be read")
