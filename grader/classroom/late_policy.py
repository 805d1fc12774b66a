"""The rules for due dates, late work and attempts, as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from grader.core.model import Rules, Text
from grader.core.text import points, timestamp

_DUE = Text("Due {due} (plus a learner’s extra time).", "截止时间：{due}（学习者另有延时的顺延）。")
_PERCENT = Text("Each day late, or part of a day, costs {percent} %.", "每迟交一天（不足一天按一天算）扣 {percent}%。")
_GRACE = Text("The first {hours} h are free.", "前 {hours} 小时不扣分。")
_CUT_OFF = Text("Work more than {days} days late does not count.", "迟交超过 {days} 天不计分。")
_FREE = Text("There is no penalty for late work.", "迟交不扣分。")
_COUNTS = {
    "best": Text("The best attempt counts.", "多次提交取得分最高的一次。"),
    "last": Text("The last attempt counts.", "多次提交以最后一次为准。"),
    "each": Text("Every attempt counts separately.", "每次提交分别计分。"),
}
_ATTEMPT = Text("Each further attempt costs {percent} %.", "每多提交一次扣 {percent}%。")


def policy_sentences(rules: Rules) -> Iterator[Text]:
    """The due date, the cost of late work, and which attempt counts; nothing if there is no due date."""
    if rules.due is None:
        return
    yield _DUE.fill(due=timestamp(rules.due))
    if rules.late_percent:
        yield _PERCENT.fill(percent=points(rules.late_percent))
    if rules.grace_hours and rules.late_percent:
        yield _GRACE.fill(hours=points(rules.grace_hours))
    if rules.cut_off_days is not None:
        yield _CUT_OFF.fill(days=points(rules.cut_off_days))
    if not rules.late_percent and rules.cut_off_days is None:
        yield _FREE
    yield _COUNTS[rules.attempts]
    if rules.attempt_percent:
        yield _ATTEMPT.fill(percent=points(rules.attempt_percent))
