"""Messages about the place where code goes wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.core.model import Landmark, Text
from grader.core.text import EMPTY
from grader.grading.explaining.traces import Values

NEVER_COMPUTED = Text(
    "Your code is correct up to line {line}, where it computes {there}. But it never computes {absent}.",
    "到第 {line} 行为止都正确，已经得到：{there}。但代码里始终没有出现：{absent}。",
)
REPAIRS_ALL = Text(
    " With the correct value there, the public cases that failed now pass.",
    "把正确的值放到这里，没有通过的公开用例就都能通过。",
)
FIRST_CHANGE = Text(
    "One way to fix it takes two changes. First, make this {name}.{more}",
    "有一种改法需要改两处。第一处，把这里改成：{name}。{more}",
)
SECOND_CHANGE = Text(
    "Second, make this {name}.{more} With both values correct, the public cases that failed now pass.",
    "第二处，把这里改成：{name}。{more}两处的值都正确之后，没有通过的公开用例就都能通过。",
)
ANOTHER_VALUE = Text("another value", "另一个值")
_HERE = Text("This should be {name}.{more}", "这里应当是：{name}。{more}")
_UNNAMED = Text("Another value belongs here.{more}", "这里应当是另一个值。{more}")
_SHAPES = Text(" Its shape is {mine} and should be {right}.", "它的形状是 {mine}，应为 {right}。")
_ENTRY = Text(" Entry {index} is {mine} and should be {right}.", "其中下标 {index} 处的元素是 {mine}，应为 {right}。")
_NUMBER = Text(" It is {mine} and should be {right}.", "它现在是 {mine}，应为 {right}。")
_AFTER = Text(
    "This is correct so far{what}. Still missing after it: {name}.", "到这里为止都正确{what}，后面还缺：{name}。"
)
_STEP = Text(": {name}", "（{name}）")


def missing_after(name: Landmark, step: Landmark | None) -> Text:
    """The message that a value is missing after an expression that is correct so far."""
    what = EMPTY if step is None else _STEP.fill(name=Text(step.en, step.zh))
    return _AFTER.fill(what=what, name=Text(name.en, name.zh))


def sentence(name: Landmark | None, right: Values, mine: Values) -> Text:
    """The message that another value belongs at a place, with the first difference."""
    more = first_difference(right, mine)
    return _UNNAMED.fill(more=more) if name is None else _HERE.fill(name=Text(name.en, name.zh), more=more)


def first_difference(right: Values, mine: Values) -> Text:
    """The message about the first difference between the values at a place and the correct ones; may be empty."""
    pairs = [
        (m, right[0 if len(right) == 1 else at]) for at, m in enumerate(mine) if at < len(right) or len(right) == 1
    ]
    return next((text for text in (_difference(*pair) for pair in pairs) if text is not EMPTY), EMPTY)


def _difference(mine: Any, right: Any) -> Text:
    a, b = np.asarray(mine), np.asarray(right)
    if a.shape != b.shape:
        return _SHAPES.fill(mine=tuple(a.shape), right=tuple(b.shape))
    wrong = ~np.isclose(a.astype(float), b.astype(float), rtol=1e-4, atol=1e-6, equal_nan=True)
    if not wrong.any():
        return EMPTY
    if not a.ndim:
        return _NUMBER.fill(mine=_shown(a[()]), right=_shown(b[()]))
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return _ENTRY.fill(index=list(index), mine=_shown(a[index]), right=_shown(b[index]))


def _shown(value: Any) -> str:
    return str(bool(value)) if isinstance(value, (bool, np.bool_)) else f"{float(value):.6g}"
