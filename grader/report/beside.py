"""Code beside the reference: a table of what each way costs, and sentences on what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.core.layout import columns
from grader.core.model import Lang, Text
from grader.core.tables import texts
from grader.grading.costs import Cost

#: In a cell of the table.
_NOT_COUNTED = "–"
#: Smaller differences are not worth a sentence.
_MUCH, _LONG = 1.15, 2.0


def heads(lang: Lang) -> list[str]:
    """The heads of the table."""
    return [head.of(lang) for head in texts(__file__, "beside.yaml", "heads").values()]


def rows(costs: Sequence[Cost], lang: Lang) -> list[list[str]]:
    """A row of the table for each way, without the heads."""
    words, table, number = texts(__file__, "beside.yaml", "cells"), [], 0
    with_arrays = any(cost.work is not None for cost in costs)
    for cost in costs:
        number += cost.who == "alternative"
        largest = words["elements"].fill(count=f"{cost.largest:,}").of(lang) if cost.largest is not None else None
        table.append(
            [
                words[cost.who].fill(number=number).of(lang),
                str(cost.lines),
                str(cost.loops),
                words[cost.library].of(lang) if with_arrays else _NOT_COUNTED,
                f"{cost.work:,}" if cost.work is not None else _NOT_COUNTED,
                largest or _NOT_COUNTED,
            ]
        )
    return table


def counted_units_sentence(costs: Sequence[Cost]) -> Text | None:
    """What was counted; None if nothing was."""
    cases = [cost.case for cost in costs if cost.work is not None]
    return texts(__file__, "beside.yaml", "cells")["counted"].fill(case=cases[0]) if cases else None


def differences(costs: Sequence[Cost]) -> tuple[Text, ...]:
    """What differs between the learner's code and the reference; empty without the learner's code."""
    mine = next((cost for cost in costs if cost.who == "yours"), None)
    theirs = next((cost for cost in costs if cost.who == "reference"), None)
    if mine is None or theirs is None:
        return ()
    return tuple(_differences(mine, theirs)) or (texts(__file__, "beside.yaml", "differences")["same"],)


def _differences(mine: Cost, theirs: Cost) -> Iterator[Text]:
    names, said = texts(__file__, "beside.yaml", "cells"), texts(__file__, "beside.yaml", "differences")
    if mine.library != theirs.library and theirs.work is not None:  # formulas of plain numbers need no library
        yield said["libraries"].fill(mine=names[mine.library], theirs=names[theirs.library])
    if mine.loops > 0 == theirs.loops:
        loops = said["one_loop"] if mine.loops == 1 else said["loop_count"].fill(count=mine.loops)
        yield said["loops"].fill(mine=loops)
    elif mine.loops == 0 < theirs.loops:
        yield said["no_loop"]
    if mine.lines >= _LONG * theirs.lines:
        yield said["longer"].fill(mine=mine.lines, theirs=theirs.lines)
    for left, right, what in ((mine.work, theirs.work, "work"), (mine.largest, theirs.largest, "memory")):
        if left is not None and right is not None:
            if left >= _MUCH * right:
                yield said[f"more_{what}"].fill(times=f"{left / right:.1f}")
            elif right >= _MUCH * left:
                yield said[f"less_{what}"].fill(share=f"{100 * left / right:.0f}")


def lines(costs: Sequence[Cost], lang: Lang) -> Iterator[str]:
    """The table and the sentences, for a terminal."""
    yield from columns([heads(lang), *rows(costs, lang)], right=[1, 2, 4, 5])
    if (sentence := counted_units_sentence(costs)) is not None:
        yield sentence.of(lang)
    yield from (difference.of(lang) for difference in differences(costs))
