"""What the program itself says to people, in both languages, and how strange text is made harmless."""

from __future__ import annotations

from grader.core.model import ExerciseResult, Outcome, Report, Text
from grader.core.text import plain

# ------------------------------------------------------------------------------------ text of others


def all_passed(report: Report) -> Text:
    """What is said where nothing is left to mend."""
    return HERE_PASSED if report.elsewhere else ALL_PASSED


def first_to_mend(exercise: ExerciseResult, outcome: Outcome) -> Text:
    """The heading above the first failure; it names no place where every check says the same."""
    if len(exercise.outcomes) > 1 and len({each.verdict.message for each in exercise.outcomes}) == 1:
        return FIRST
    where = PUBLIC_CASE if outcome.visibility == "public" else HIDDEN_CASE
    return FIRST_AT.fill(where=where.fill(check=plain(outcome.check), case=outcome.case))


# --------------------------------------------------------------------------------------------- reports


OF = Text("{earned} of {possible}", "{earned} / {possible}")
FIRST = Text("First thing to mend:", "首先要改的地方：")
FIRST_AT = Text("First thing to mend ({where}):", "首先要改的地方（{where}）：")
PUBLIC_CASE = Text("{check}, case “{case}”", "{check}，用例「{case}」")
HIDDEN_CASE = Text("{check}, hidden case “{case}”", "{check}，隐藏用例「{case}」")
AT = Text("at {index}: {values}", "在 {index} 处：{values}")
VALUES_ONLY = Text("expected {expected}, got {actual}", "应为 {expected}，得到 {actual}")
DIFFERING = Text("{differing} of {size} entries differ", "{size} 个元素中有 {differing} 个不同")
CHECKS = Text("{passed} of {all} checks passed", "{all} 项检查通过 {passed} 项")
HIDDEN_DECIDE = Text(
    "Hidden cases decide {points} of these {possible} points.", "这 {possible} 分中有 {points} 分由隐藏用例决定。"
)
GIVEN = {
    "torch": Text("run with torch tensors", "用 torch 张量运行"),
    "numpy": Text("run with NumPy arrays", "用 NumPy 数组运行"),
}
ASK_NEXT = Text("A question about just this: attncheck quiz {item}", "有一道题问的正是这一点：attncheck quiz {item}")
NOTES = Text("Please note", "请注意")
LATE = Text("handed in {time} late", "迟交 {time}")
ALL_PASSED = Text("Everything here is right. Well done!", "全部正确，做得好！")
HERE_PASSED = Text("Everything that is decided here is right. Well done!", "在这里判定的内容全部正确，做得好！")
ELSEWHERE = Text(
    "Not decided here: {points} points. On your instructor's side answers to graded items are marked, and hidden cases "
    "are run.",
    "有 {points} 分不在这里判定：计分题由教师一侧批改，隐藏用例也在教师一侧运行。",
)
DECIDED_ELSEWHERE = Text("decided on your instructor's side", "由教师一侧判定")
INCOMPLETE = Text(
    "Something could not be marked because of a fault in the course or in attncheck. It counts neither for nor "
    "against you; please tell your instructor.",
    "有内容因课程或 attncheck 自身的问题而无法评分，既不加分也不扣分；请告知授课教师。",
)
SANDBOX = Text("Sandbox: {layers}", "沙箱：{layers}")
NO_SANDBOX = Text(
    "Run WITHOUT a sandbox: this code could read and change everything that you can. "
    "`attncheck doctor` says what is missing.",
    "未使用沙箱：这段代码可以读取和修改你能访问的一切。运行 `attncheck doctor` 可查看缺少什么。",
)
NOTHING_RUN = Text("No code was run", "没有运行任何代码")
SECONDS = Text("{seconds} s", "{seconds} 秒")

# --------------------------------------------------------------------------------- looking and starting


# ------------------------------------------------------------------------------------------- grading


# --------------------------------------------------------------------------------------------- classes


# ------------------------------------------------------------------------------------------ handing in


# ---------------------------------------------------------------------------------------------- doctor
