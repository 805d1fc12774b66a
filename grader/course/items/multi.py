"""One or several correct options, and at least one wrong one.

## What it asks

To choose every correct option.

## Keys

- `options`: as for `choice`, with `correct: true` for one or several of them.

## Example

```yaml
kind: multi
options:
  - {id: a, text: {en: the number of keys, zh: 键的个数}, misconception: length-matters}
  - {id: b, text: {en: the width of a head, zh: 每个头的宽度}, correct: true}
  - {id: c, text: {en: the variance of the components, zh: 分量的方差}, correct: true}
```

## Answer

A list of ids, or the ids with or without separators:

```text
[b, c]
b, c
bc
b和c
```

## Points

Each correct option that is chosen earns 1/(number of correct options), each wrong one takes as much away, and the
total is never below 0. Choosing everything is worth nothing unless nearly everything is correct.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.core.model import Message, Status, Text
from grader.course.items import Context, Judgment, Parts, Prompt, QuizItem, _options, drawn_first, unreadable
from grader.course.items._options import Option, as_id_text, excerpt, normalize_id, typed_id
from grader.course.items.choice import Spec as Spec
from grader.course.items.choice import key as key
from grader.course.items.choice import named_key as named_key
from grader.course.items.choice import right as right
from grader.course.items.choice import without_key as without_key
from grader.course.problems import ValueProblem

_SEPARATORS = re.compile(r"[\s,，、;；。/+&\[\](){}（）\"'“”‘’]+|和|(?<=\s)and(?=\s)", re.IGNORECASE)
_HOW = Message("Answer with a list of letters, such as [a, c]; more than one may be right.")
_OTHER = Message("Answer with a list of options, such as [{first}, {last}]; the options are {ids}.")
_MISSING = Message("Everything you chose is right, but something is missing.")
_WRONG = Message("Not everything you chose is right.")


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the options. Some must be correct and some not."""
    yield from _options.validate(spec.options)
    correct = [option for option in spec.options if option.correct]
    if len(correct) in (0, len(spec.options)):
        marked = "all" if correct else "none"
        text = f"found {marked} marked as correct; expected some with `correct: true` and some without"
        yield ValueProblem(("options",), text, "correct-options")


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a list of ids or a text such as ``a, c``; order and repetitions do not matter."""
    ids = _read(spec, value)
    return unreadable(ids) if isinstance(ids, Text) else _judged(spec, ids, context)


def chosen(spec: Spec, value: object) -> Parts:
    """The options that were chosen."""
    ids = _read(spec, value)
    if isinstance(ids, Text):
        return {}
    return {option.id: "" for option in spec.options if normalize_id(option.id) in ids}


def _read(spec: Spec, value: object) -> set[str] | Text:
    """The normalized ids that ``value`` names, or why it cannot be read."""
    words = _words(value, spec.options)
    if words is None:
        first, last = spec.options[0].id, spec.options[-1].id
        return _OTHER.fill(first=first, last=last, ids=_options.join_ids(spec.options))
    ids = {normalize_id(option.id) for option in spec.options}
    if all(len(name) == 1 for name in ids):  # then "ac" can only mean a and c
        words = [part for word in words for part in (normalize_id(word) if set(normalize_id(word)) <= ids else [word])]
    unknown = next((word for word in words if normalize_id(word) not in ids), None)
    if unknown is not None:
        return _options.UNKNOWN.fill(said=excerpt(unknown), ids=_options.join_ids(spec.options))
    if not words:
        return Message("Choose at least one of {ids}.").fill(ids=_options.join_ids(spec.options))
    return {normalize_id(word) for word in words}


def prompt(spec: Spec, context: Context) -> Prompt:
    """Choose some of the options."""
    return Prompt("many", _HOW, _options.choices(spec.options, context))


def counted(answer: object) -> tuple[str, ...]:
    """The options that were chosen, each once."""
    return tuple(dict.fromkeys(map(_options.counted, answer))) if isinstance(answer, list) else ()


def quiz_item(spec: Spec, context: Context) -> QuizItem:
    """Some of the options."""
    return QuizItem("many", options=spec.options)


def _judged(spec: Spec, chosen: set[str], context: Context) -> Judgment:
    correct = [option for option in spec.options if option.correct]
    right = [option for option in correct if normalize_id(option.id) in chosen]
    wrong = [option for option in spec.options if normalize_id(option.id) in chosen and not option.correct]
    if not wrong and len(right) == len(correct):
        return Judgment(Status.PASSED, 1.0)
    fraction = max(0, len(right) - len(wrong)) / (len(correct) or 1)
    misread = next((option for option in wrong if option.misconception), None)
    place = misread.id if misread else drawn_first([option.id for option in wrong], context)
    message = None if misread else _WRONG if wrong else _MISSING
    return Judgment(Status.FAILED, fraction, message, misread.misconception if misread else None, place=place)


def _words(value: object, options: Sequence[Option]) -> list[str] | None:
    """The answer as one word for each option; None if it does not list options."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    texts = [text for part in parts if (text := as_id_text(part)) is not None]
    if len(texts) < len(parts):
        return None
    lines = [line.strip().removeprefix("- ") for text in texts for line in text.splitlines()]
    ids = {normalize_id(option.id) for option in options}
    words = [typed_id(line, options) for line in lines if line]
    return [part for word in words for part in ([word] if word in ids else _separate(word))]


def _separate(text: str) -> list[str]:
    """The words of a list in one line, without those that only say that a list follows."""
    before = _options.phrase("before").match(text)
    bare = _options.phrase("after").sub("", text[before.end() :] if before else text)
    words = [part.rstrip(".!") for part in _SEPARATORS.split(bare)]
    return [word for word in words if any(map(str.isalnum, word))]
