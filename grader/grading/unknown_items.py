"""Messages about answers that no item gets: to items that the course does not have, or inside another answer."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from grader.core.model import Answer, Message, Text
from grader.core.suggest import nearest
from grader.core.text import EMPTY
from grader.submission import messages as say
from grader.submission.messages import listing, printable

_LONGEST_SHOWN = 80
#: How many unknown ids are listed, each with a suggestion.
_MOST_UNKNOWN = 5


def unassigned(answers: Sequence[Answer], ids: list[str]) -> Iterator[tuple[Answer, Text]]:
    """Answers that count for no item of the course, whose ids are ``ids``, with messages that name their lines.

    An answer without one of its own may stand inside the text of another answer, where a quote is missing or the
    indentation is wrong: then that text comes with the id.
    """
    from grader.submission.answer_entries import named_in  # yaml is slow to import

    known = set(ids)
    given = [answer for answer in answers if answer.value is not None]
    unknown = [answer for answer in given if answer.item not in known]
    for answer in unknown[:_MOST_UNKNOWN]:
        yield answer, unknown_item(answer, ids, known)
    if len(unknown) > _MOST_UNKNOWN:
        more = unknown[_MOST_UNKNOWN]
        yield more, _MORE_UNKNOWN.fill(line=more.line, count=len(unknown) - _MOST_UNKNOWN)
    missing = known - {answer.item for answer in given}
    for answer in given:
        for item in named_in(answer.value) if answer.problem is None else ():
            if item in missing:
                missing.remove(item)
                text = say.SWALLOWED.fill(line=answer.line, id=item, other=printable(answer.item, _LONGEST_SHOWN))
                yield Answer(item, answer.value, answer.line), text


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


_MORE_UNKNOWN = Message("line {line}: from here on, {count} more answers are for items that do not exist")
_NO_ITEM = Message("line {line}: there is no item {id}{hint}")
_MEANT = Message(" (did you mean {near}?)")
_NESTED = Message(
    "line {line}: the answers below `{id}:` were not read. Write each on its own line, with its full id: {lines}."
)
