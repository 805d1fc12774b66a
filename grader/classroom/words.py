"""Texts about a class that several modules share, in both languages."""

from __future__ import annotations

from collections.abc import Iterable

from grader.core.model import Text
from grader.core.text import SEMICOLON

NONE = Text("none", "无")
GRADED = Text("graded", "已评分")
WHOLE = Text("all correct", "全部正确")
PARTLY = Text("partly graded (internal error)", "部分评分（系统的问题）")
NOTHING_THERE = Text("no submission", "没有提交")
CHECK_BROKE = Text("the check itself failed: a bug in attncheck", "检查程序本身出错，是 attncheck 的缺陷")
NOT_ALL_READ = Text("not read in full", "未能完整读取")
SAID_LATE = Text("late according to the LMS", "课程平台标为迟交")
OTHER_NAME = Text("answers.yaml has a name that is not the id in the roster", "answers.yaml 里的名字不是名单里的编号")
AND_MORE = Text(" and {more} more", "，另有 {more} 个")

# ------------------------------------------------------------- why a submission could not be graded

INTERNAL_ERROR = Text(
    "an internal error of attncheck, not a mistake in the submission: {error}",
    "attncheck 内部错误，与提交本身无关：{error}",
)
FILES_CHANGED = Text(
    "the files changed after the batch started; run the same command again",
    "批改开始之后文件有改动，请再次运行同一条命令",
)
WORKER_DIED_TWICE = Text(
    "a worker process died twice while grading it; usually the machine is short of memory. Run it again",
    "评分进程在批改这份提交时两次意外退出，通常是内存不足。请再次运行",
)


def join_clauses(clauses: Iterable[Text]) -> Text:
    """The clauses as one text, separated by semicolons."""
    parts = tuple(clauses)
    return Text(SEMICOLON.en.join(each.en for each in parts), SEMICOLON.zh.join(each.zh for each in parts))
