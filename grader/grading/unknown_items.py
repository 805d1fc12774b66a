"""The message about an answer to an item that the course does not have."""

from __future__ import annotations

from collections.abc import Container

from grader.core.model import (
    Answer,
    Text,
)
from grader.core.suggest import nearest
from grader.core.text import EMPTY
from grader.submission.messages import listing, printable

_LONGEST_SHOWN = 80


def unknown_item(answer: Answer, ids: list[str], known: Container[str]) -> Text:
    """The message that the item of this answer does not exist, with a suggestion."""
    shown = printable(answer.item, _LONGEST_SHOWN)
    keys = [key for key in answer.value if f"{answer.item}.{key}" in known] if isinstance(answer.value, dict) else []
    if keys:
        lines = listing([f"`{shown}.{key}: {_written(answer.value[key])}`" for key in keys])
        return _NESTED.fill(line=answer.line, id=shown, lines=lines)
    near = nearest(answer.item, ids)
    hint = _MEANT.fill(near=near) if near else EMPTY
    return _NO_ITEM.fill(line=answer.line, id=shown, hint=hint)


def _written(value: object) -> str:
    return printable(str(value), 40) if isinstance(value, (str, int, float)) else "…"


_NO_ITEM = Text("line {line}: there is no item {id}{hint}", "第 {line} 行：没有小题 {id}{hint}")
_MEANT = Text(" (did you mean {near}?)", "（是不是 {near}？）")
_NESTED = Text(
    "line {line}: the answers below `{id}:` were not read. Write each on its own line, with its full id: {lines}.",
    "第 {line} 行：`{id}:` 下面的答案没有读取。请每题写一行，用完整的题号：{lines}。",
)
