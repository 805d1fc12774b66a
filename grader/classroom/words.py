"""Sentences about a class that several modules share, in both languages."""

from __future__ import annotations

from grader.core.model import Text

NONE = Text("none", "无")
GRADED = Text("graded", "已评分")
WHOLE = Text("everything right", "全部正确")
PARTLY = Text("in part (a fault of ours)", "部分评分（系统的问题）")
NOTHING_THERE = Text("nothing handed in", "没有提交")
CHECK_BROKE = Text("the check itself broke: a bug in attncheck", "检查程序本身出错，是 attncheck 的缺陷")
NOT_ALL_READ = Text("not read in full", "未能完整读取")
SAID_LATE = Text("late, says the course system", "课程平台标为迟交")
AND_MORE = Text(" and {more} more", "，另有 {more} 个")
