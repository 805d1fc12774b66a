"""Texts that only the pages of a class use."""

from __future__ import annotations

from collections.abc import Mapping

from grader.core.model import Text

WORDS: Mapping[str, Text] = {
    "submit_page": Text("Submit", "提交"),
    "sign_out": Text("Sign out", "退出"),
    "sign_out_why": Text(
        "Sign out on a machine that others use. Your personal link signs you in again.",
        "如果这台机器还有别人用，请退出。用你的个人链接可以重新登录。",
    ),
    "will_submit": Text("This will be submitted", "将要提交的内容"),
    "no_files": Text(
        "Nothing yet: answer quiz items, or save code.",
        "还没有内容：请先做小题，或保存代码。",
    ),
    "stored_answers": Text("Answers stored:", "已存入的答案："),
    "unread_answers": Text("These answers cannot be read:", "以下答案无法读取："),
    "answers_count": Text("Answers to {count} of {all} graded items", "计分小题已答 {count}/{all} 道"),
    "numbers": Text("Numbers in quiz items are drawn for {id}.", "题目中的数按 {id} 抽取。"),
    "do_submit": Text("Submit now", "现在提交"),
    "again": Text(
        "You can submit again: each submission is kept.",
        "可以多次提交，每一次都会保留。",
    ),
    "attempts": Text("Your submissions", "你的提交"),
    "none_yet": Text("You have not submitted anything yet.", "你还没有提交过。"),
    "attempt": Text("Submission {number}", "第 {number} 次提交"),
    "at": Text("Submitted", "提交时间"),
    "state": Text("State", "状态"),
    "points": Text("Points", "得分"),
    "waiting": Text("waiting to be graded", "等待评分"),
    "running": Text("being graded", "正在评分"),
    "graded": Text("graded", "已评分"),
    "refused": Text("cannot be graded", "无法评分"),
    "counts": Text("This submission counts.", "以这次提交为准。"),
    "not_counts": Text("Another submission counts.", "以另一次提交为准。"),
    "unchanged": Text(
        "You already submitted these files; nothing has changed since.",
        "这些内容已经提交过，之后没有改动。",
    ),
    "received": Text("Submitted. Keep the receipt.", "已提交。请保存回执。"),
    "receipt": Text("Receipt", "回执"),
    "files": Text("Files", "文件"),
    "results": Text("Results", "结果"),
    "full_report": Text("Full report", "完整报告"),
    "requests": Text("Ask for regrading", "申请重新评分"),
    "request_what": Text("What it is about", "针对哪一部分"),
    "request_why": Text("Why it should be graded again", "为什么要重新评分"),
    "request_send": Text("Send the request", "发送申请"),
    "request_open": Text("waiting for an answer", "等待答复"),
    "yours": Text("Your requests", "你的申请"),
    "grading_stopped": Text(
        "Grading has stopped for the moment. What you submit is safe and will be graded later.",
        "评分暂时停止。提交的内容都在，稍后会评分。",
    ),
}

NOTHING = Text(
    "There is nothing to submit yet: answer graded quiz items, or save code.",
    "还没有可以提交的内容：请先做计分小题，或保存代码。",
)
TOO_OFTEN = Text(
    "You may submit {most} times in 24 hours. You can submit again in {time}.",
    "24 小时内最多提交 {most} 次，{time}后可以再次提交。",
)
CHECKED_TOO_OFTEN = Text(
    "Your code is saved. You may check {name} {most} times an hour; you can check again in {time}.",
    "代码已保存。{name} 每小时最多检查 {most} 次，{time}后可以再检查。",
)
OURS = Text(
    "Something went wrong on the server. It is not your fault, and your work is saved. If it happens again, tell your "
    "instructor.",
    "系统出了问题，与你无关。你的内容都已保存。如果再次出现，请告诉老师。",
)
LONG_FORMULA = Text(
    "This answer has more than {most} characters; write a shorter one.",
    "这个答案超过 {most} 个字符，请写得简短一些。",
)
OTHER_ANSWERS = Text(
    "The answers.yaml that you uploaded cannot be read, or is someone else's; upload one with “learner: {id}”.",
    "你上传的 answers.yaml 无法读取，或者是别人的；请上传写有“learner: {id}”的文件。",
)
FOLDER_FULL = Text(
    "Your files take more than {most} MiB; upload only code and answers.",
    "你的文件超过 {most} MiB；请只上传代码和答案。",
)
LOG_FULL = Text(
    "Your log is full, because you have answered so often; contact your instructor.",
    "作答次数太多，你的记录已满，请联系老师。",
)
