"""Code beside the reference: a table of what each way costs, and sentences on what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.core.layout import columns
from grader.core.model import Lang, Message, Text
from grader.grading.costs import Cost

_WHO = {"yours": Message("yours"), "reference": Message("reference"), "alternative": Message("another way {number}")}
_LIBRARY = {"torch": Message("PyTorch"), "numpy": Message("NumPy")}
HEADS = (
    Message("code"),
    Message("lines"),
    Message("loops"),
    Message("library"),
    Message("operations"),
    Message("largest array"),
)
COUNTED = Message("Operations and elements are counted on the public case “{case}”, in PyTorch only.")
_ELEMENTS = Message("{count} numbers")
_NOT_COUNTED = Message("–")
_LOOPS = Message(
    "Yours has {mine}, the reference none: can one expression on whole arrays say the same? It is shorter, and for "
    "large arrays much faster."
)
_ONE_LOOP = Message("one loop")
_MORE_WORK = Message(
    "Yours does {times} times the operations of the reference: is something computed twice, or for entries that are "
    "thrown away?"
)
_MORE_MEMORY = Message(
    "Its largest array is {times} times that of the reference: which of your intermediate results is that?"
)
_LESS_MEMORY = Message("Its largest array has only {share} % of the numbers of the reference's largest.")
_LONGER = Message("Yours has {mine} lines of code, the reference {theirs}: can two of yours become one operation?")
_LIBRARIES = Message("Yours is written in {mine}, the reference in {theirs}; only PyTorch keeps gradients.")
_SAME = Message("In length, loops and cost, yours and the reference are much the same.")
#: Smaller differences are not worth a sentence.
_MUCH, _LONG = 1.15, 2.0


def rows(costs: Sequence[Cost], lang: Lang) -> list[list[str]]:
    """A row of the table for each way, without the heads."""
    table, number = [], 0
    with_arrays = any(cost.work is not None for cost in costs)
    for cost in costs:
        number += cost.who == "alternative"
        table.append(
            [
                _WHO[cost.who].fill(number=number).of(lang),
                str(cost.lines),
                str(cost.loops),
                (_LIBRARY[cost.library] if with_arrays else _NOT_COUNTED).of(lang),
                (_NOT_COUNTED if cost.work is None else Text(*[f"{cost.work:,}"] * 2)).of(lang),
                (_NOT_COUNTED if cost.largest is None else _ELEMENTS.fill(count=f"{cost.largest:,}")).of(lang),
            ]
        )
    return table


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
        yield _LOOPS.fill(mine=_ONE_LOOP if mine.loops == 1 else Message("{count} loops").fill(count=mine.loops))
    elif mine.loops == 0 < theirs.loops:
        yield Message("Yours has no loop where the reference has some; both are correct.")
    if mine.lines >= _LONG * theirs.lines:
        yield _LONGER.fill(mine=mine.lines, theirs=theirs.lines)
    for left, right, more, less in (
        (mine.work, theirs.work, _MORE_WORK, Message("Yours needs only {share} % of the operations of the reference.")),
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
    if (sentence := counted_units_sentence(costs)) is not None:
        yield sentence.of(lang)
    yield from (difference.of(lang) for difference in differences(costs))
