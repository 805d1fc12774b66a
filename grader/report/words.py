"""What the program itself says to people, in both languages, and how strange text is made harmless."""

from __future__ import annotations

import re
from datetime import datetime

from grader.core.model import ExerciseResult, Outcome, Report, Status, Text

# ------------------------------------------------------------------------------------ text of others

#: Terminal sequences: control strings (titles, hyperlinks), CSI (colours, cursor), and the short ones.
_SEQUENCE = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_BREAK = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n{3,}")


def clean(text: str, limit: int = 400, *, lines: bool = False) -> str:
    """Text that a learner may have chosen, made safe to show: at most ``limit`` printable characters.

    Terminal sequences, control characters, bidirectional overrides and invisible characters are
    dropped; every other blank is one space. Line breaks stay only where ``lines`` allows them.
    """
    rows = [_printable(row) for row in _BREAK.sub("\n", _SEQUENCE.sub("", text)).split("\n")]
    kept = _BLANK_LINES.sub("\n\n", "\n".join(rows)).strip("\n") if lines else " ".join(rows).strip()
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"


def _printable(row: str) -> str:
    return "".join(" " if char.isspace() else char for char in row if char.isprintable() or char.isspace()).rstrip()


def points(value: float) -> str:
    """Points as people write them: at most two decimals, none where the number is whole."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def plain(check: str) -> str:
    """The name of a check as words."""
    return check.replace("_", " ")


def duration(seconds: float) -> Text:
    """A time in days, hours and minutes; one minute at least."""
    minutes = max(1, round(seconds / 60))
    days, rest = divmod(minutes, 24 * 60)
    units = (days, "d", "天"), (rest // 60, "h", "小时"), (rest % 60, "min", "分钟")
    said = [(f"{value} {en}", f"{value} {zh}") for value, en, zh in units if value]
    return Text(" ".join(en for en, _ in said), " ".join(zh for _, zh in said))


def moment(iso: str) -> str:
    """A point in time as ISO 8601 writes it, for people: to the minute, with its zone."""
    return datetime.fromisoformat(iso).isoformat(" ", "minutes").replace("+00:00", " UTC")


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

STATUS = {
    Status.PASSED: Text("passed", "通过"),
    Status.FAILED: Text("not right yet", "还不正确"),
    Status.RAISED: Text("raised an exception", "抛出异常"),
    Status.TIMED_OUT: Text("took too long", "超时"),
    Status.DIED: Text("ended the whole process", "进程中止"),
    Status.MISSING: Text("not found", "未找到"),
    Status.SKIPPED: Text("not run", "未运行"),
    Status.PENDING: Text("waits for a person to mark it", "等待人工批改"),
    Status.UNMARKED: Text("could not be marked (our fault, costs no points)", "无法评分（系统的问题，不扣分）"),
}

OF = Text("{earned} of {possible}", "{earned} / {possible}")
OF_POINTS = Text("{earned} of {possible} points", "{earned} / {possible} 分")
FIRST = Text("First thing to mend:", "首先要改的地方：")
FIRST_AT = Text("First thing to mend ({where}):", "首先要改的地方（{where}）：")
PUBLIC_CASE = Text("{check}, case “{case}”", "{check}，用例「{case}」")
HIDDEN_CASE = Text("{check}, hidden case “{case}”", "{check}，隐藏用例「{case}」")
AT = Text("at {index}: {values}", "在 {index} 处：{values}")
VALUES_ONLY = Text("expected {expected}, got {actual}", "应为 {expected}，得到 {actual}")
DIFFERING = Text("{differing} of {size} entries differ", "{size} 个元素中有 {differing} 个不同")
CHECKS = Text("{passed} of {all} checks passed", "{all} 项检查通过 {passed} 项")
NOT_PASSED = Text("not passed: {names}", "未通过：{names}")
HIDDEN_DECIDE = Text(
    "Hidden cases decide {points} of these {possible} points.", "这 {possible} 分中有 {points} 分由隐藏用例决定。"
)
GIVEN = {
    "torch": Text("run with torch tensors", "用 torch 张量运行"),
    "numpy": Text("run with NumPy arrays", "用 NumPy 数组运行"),
}
ASK_NEXT = Text("A question about just this: attncheck quiz {item}", "有一道题问的正是这一点：attncheck quiz {item}")
NOT_ANSWERED = Text("not answered: {names}", "未作答：{names}")
NOT_ATTEMPTED = Text("Not attempted: {names}", "未作答的题：{names}")
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
SEED = Text("seed: {seed}", "种子：{seed}")
SECONDS = Text("{seconds} s", "{seconds} 秒")
SAYS = Text("{who}: {said}", "{who}：{said}")
WITH = Text("{what} ({more})", "{what}（{more}）")
COMMA = Text(", ", "、")
SEMICOLON = Text("; ", "；")

# --------------------------------------------------------------------------------- looking and starting

QUESTION_COLUMNS = (Text("id", "题号"), Text("title", "标题"), Text("group", "分组"), Text("points", "分值"))
QUESTION_RIGHT = Text("right", "答对")
TO_ANSWER = Text("To answer (in answers.yaml)", "要回答的（写在 answers.yaml 中）")
TO_WRITE = Text("To write", "要编写的")
CONVENTIONS = Text("Conventions", "约定")
RESULT = Text("Result: {result}", "结果：{result}")
CASES = Text("Public cases: {public}; hidden: {hidden}", "公开用例：{public}；隐藏用例：{hidden} 个")
NONE = Text("none", "无")
BEGIN = Text("`attncheck start {id}` writes the files to begin with.", "用 `attncheck start {id}` 生成起步文件。")
WRITTEN = Text("written: {file}", "已写入：{file}")
KEPT = Text("kept as it is: {file}", "保持原样：{file}")
TO_ADD = Text(
    "It has no place yet for these items; add them below “answers:”:", "其中还缺少以下题目，请加到「answers:」之下："
)

# ------------------------------------------------------------------------------------------- grading

UNCONFINED = Text(
    "This code ran unconfined, because this machine cannot sandbox it: run only code that you trust. "
    "`attncheck doctor` says why.",
    "这台机器无法提供沙箱，代码在没有隔离的情况下运行：请只运行你信任的代码。原因见 `attncheck doctor`。",
)

# --------------------------------------------------------------------------------------------- classes

MAP_LINE = Text("{name}: {where}", "{name}：{where}")
MAP_NOTHING = Text("nothing yet", "暂无")
BATCH_COLUMNS = (Text("learner", "学习者"), Text("points", "得分"), Text("status", "状态"))
GRADED = Text("graded", "已评分")
WHOLE = Text("everything right", "全部正确")
PARTLY = Text("in part (a fault of ours)", "部分评分（系统的问题）")
NOT_GRADED = Text("not gradable, see below", "无法评分，见下文")
BATCH_DONE = Text(
    "{graded} of {all} submissions graded. In {folder}: class.csv, the gradebook, and a file for each submission.",
    "{all} 份提交中已评分 {graded} 份。{folder} 中有 class.csv、成绩册，以及每份提交各一个结果文件。",
)
STOPPED = Text(
    "interrupted after {done} of {total} submissions. What was graded is saved: run the same command again, and it "
    "goes on where it was.",
    "已中断：{total} 份提交中已评完 {done} 份，结果均已保存。再次运行同一条命令，即可从中断处继续。",
)
STOPPED_BEFORE = Text(
    "interrupted before the first submission was graded. What was graded earlier is saved: run the same command again, "
    "and it goes on where it was.",
    "已中断：本次尚未评完任何提交，此前的结果均已保存。再次运行同一条命令，即可从中断处继续。",
)
KEPT_FROM_BEFORE = Text(" Graded before: {kept} of them.", "其中 {kept} 份此前已评过分。")
WAITING_FOR = Text("waiting for {name}", "正在等待 {name}")
MORE_ROWS = Text("… and {more} more in class.csv", "……其余 {more} 行见 class.csv")
NOTHING_THERE = Text("nothing handed in", "没有提交")
SET_ASIDE = Text("another attempt counts", "以另一次提交为准")
HANDED_IN_NOTHING = Text("Handed in nothing: {names}", "没有提交：{names}")
NOT_IN_ROSTER = Text(
    "Not in the roster, or there with another number or address, and graded under the number that the work came with: "
    "{names}. Add who belongs to the class, or correct the roster, and run the same command again.",
    "不在名单中，或编号、邮箱与名单不符，按提交自带的编号评分：{names}。请把属于本班的人补进名单或更正名单，再运行同一条命令。",
)
MISNAMED = Text(
    "answers.yaml has a name that the roster does not know as theirs, so numbers in quiz items were drawn for the "
    "roster’s id, and right answers may have counted as wrong: {names}. Where the name is theirs, add it to the "
    "roster (as login, say), and run the same command again.",
    "answers.yaml 里的名字与名单中这位学习者的对不上，因此题目中的数是按名单里的编号抽取的，答对的也可能判错：{names}。"
    "名字若确是本人的，请补进名单（例如填在 login 一列），再运行同一条命令。",
)
MISNAMED_UNLISTED = Text(
    "answers.yaml has a name that does not seem to be theirs, and numbers in quiz items were drawn for that name: "
    "{names}. See whether they handed in somebody else’s file. A roster says for sure who is called what.",
    "answers.yaml 里的名字看来不是本人的，而题目中的数是按那个名字抽取的：{names}。"
    "请核对交上来的是不是别人的文件；有了名单，谁叫什么就能确定。",
)
WHO_SAYS = Text("{who} (“{said}”)", "{who}（「{said}」）")
TWICE_IN_ROSTER = Text(
    "Could be more than one in the roster (add an id or an address there): {names}",
    "在名单中对应不止一人（请在名单里补充学号或邮箱）：{names}",
)
HANDED_IN_TWICE = Text(
    "With two submissions, and none of them later (by attempt): {names}", "有两份提交，但按提交次序分不出先后：{names}"
)
CHECK_BROKE = Text("the check itself broke: a bug in attncheck", "检查程序本身出错，是 attncheck 的缺陷")
SAID_LATE = Text("late, says the course system", "课程平台标为迟交")
NOBODYS = Text("Files that belong to nobody: {names}", "不属于任何人的文件：{names}")
AND_MORE = Text(" and {more} more", "，另有 {more} 个")

TIMELESS = Text(
    "Submissions of which no time is known, and which count as handed in on time: {count} (late by the word of the "
    "course system: {late}).",
    "提交时间不明、按准时计的提交：{count} 份（其中课程平台标为迟交的：{late} 份）。",
)
REGRADE_COLUMNS = (
    Text("learner", "学习者"),
    Text("question", "题目"),
    Text("before", "原得分"),
    Text("now", "现得分"),
    Text("difference", "变化"),
)
IN_ALL = Text("in all", "合计")
REGRADED = Text(
    "Questions that changed since: {questions}. Submissions graded again: {count}. Learners whose points change: "
    "{learners}.",
    "评分之后有变动的题目：{questions}。重新评分的提交：{count} 份。得分有变化的学习者：{learners} 名。",
)
NOTHING_NEW = Text("Nothing has changed since {folder} was graded.", "{folder} 评分之后没有任何变动。")
PUT_DOWN = Text(
    "Put down in {folder}: the gradebook, class.csv, and the files of the submissions.",
    "已写入 {folder}：成绩册、class.csv 和各份提交的结果文件。",
)
NOT_PUT_DOWN = Text("Nothing was written.", "没有写入任何内容。")
PUT_IT_DOWN = Text("Put this down?", "写入这些结果吗？")
MORE_CHANGES = Text("… and {more} more (--json has them all)", "……其余 {more} 行见 --json 的输出")

EXPLAINED = Text(
    "{learner}, {where}: {status}, {earned} of {possible} points",
    "{learner}，{where}：{status}，{earned} / {possible} 分",
)
HIDDEN = Text("A hidden case: what follows is not for learners.", "隐藏用例：以下内容不可给学习者看。")
TOLD = Text("The learner is told: {said}", "学习者看到的是：{said}")
SEEN = Text("Seen with everything in view: {said}", "完整的情况是：{said}")
BELIEF = Text("Misconception {name}: {truth}", "误解 {name}：{truth}")
INPUTS = Text("What went in", "输入")
EXPECTED = Text("What is right", "正确结果")
ACTUAL = Text("What came out", "实际结果")
NO_EXPECTED = Text("this check compares with no result of the reference", "这项检查不与参考实现的结果比较")
NO_ACTUAL = Text("nothing", "没有")
CODE_IN = Text("Submission {submission}, file {file}: {given}", "提交 {submission}，文件 {file}：{given}")
IN_FORM = Text("called in the form “{name}”", "按「{name}」的形式调用")
GRADED_AT = Text(
    "Graded {at} ({seconds} s), seed {seed}; {versions}", "评分于 {at}（{seconds} 秒），种子 {seed}；{versions}"
)
BANK_THEN = Text("Course {course}, question {version}", "课程 {course}，题目 {version}")
REPLAY_AGREES = Text("Replayed just now: it ends as it did when it was graded.", "刚刚重新运行：结果与评分时一致。")
REPLAY_DIFFERS = Text(
    "Replayed just now, it ends otherwise ({status}): the code does not always do the same, or the machine was too "
    "busy.",
    "刚刚重新运行，结果不同（{status}）：代码的行为不稳定，或机器当时过于繁忙。",
)
CHANGED_SINCE = Text(
    "The question has changed since it was graded; the replay goes by what is there now. attncheck regrade grades "
    "again.",
    "题目在评分之后有变动，重新运行按现在的题目进行。用 attncheck regrade 重新评分。",
)
GIVEN_INSTEAD = Text(
    "Points given by hand stand instead: {points}, by {author}: {reason}",
    "以人工给分为准：{points} 分，{author}：{reason}",
)
GIVEN_POINTS = Text(
    "{learner}, {part}: {points} of {possible} points, given by {author}: {reason}",
    "{learner}，{part}：{points} / {possible} 分，由 {author} 给出：{reason}",
)
TAKEN_BACK = Text(
    "{learner}, {part}: the points that were given by hand are taken back; those earned count again.",
    "{learner}，{part}：已撤销人工给分，恢复为实际得分。",
)
HAS_NOW = Text("{learner} now has {earned} of {possible} points.", "{learner} 现在的得分是 {earned} / {possible}。")
OVERRIDE_COLUMNS = (
    Text("learner", "学习者"),
    Text("part", "项目"),
    Text("points", "分数"),
    Text("given by", "给分人"),
    Text("when", "时间"),
    Text("reason", "理由"),
)
NO_OVERRIDES = Text("No points were given by hand.", "没有人工给出的分数。")
LEAVING = Text(
    "What goes of {learner}: submissions in the gradebook with all their points ({submissions}), points given by hand "
    "({overrides}), the line in class.csv, and in {folder}:",
    "将删除 {learner} 的以下内容：成绩册中的 {submissions} 份提交及其得分、{overrides} 处人工给分、class.csv 中的一行，"
    "以及 {folder} 中的：",
)
STAYS_SHARED = Text(
    "Shared with others, and kept for them (numbers in it stay drawn for the name it was graded under): {names}",
    "与他人共有，为他们保留（其中的数字仍按评分时的名字抽取）：{names}",
)
STAYS_OUTSIDE = Text(
    "Not touched, because it lies elsewhere (grading it again would bring {learner} back): {names}",
    "位于别处，不会改动（再次对其评分会使 {learner} 重新出现）：{names}",
)
STAYS_OTHERS = Text(
    "Not touched, because something else wrote it (look whether it names {learner}): {names}",
    "由其他途径生成，不会改动（请查看其中是否提到 {learner}）：{names}",
)
FORGET_IT = Text("Remove this for good?", "确定永久删除吗？")
FORGOTTEN = Text("{learner} is removed from {folder}.", "已从 {folder} 中删除 {learner}。")
NOT_FORGOTTEN = Text("Nothing was removed.", "没有删除任何内容。")

# ------------------------------------------------------------------------------------------ handing in

INBOX_MADE = Text(
    "{folder} is an inbox. Its key, {key}, is for you alone: keep a backup, and pass it to nobody.",
    "{folder} 已成为收件箱。其中的密钥 {key} 只供您本人使用：请做好备份，不要交给任何人。",
)
HANDED_IN = Text("Handed in for {learner} at {at}:", "已为 {learner} 提交（{at}）：")
HANDED_IN_BEFORE = Text(
    "The same files were handed in for {learner} already, at {at}; nothing new was stored:",
    "这些文件已为 {learner} 提交过（{at}），没有重复存入：",
)
RECEIPT = Text("Receipt: {digest}", "回执：{digest}")
THE_SAME = Text("These are the files that {learner} handed in at {at}.", "这些文件就是 {learner} 在 {at} 提交的。")
NOT_THE_SAME = Text(
    "These are not the files that were handed in at {at}; changed, new or gone: {names}",
    "这些文件与 {at} 提交的不同，有改动、新增或缺失：{names}",
)
NOT_IN_IT = Text("{question}: not in it yet: {names}", "{question}：还缺 {names}")
NO_ANSWERS = Text(
    "there is no answers.yaml in it, so no question counts as answered",
    "里面没有 answers.yaml，因此所有小题都按未作答处理",
)
NOTHING_OF = Text("nothing in it belongs to {names}", "没有 {names} 的内容")
MARKED_ELSEWHERE = Text(
    "With this learners' edition of the course, answers to graded items are marked, and hidden cases are run, on your "
    "instructor's side.",
    "这是学习者版课程：计分题由教师一侧批改，隐藏用例也在教师一侧运行。",
)
WAS_DUE = Text(
    "it was due {due}, so this is {time} late, unless you were given extra time",
    "截止时间是 {due}，这次提交迟了 {time}（获准延期的除外）",
)

# ---------------------------------------------------------------------------------------------- doctor

AREA = {
    "versions": Text("Versions", "版本"),
    "content": Text("Content", "内容"),
    "sandbox": Text("Sandbox layers", "沙箱各层"),
    "canaries": Text("Trial attacks", "试探性攻击"),
}
ALL_THERE = Text(
    "Nothing is missing. Learners’ code can be confined here, and classes graded.",
    "什么都不缺：这台机器能隔离学习者的代码，可以给整班评分。",
)
NOT_ALL_THERE = Text(
    "Something is missing (✗); what it says there mends it. Until then, classes are not graded here.",
    "有缺少的部分（✗），请按那里的说明补上；补齐之前，这台机器不给整班评分。",
)
STATE = {"ok": Text("ok", "正常"), "weak": Text("weak", "较弱"), "missing": Text("missing", "缺少")}
REMEDY = Text("to mend: {remedy}", "解决办法：{remedy}")

WATCH_KEYS = Text("n next · h hint · q quit", "n 下一个 · h 提示 · q 退出")
WATCH_QUIT = Text("q quit", "q 退出")
HINT = Text("{name}, hint {rung} of {rungs}:", "{name}，提示 {rung}/{rungs}：")
