"""The sentences of a report in English and Chinese, shared by the terminal and HTML."""

from __future__ import annotations

from grader.core.model import ExerciseResult, Outcome, Report, Status, Text
from grader.core.text import STATUS, check_label
from grader.grading.failures import is_not_written


def all_passed(report: Report) -> Text:
    """The sentence for a report without failures."""
    if any(notice.urgent for notice in report.notices):
        return REST_PASSED
    return HERE_PASSED if report.pending_points else ALL_PASSED


def failure_heading(exercise: ExerciseResult, outcome: Outcome) -> Text:
    """The heading above the first failure. It names check and case, unless everything fails in the same way."""
    counted = [each for each in exercise.outcomes if each.verdict.applies]
    shown = [each for each in counted if each.visibility == "public"] or counted  # hidden cases say less
    alike = len({each.status for each in counted}) == 1 and len({each.verdict.message for each in shown}) == 1
    if len(counted) > 1 and alike and outcome.verdict.difference is None:
        return FIRST
    where = PUBLIC_CASE if outcome.visibility == "public" else HIDDEN_CASE
    return FIRST_AT.fill(where=where.fill(check=check_label(outcome.check), case=outcome.case))


def is_stub(exercise: ExerciseResult) -> bool:
    """Whether the learner has not written this exercise yet: it is a stub, or raises ``NotImplementedError``."""
    return exercise.status in (Status.RAISED, Status.MISSING) and is_not_written(exercise.message)


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


READ_AS = Text("Read as: {formula}", "读作：{formula}")
OF = Text("{earned} of {possible}", "{earned} / {possible}")
FIRST = Text("Fix this first:", "先改这里：")
FIRST_AT = Text("Fix this first ({where}):", "先改这里（{where}）：")
PUBLIC_CASE = Text("{check}, case “{case}”", "{check}，用例“{case}”")
HIDDEN_CASE = Text("{check}, hidden case “{case}”", "{check}，隐藏用例“{case}”")
AT = Text("at {index}: {values}", "{index} 处：{values}")
VALUES_ONLY = Text("expected {expected}, got {actual}", "应为 {expected}，实际为 {actual}")
DIFFERING = Text("{differing} of {size} entries differ", "{size} 个元素中有 {differing} 个不同")
PRINTED = Text("Your code printed:", "你的代码输出了：")
CHECKS = Text("{passed} of {all} checks passed", "{all} 项检查通过 {passed} 项")
HIDDEN_DECIDE = Text(
    "Hidden cases decide {points} of these {possible} points.", "这 {possible} 分中有 {points} 分由隐藏用例决定。"
)
GIVEN = {
    "torch": Text("tested with torch tensors", "用 torch 张量测试"),
    "numpy": Text("tested with NumPy arrays", "用 NumPy 数组测试"),
}
#: On pages, where the item may be a link.
ASK_NEXT_ON_PAGE = Text("Practise this idea: {item}", "针对这一点的练习题：{item}")
ASK_NEXT = Text("Practise this idea: attncheck quiz {item}", "针对这一点的练习题：attncheck quiz {item}")
NOTES = Text("Please note", "请注意")
LATE = Text("submitted {time} late", "迟交 {time}")
ALL_PASSED = Text("Everything is correct. Well done!", "全部正确，做得好！")
REST_PASSED = Text("Everything that could be graded is correct.", "能够评分的内容全部正确。")
HERE_PASSED = Text("Everything that is graded here is correct. Well done!", "在这里评定的内容全部正确，做得好！")
ELSEWHERE = Text(
    "{points} more points are not graded here: your instructor grades the answers to graded items and runs the hidden "
    "cases.",
    "另有 {points} 分不在这里评定：计分题由教师批改，隐藏用例由教师运行。",
)
DECIDED_ELSEWHERE = Text("graded by your instructor", "由教师评定")
INCOMPLETE = Text(
    "Something could not be graded because of an error in the course or in attncheck. It does not count for or against "
    "you; please tell your instructor.",
    "有内容因课程或 attncheck 自身的错误而无法评分，既不加分也不扣分；请告诉老师。",
)
SANDBOX = Text("Sandbox: {layers}", "沙箱：{layers}")
NO_SANDBOX = Text(
    "This code ran WITHOUT a sandbox: it could read and change everything that you can. Run `attncheck doctor` to see "
    "what is missing.",
    "这段代码没有在沙箱中运行：凡是你能读取和修改的内容，它也都能读取和修改。运行 `attncheck doctor` 可查看缺少什么。",
)
NOTHING_RUN = Text("No code was run", "没有运行任何代码")
SECONDS = Text("{seconds} s", "{seconds} 秒")

NOT_READABLE = Text("could not be read", "无法读取")
ANSWERS_RIGHT = Text("answers: {right} of {count} correct", "答案：{count} 个中对了 {right} 个")
ANSWERS_RIGHT_SOME_UNREAD = Text(
    "answers: {right} of {count} correct, {unread} could not be read",
    "答案：{count} 个中对了 {right} 个，{unread} 个无法读取",
)
YOUR_ANSWER = Text("Your answer", "你的回答")
COMPARE_ANSWER = Text("Compare your answer with the model answer", "把你的回答与参考答案对照")
MODEL_ANSWER = Text("Model answer", "参考答案")
KEY_POINTS = Text("Key points: which of them did you make?", "要点：你说到了哪几点？")
