"""Code beside the reference: a table of what each way costs, and sentences on what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.core.layout import columns
from grader.core.model import Lang, Text
from grader.grading.costs import Cost

_WHO = {
    "yours": Text("yours", "你的"),
    "reference": Text("reference", "参考实现"),
    "alternative": Text("another way {number}", "另一种写法 {number}"),
}
_LIBRARY = {"torch": Text("PyTorch", "PyTorch"), "numpy": Text("NumPy", "NumPy")}
HEADS = (
    Text("code", "代码"),
    Text("lines", "行数"),
    Text("loops", "循环"),
    Text("library", "库"),
    Text("operations", "运算次数"),
    Text("largest array", "最大的数组"),
)
COUNTED = Text(
    "Operations and elements are counted on the public case “{case}”, in PyTorch only.",
    "运算次数和数组元素个数是在公开用例“{case}”上统计的，只统计 PyTorch。",
)
_ELEMENTS = Text("{count} numbers", "{count} 个数")
_NOT_COUNTED = Text("–", "–")
_LOOPS = Text(
    "Yours has {mine}, the reference none: can one expression on whole arrays say the same? It is shorter, and for "
    "large arrays much faster.",
    "你的代码有 {mine}，参考实现一个也没有：能不能用一个对整个数组的式子写出来？那样更短，数组大时也快得多。",
)
_LOOP_COUNT = Text("{count} loops", "{count} 个循环")
_ONE_LOOP = Text("one loop", "1 个循环")
_FEWER_LOOPS = Text(
    "Yours has no loop where the reference has some; both are correct.", "你的代码没有循环，而参考实现有；两种都对。"
)
_MORE_WORK = Text(
    "Yours does {times} times the operations of the reference: is something computed twice, or for entries that are "
    "thrown away?",
    "你的代码的运算次数是参考实现的 {times} 倍：是不是有什么算了两遍，或者算了用不到的部分？",
)
_LESS_WORK = Text(
    "Yours needs only {share} % of the operations of the reference.", "你的代码只用了参考实现 {share}% 的运算。"
)
_MORE_MEMORY = Text(
    "Its largest array is {times} times that of the reference: which of your intermediate results is that?",
    "你最大的数组是参考实现的 {times} 倍：那是哪一个中间结果？",
)
_LESS_MEMORY = Text(
    "Its largest array has only {share} % of the numbers of the reference's largest.",
    "你最大的数组只有参考实现最大数组的 {share}%。",
)
_LONGER = Text(
    "Yours has {mine} lines of code, the reference {theirs}: can two of yours become one operation?",
    "你的代码有 {mine} 行，参考实现有 {theirs} 行：有没有几行可以合成一步？",
)
_LIBRARIES = Text(
    "Yours is written in {mine}, the reference in {theirs}; only PyTorch keeps gradients.",
    "你用的是 {mine}，参考实现用的是 {theirs}；只有 PyTorch 能求梯度。",
)
_SAME = Text(
    "In length, loops and cost, yours and the reference are much the same.",
    "在长短、循环和开销上，你的代码和参考实现差不多。",
)
#: Smaller differences are not worth a sentence.
_MUCH, _LONG = 1.15, 2.0


def rows(costs: Sequence[Cost], lang: Lang) -> list[list[str]]:
    """A row of the table for each way, without the heads."""
    found, number = [], 0
    with_arrays = any(cost.work is not None for cost in costs)
    for cost in costs:
        number += cost.who == "alternative"
        found.append(
            [
                _WHO[cost.who].fill(number=number).of(lang),
                str(cost.lines),
                str(cost.loops),
                (_LIBRARY[cost.library] if with_arrays else _NOT_COUNTED).of(lang),
                (_NOT_COUNTED if cost.work is None else Text(*[f"{cost.work:,}"] * 2)).of(lang),
                (_NOT_COUNTED if cost.largest is None else _ELEMENTS.fill(count=f"{cost.largest:,}")).of(lang),
            ]
        )
    return found


def counted_units_sentence(costs: Sequence[Cost]) -> Text | None:
    """What was counted; None if nothing was."""
    cases = [cost.case for cost in costs if cost.work is not None]
    return COUNTED.fill(case=cases[0]) if cases else None


def differences(costs: Sequence[Cost]) -> tuple[Text, ...]:
    """What differs between the learner's code and the reference; empty without the learner's code."""
    mine = next((cost for cost in costs if cost.who == "yours"), None)
    theirs = next((cost for cost in costs if cost.who == "reference"), None)
    if mine is None or theirs is None:
        return ()
    return tuple(_differences(mine, theirs)) or (_SAME,)


def _differences(mine: Cost, theirs: Cost) -> Iterator[Text]:
    if mine.library != theirs.library and theirs.work is not None:  # formulas of plain numbers need no library
        yield _LIBRARIES.fill(mine=_LIBRARY[mine.library], theirs=_LIBRARY[theirs.library])
    if mine.loops > 0 == theirs.loops:
        yield _LOOPS.fill(mine=_ONE_LOOP if mine.loops == 1 else _LOOP_COUNT.fill(count=mine.loops))
    elif mine.loops == 0 < theirs.loops:
        yield _FEWER_LOOPS
    if mine.lines >= _LONG * theirs.lines:
        yield _LONGER.fill(mine=mine.lines, theirs=theirs.lines)
    for left, right, more, less in (
        (mine.work, theirs.work, _MORE_WORK, _LESS_WORK),
        (mine.largest, theirs.largest, _MORE_MEMORY, _LESS_MEMORY),
    ):
        if left is not None and right is not None:
            if left >= _MUCH * right:
                yield more.fill(times=f"{left / right:.1f}")
            elif right >= _MUCH * left:
                yield less.fill(share=f"{100 * left / right:.0f}")


def lines(costs: Sequence[Cost], lang: Lang) -> Iterator[str]:
    """The table and the sentences, for a terminal."""
    table = [[head.of(lang) for head in HEADS], *rows(costs, lang)]
    yield from columns(table, right=[1, 2, 4, 5])
    if (said := counted_units_sentence(costs)) is not None:
        yield said.of(lang)
    yield from (each.of(lang) for each in differences(costs))
