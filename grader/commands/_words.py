"""Texts that several commands share, in both languages."""

from __future__ import annotations

from grader.core.model import Text

READING = Text("Reading the course (slow the first time only).", "正在读取课程，第一次需要几秒钟。")
WRITTEN = Text("written: {file}", "已写入：{file}")
UNCONFINED = Text(
    "This code ran unconfined, because this machine has no working sandbox: run only code that you trust. "
    "`attncheck doctor` says why.",
    "这台机器无法提供沙箱，代码在没有隔离的情况下运行：请只运行你信任的代码。原因见 `attncheck doctor`。",
)
